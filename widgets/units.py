"""Human-readable numbers; unknown is a dash."""

from __future__ import annotations

UNKNOWN = "–"


def duration(seconds: float | None) -> str:
    """A duration in at most two units: 0.4s, 12s, 3m05s, 2h07m, 4d02h."""
    if seconds is None:
        return UNKNOWN
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f}s".replace(".0s", "s")
    total = int(seconds)
    for size, unit, part, part_unit in ((86400, "d", 3600, "h"), (3600, "h", 60, "m")):
        if total >= size:
            return f"{total // size}{unit}{total % size // part:02d}{part_unit}"
    return f"{total // 60}m{total % 60:02d}s" if total >= 60 else f"{total}s"


def memory(count: int | None) -> str:
    """A size in bytes: 640 B, 12 kB, 182 MB, 1.4 GB."""
    if count is None:
        return UNKNOWN
    if count < 1000:
        return f"{count} B"
    if count < 999_500:
        return f"{count / 1000:.0f} kB"
    if count < 999_500_000:
        return f"{count / 1_000_000:.0f} MB"
    return f"{count / 1_000_000_000:.1f} GB"


def count(number: int | None, short: bool = False) -> str:
    """A number with thousands separators; `short` limits it to six characters."""
    if number is None:
        return UNKNOWN
    if short and number >= 100_000:
        return f"{number // 1000}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"
    return f"{number:,}"
