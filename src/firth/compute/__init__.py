"""Compiled kernels, and the engine that decides where work runs."""

from firth.compute._cluster import Cluster, OneWorker, connected, device_here
from firth.compute._device import Device, DeviceFullError
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
    "DeviceFullError",
    "Engine",
    "Run",
    "ONE_THREAD",
    "OneWorker",
    "connected",
    "device_here",
    "engine_for",
    "interruptible",
    "limit_blas",
    "release_memory",
]
