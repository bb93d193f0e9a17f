"""The splitter: by mouse, by method, within its limits, and gone without a trace."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from pwtui.widgets.splitter import Splitter
from tests.waiting import until


class Halves(App[None]):
    CSS = """
    #left { width: 30; }
    #right { width: 1fr; }
    #top { height: 1fr; }
    #bottom { height: 6; }
    .-tight #left { width: 12; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.moves: list[int | None] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(id="left", markup=False)
            yield Splitter(id="across", minimum=10, minimum_other=20)
            with Vertical(id="right"):
                yield Static(id="top", markup=False)
                yield Splitter(
                    "horizontal", id="along", resizes="after", minimum=3, minimum_other=4
                )
                yield Static(id="bottom", markup=False)

    def on_splitter_moved(self, event: Splitter.Moved) -> None:
        assert event.control is event.splitter
        self.moves.append(event.position)

    def width_of(self, selector: str) -> int:
        return self.query_one(selector).outer_size.width

    def height_of(self, selector: str) -> int:
        return self.query_one(selector).outer_size.height


async def test_dragging_moves_the_divider() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.mouse_down("#across", offset=(0, 5))
        assert app.mouse_captured is app.query_one("#across")
        await pilot.hover(offset=(45, 9))
        await pilot.mouse_up(offset=(45, 9))
        await pilot.hover(offset=(60, 9))
        await pilot.pause()

        assert app.width_of("#left") == 45
        assert app.width_of("#right") == 34
        assert app.mouse_captured is None
        assert app.moves == [45]


async def test_a_horizontal_divider_can_resize_what_is_below_it() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.mouse_down("#along", offset=(3, 0))
        await pilot.hover(offset=(50, 11))
        await pilot.mouse_up(offset=(50, 11))
        await pilot.pause()

        assert app.height_of("#bottom") == 12
        assert app.moves == [12]


async def test_neither_side_gets_smaller_than_its_minimum() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.mouse_down("#across")
        await pilot.hover(offset=(1, 9))
        await pilot.pause()
        assert app.width_of("#left") == 10
        await pilot.hover(offset=(79, 9))
        await pilot.pause()
        await pilot.mouse_up(offset=(79, 9))

        assert app.width_of("#left") == 59
        assert app.width_of("#right") == 20


async def test_the_owner_can_grow_and_shrink_it() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        across = app.query_one("#across", Splitter)
        assert across.position is None
        across.grow()
        await pilot.pause()
        across.grow(2)
        await pilot.pause()
        assert across.position == app.width_of("#left") == 36
        across.grow(-1)
        await pilot.pause()
        assert app.width_of("#left") == 34
        across.grow(-100)
        await pilot.pause()
        across.grow(-1)
        await pilot.pause()

        assert app.width_of("#left") == 10
        assert app.moves == [32, 36, 34, 10]


async def test_a_reset_lets_the_stylesheet_decide_again() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        across = app.query_one("#across", Splitter)
        across.grow(5)
        await pilot.pause()
        app.screen.add_class("-tight")
        await pilot.pause()
        assert app.width_of("#left") == 40

        across.reset()
        await pilot.pause()

        assert app.width_of("#left") == 12
        assert across.position is None
        assert app.moves == [40, None]


async def test_a_double_click_resets() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one("#across", Splitter).grow(5)
        await pilot.pause()
        await pilot.double_click("#across")
        await pilot.pause()

        assert app.width_of("#left") == 30


async def test_the_owner_can_restore_its_position() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        across = app.query_one("#across", Splitter)
        across.position = 25
        await pilot.pause()

        assert app.width_of("#left") == 25
        assert app.moves == []

        across.position = None
        await pilot.pause()
        assert app.width_of("#left") == 30


async def test_a_smaller_window_moves_it_and_a_larger_one_restores_it() -> None:
    app = Halves()
    async with app.run_test(size=(120, 24)) as pilot:
        app.query_one("#across", Splitter).position = 80
        await pilot.pause()
        await pilot.resize_terminal(60, 24)
        await until(lambda: app.width_of("#left") == 39, "its largest width")

        await pilot.resize_terminal(120, 24)
        await until(lambda: app.width_of("#left") == 80, "its width before")


async def test_the_hidden_neighbour_is_skipped() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one("#left").display = False
        await pilot.pause()

        app.query_one("#across", Splitter).grow()
        await pilot.pause()

        assert app.moves == []


async def test_other_buttons_do_not_drag() -> None:
    app = Halves()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.mouse_down("#across", button=3)
        await pilot.hover(offset=(45, 9))
        await pilot.pause()

        assert app.mouse_captured is None
        assert app.moves == []
