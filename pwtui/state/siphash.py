"""SipHash-1-3 with a zero key: the hash for workspace ids and default ports.

Other programs with this state layout compute the same ids, so the algorithm is fixed. hashlib does
not have it, and Python's `hash` has a random key in each process.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_START = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def siphash13(data: bytes) -> int:
    v0, v1, v2, v3 = _START
    whole = len(data) & ~7
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, whole, 8)]
    words.append((len(data) & 0xFF) << 56 | int.from_bytes(data[whole:], "little"))
    for word in words:
        v0, v1, v2, v3 = _round(v0, v1, v2, v3 ^ word)
        v0 ^= word
    v2 ^= 0xFF
    for _ in range(3):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


def hash_text(text: str) -> int:
    """The hash of a string with a terminator byte, as in Rust."""
    return siphash13(text.encode("utf-8", "surrogateescape") + b"\xff")


def _round(v0: int, v1: int, v2: int, v3: int) -> tuple[int, int, int, int]:
    v0, v2 = (v0 + v1) & _MASK, (v2 + v3) & _MASK
    v1, v3 = _rotate(v1, 13) ^ v0, _rotate(v3, 16) ^ v2
    v0, v2 = (_rotate(v0, 32) + v3) & _MASK, (v2 + v1) & _MASK
    v1, v3 = _rotate(v1, 17) ^ v2, _rotate(v3, 21) ^ v0
    return v0, v1, _rotate(v2, 32), v3


def _rotate(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK
