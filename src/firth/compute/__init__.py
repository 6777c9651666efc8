"""Compiled kernels, and the engine that decides where work runs."""

from firth.compute._cluster import Cluster, connected, device_here
from firth.compute._device import Device
from firth.compute._engine import (
    ONE_THREAD,
    AtOnce,
    Engine,
    Run,
    engine_for,
    interruptible,
    limit_blas,
)
from firth.compute._memory import release_memory

__all__ = [
    "AtOnce",
    "Cluster",
    "Device",
    "Engine",
    "Run",
    "ONE_THREAD",
    "connected",
    "device_here",
    "engine_for",
    "interruptible",
    "limit_blas",
    "release_memory",
]
