"""Corner Store: a small shop to explore with pwtui, served from this machine and nowhere else."""

from pwtui.demo.server import DemoSite

__all__ = ["DemoSite"]
