"""The time that the snapshot tree takes to show, filter, refresh and paint pages of three sizes.

Run: python -m bench.tree_widget
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import process_time

from textual.app import App, ComposeResult

from pwtui.protocol.snapshot import SnapshotTree, parse_snapshot
from pwtui.protocol.snapshot_update import update_snapshot
from pwtui.widgets.snapshot_tree import SnapshotTreeView

SIZES = (1_000, 10_000, 50_000)
SCREEN = (120, 40)
ROUNDS = 7


class TreeApp(App[None]):
    def compose(self) -> ComposeResult:
        yield SnapshotTreeView()


def page(count: int, edition: int) -> SnapshotTree:
    """Sections of lists of links with a text; each edition changes one name in fifty."""
    lines = []
    for number in range(count):
        place = number % 20
        shown = number + (edition if number % 50 == 7 else 0)
        if place == 0:
            lines.append(f'- region "Part {shown}" [ref=e{number}]:')
        elif place == 1:
            lines.append(f"  - list [ref=e{number}]:")
        elif place % 3 == 2:
            lines.append(f"    - listitem [ref=e{number}]:")
        elif place % 3 == 0:
            lines.append(f'      - link "Order {shown} shipped" [ref=e{number}] [cursor=pointer]')
        else:
            lines.append(f"      - text: some text {shown}")
    return parse_snapshot("\n".join(lines))


def milliseconds(action: Callable[[], object], before: Callable[[], object] | None = None) -> float:
    times = []
    for _ in range(ROUNDS):
        if before:
            before()
        start = process_time()
        action()
        times.append(process_time() - start)
    return min(times) * 1000


async def measure(count: int) -> dict[str, float]:
    app = TreeApp()
    async with app.run_test(size=SCREEN) as pilot:
        view = app.query_one(SnapshotTreeView)
        editions = [page(count, 0), page(count, 1)]
        place = f"text {count // 20 * 10 + 4}\n"

        def paint() -> None:
            view.notify_style_update()
            for y in range(view.size.height):
                view.render_line(y)

        def refresh() -> None:
            editions.reverse()
            view.show(update_snapshot(view.snapshot, editions[0].render()))

        def change_one(what: str) -> Callable[[], None]:
            """What a `snapshot` event after a change of one node does, with its paint."""
            texts = [editions[0].render(), editions[0].render().replace(place, what)]
            assert texts[0] != texts[1]

            def change() -> None:
                texts.reverse()
                view.show(update_snapshot(view.snapshot, texts[0]))
                paint()

            return change

        def refresh_unfiltered() -> None:
            view.filter("")
            refresh()

        def show_all() -> None:
            view.view = "tidy"

        results = {
            "show": milliseconds(lambda: view.show(editions[0]), lambda: view.show(None)),
            "first filter": milliseconds(lambda: view.filter("order 9"), refresh_unfiltered),
            "next filter": milliseconds(lambda: view.filter("order 99")),
            "unfilter": milliseconds(lambda: view.filter(""), lambda: view.filter("order 9")),
            "controls only": milliseconds(lambda: view.action_toggle_view("controls"), show_all),
        }
        show_all()
        results |= {
            "two levels": milliseconds(lambda: view.action_fold_to_level(2)),
            "expand all": milliseconds(
                view.action_unfold_all, lambda: view.action_fold_to_level(2)
            ),
            "refresh": milliseconds(refresh),
            "one changed": milliseconds(change_one("text that is new\n")),
            "one more": milliseconds(change_one(f"{place}      - text: one more\n")),
        }
        await pilot.pause()
        results["paint"] = milliseconds(paint)
        return results


async def main() -> None:
    results = {count: await measure(count) for count in SIZES}
    small, large = results[SIZES[0]], results[SIZES[-1]]
    heads = "".join([f"{f'{count:,}':>12}" for count in SIZES])
    print(f"best of {ROUNDS}, {SCREEN[0]}x{SCREEN[1]}, ms")
    print(f"{'step':<16}{heads}{'50k : 1k':>12}")
    for step in small:
        times = "".join([f"{results[count][step]:>12.2f}" for count in SIZES])
        print(f"{step:<16}{times}{large[step] / small[step]:>12.1f}")


if __name__ == "__main__":
    asyncio.run(main())
