"""Runs all benchmarks: `python -m bench`."""

from __future__ import annotations

import asyncio

from bench import (
    daemon,
    history,
    history_log,
    log_widget,
    observer,
    operations,
    panel,
    panel_live,
    panel_memory,
    relay,
    replay,
    snapshot_parser,
    startup,
    tree_widget,
)


def main() -> None:
    print("## Snapshot parser\n")
    snapshot_parser.main()
    print("\n## Operations in one process, compared with Playwright calls\n")
    asyncio.run(operations.main())
    print("\n## Observing sessions\n")
    asyncio.run(observer.main())
    print("\n## Startup of pw\n")
    startup.main()
    print("\n## The daemon\n")
    asyncio.run(daemon.main())
    print("\n## The history\n")
    asyncio.run(history.main())
    history_log.main()
    print("\n## The relay\n")
    asyncio.run(relay.main())
    print("\n## Replays\n")
    replay.main()
    print("\n## The snapshot tree\n")
    asyncio.run(tree_widget.main())
    print("\n## The log\n")
    log_widget.main()
    print("\n## The panel\n")
    panel.main()
    panel_live.main()
    asyncio.run(panel_memory.main())


if __name__ == "__main__":
    main()
