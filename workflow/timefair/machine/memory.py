"""Memory and swap of the whole machine, in MB of 2**20 bytes."""

from __future__ import annotations

from timefair.machine.host import Host, whole

_PAGES = "proc/vmstat"


def total_mb(host: Host) -> float:
    """The size of the memory."""
    return _mb(host, "MemTotal")


def available_mb(host: Host) -> float:
    """The kernel's estimate of the memory that programs can get without swapping."""
    return _mb(host, "MemAvailable")


def swap_mb(host: Host) -> float:
    """The size of the swap; 0 without swap."""
    return _mb(host, "SwapTotal")


def swap_used_mb(host: Host) -> float:
    """Swap in use."""
    return swap_mb(host) - _mb(host, "SwapFree")


def swapped_pages(host: Host) -> int:
    """Pages moved from and to swap since the start."""
    counts = (host.field(_PAGES, name, separator=" ") for name in ("pswpin", "pswpout"))
    return sum(whole(count, f"/{_PAGES}") for count in counts)


def _mb(host: Host, name: str) -> float:
    kilobytes = host.field("proc/meminfo", name).removesuffix("kB").strip()
    return round(whole(kilobytes, "/proc/meminfo") / 1024, 1)
