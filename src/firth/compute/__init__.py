"""Where work runs: compiled kernels and the threads that call them."""

from firth.compute._threads import check_threads, in_order, limit_blas

__all__ = ["check_threads", "in_order", "limit_blas"]
