"""firth cluster."""

from firth.cli.cluster.command import cluster

__all__ = ["cluster"]
