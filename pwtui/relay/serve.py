"""The process of the relay: `python -m pwtui.relay.serve`, or `pw relay start --foreground`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import signal
import sys

import psutil

from pwtui import __version__
from pwtui.relay.server import RelayServer
from pwtui.state.json_logging import log_to
from pwtui.state.relay_records import RelayRecord, relay_log_file, remove_record, write_record

log = logging.getLogger(__name__)

PORT_TAKEN = 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="pwtui.relay.serve")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--separate-window", action="store_true")
    return run_relay(**vars(parser.parse_args()), to_terminal=False)


def run_relay(port: int, *, separate_window: bool, to_terminal: bool) -> int:
    """Run the relay on this port until it is stopped; returns 3 if the port is in use."""
    log_to(relay_log_file(), to_terminal=to_terminal)
    try:
        asyncio.run(_serve(port, separate_window))
    except OSError as error:
        log.error("cannot listen on port %s: %s", port, error.strerror)
        return PORT_TAKEN
    return 0


async def _serve(port: int, separate_window: bool) -> None:
    server = RelayServer(separate_window=separate_window)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.ended.set)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    port = await server.start(port)
    write_record(RelayRecord(port, os.getpid(), psutil.Process().create_time(), __version__))
    log.info("relay %s listens on 127.0.0.1:%s", __version__, port)
    gc.collect()
    gc.freeze()
    try:
        await server.ended.wait()
    finally:
        remove_record(port)
        await server.stop()
        log.info("relay stopped")


if __name__ == "__main__":
    sys.exit(main())
