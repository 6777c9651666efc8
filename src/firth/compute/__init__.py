"""Compiled kernels, and the engine that decides where work runs."""

from firth.compute._engine import ONE_THREAD, Engine, Run, engine_for, interruptible, limit_blas

__all__ = ["Engine", "Run", "ONE_THREAD", "engine_for", "interruptible", "limit_blas"]
