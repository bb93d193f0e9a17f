"""The page: its tabs, its address and what it asks, above the views of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from pwtui.app import actions
from pwtui.app.pane_rows import page_view
from pwtui.app.panel import InPanel
from pwtui.app.panes.pane import PaneFrame
from pwtui.app.panes.picture import PicturePane
from pwtui.app.past import described
from pwtui.app.store import DialogView, Store, StorePart
from pwtui.widgets.breadcrumb import Breadcrumb
from pwtui.widgets.containers import Columns, Rows
from pwtui.widgets.log_entry import day_and_time
from pwtui.widgets.notice_bar import NoticeBar
from pwtui.widgets.page_bar import PageBar
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.units import memory

# A key that was typed before the question could be read must not answer it.
READ_SECONDS = 0.8
FIND_SECONDS, FIND_TIMES = 0.1, 50
NOTHING: Mapping[str, str] = MappingProxyType({})


class PageArea(InPanel, Rows):
    """The frames of the views, and what is above all of them."""

    PARTS: ClassVar[frozenset[StorePart]] = frozenset(
        ("page", "snapshot", "running", "daemon", "past")
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        # Before those of the view, while there is a question.
        *(
            Binding(key, f"answer('{answer}')", does, id=id, tooltip=tooltip, priority=True)
            for key, answer, does, id, tooltip in (
                ("y", "accept", "accept", "dialog.accept", "accept the dialog"),
                ("n", "dismiss", "dismiss", "dialog.dismiss", "dismiss the dialog"),
                ("t", "text", "answer", "dialog.text", "answer the dialog with text"),
                ("f", "files", "choose files", "chooser.files", "choose files for the page"),
            )
        ),
        Binding("alt+left,H", "go('back')", "back", show=False, id="page.back"),
        Binding("alt+right,L", "go('forward')", "forward", show=False, id="page.forward"),
        Binding("f5", "go('reload')", "reload", show=False, id="page.reload"),
        Binding("F", "pick", "pick", show=False, id="page.pick", tooltip="choose in the browser"),
        Binding("J", "step_tab(1)", "next tab", show=False, id="tab.next"),
        Binding("K", "step_tab(-1)", "previous tab", show=False, id="tab.previous"),
        Binding("T", "new_tab", "new tab", show=False, id="tab.new"),
        Binding("ctrl+w", "close_tab", "close tab", show=False, id="tab.close"),
    ]

    def __init__(self, frames: Callable[[], list[PaneFrame]], *, id: str) -> None:
        super().__init__(id=id)
        self._frames = frames
        self._could_answer: object = None
        self._bars: dict[str, NoticeBar] = {}

    def compose(self) -> ComposeResult:
        yield PageBar(id="address")
        with Columns(id="views"):
            yield from self._frames()

    @on(SnapshotTreeView.CursorMoved)
    def _show_path(self, event: SnapshotTreeView.CursorMoved) -> None:
        self.query_one(Breadcrumb).show(event.path)
        node = event.path[-1] if event.path else None
        self.query_one(PicturePane).mark(node.ref if node is not None else None)

    def paint(self, store: Store) -> None:
        self.query_one(PageBar).show(page_view(store))
        self._paint_past(store)
        self._paint_dialog(store)
        self._paint_chooser(store)
        self._paint_download(store)
        if (answerable := (self._dialog(), store.page.chooser)) != self._could_answer:
            self._could_answer = answerable
            self.screen.refresh_bindings()

    def _paint_past(self, store: Store) -> None:
        past = store.past
        self.set_class(past is not None, "-past")
        text = f"⏴ past {day_and_time(past.entry.time)}  {described(past)}" if past else ""
        self._notice("past-bar", text, {"now": "esc now"})

    def _notice(self, id: str, text: str = "", answers: Mapping[str, str] = NOTHING) -> None:
        """Show a bar, or hide it without a text. It is made when it is needed first."""
        bar = self._bars.get(id)
        if bar is None and text:
            bar = self._bars[id] = NoticeBar(id=id)
            self.mount(bar, before="#views")
        if bar is not None and text:
            bar.show(text, answers)
        elif bar is not None:
            bar.hide()

    def _paint_dialog(self, store: Store) -> None:
        dialog = store.dialogs.get(store.active_profile)
        if dialog is None:
            self._notice("dialog-bar")
            return
        text = f'⚠ {dialog.info.type} "{dialog.info.message}"'
        if store.page.active_tab not in (None, dialog.tab):
            self._notice("dialog-bar", f"{text} in another tab", {"switch": "show the tab"})
            return
        answers = {"accept": "y accept", "dismiss": "n dismiss"}
        if dialog.info.type == "prompt":
            answers["text"] = "t answer…"
        self._notice("dialog-bar", text, answers)

    def _paint_chooser(self, store: Store) -> None:
        chooser = store.page.chooser
        what = "" if chooser is None else "files" if chooser.multiple else "a file"
        answers = {"files": "f choose…", "no-files": "none"}
        self._notice("chooser-bar", what and f"⚠ The page asks for {what}.", answers)

    def _paint_download(self, store: Store) -> None:
        download = store.page.download
        if download is None:
            self._notice("download-bar")
            return
        parts = [f"↓ {download.name}"]
        if download.failure is None and download.received is not None and download.total:
            parts.append(f"{100 * download.received // download.total} % of")
        size = download.total or download.received
        parts += [memory(size)] if size is not None else []
        if download.failure is None:
            parts.append("downloading…")
        else:
            parts.append(f"failed: {download.failure}" if download.failure else "complete")
        self._notice("download-bar", "  ".join(parts), {"url": "copy URL", "hide": "×"})

    # -- what the page asks ----------------------------------------------------------------------

    def _dialog(self) -> DialogView | None:
        """The dialog of the shown page, after READ_SECONDS."""
        store = self.app.store
        dialog = store.dialogs.get(store.active_profile)
        if dialog is None or store.page.active_tab not in (None, dialog.tab):
            return None
        return dialog if time.time() - dialog.opened >= READ_SECONDS else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "answer":
            return True
        if isinstance(self.screen.focused, Input):
            return False
        if parameters == ("files",):
            return self.app.store.page.chooser is not None
        dialog = self._dialog()
        is_prompt = dialog is not None and dialog.info.type == "prompt"
        return dialog is not None and (parameters != ("text",) or is_prompt)

    def action_answer(self, answer: actions.page.Answer) -> None:
        self.app.start(actions.page.answer(self.app, answer))

    @on(NoticeBar.Answered)
    def _answered(self, event: NoticeBar.Answered) -> None:
        if event.answer == "now":
            self.app.past.leave()
            return
        self.app.start(actions.page.answer(self.app, event.answer))

    # -- the address and the tabs ----------------------------------------------------------------

    def action_go(self, where: actions.page.Way) -> None:
        self.app.start(actions.page.go(self.app, where))

    def action_pick(self) -> None:
        self.app.start(self._pick())

    async def _pick(self) -> None:
        ref = await actions.page.pick(self.app)
        if ref is not None:
            await self.find(lambda: ref)

    async def find(self, ref_of: Callable[[], str | None]) -> bool:
        """Move the cursor of the tree to a ref, as soon as it is known and in the tree."""
        if self.screen.maximized is not self:
            self.screen.minimize()
        await self.screen.run_action("pane('tree')")
        tree = self.query_one(SnapshotTreeView)
        for _ in range(FIND_TIMES):
            if (ref := ref_of()) is not None and tree.go_near_ref(ref):
                return True
            await asyncio.sleep(FIND_SECONDS)
        return False

    def action_step_tab(self, step: int) -> None:
        known = self.app.store.page
        if len(known.tabs) > 1:
            at = next((i for i, tab in enumerate(known.tabs) if tab.active), 0)
            self.app.start(
                actions.page.show_tab(self.app, known.tabs[(at + step) % len(known.tabs)].index)
            )

    def action_new_tab(self) -> None:
        self.app.start(actions.page.open_tab(self.app))

    def action_close_tab(self) -> None:
        index = self.app.store.page.active_tab
        if index is not None:
            self.app.start(actions.page.close_tab(self.app, index))

    @on(PageBar.Pressed)
    def _pressed(self, event: PageBar.Pressed) -> None:
        if event.button == "address":
            self.app.start(actions.page.go_to_url(self.app))
        elif event.button == "new_tab":
            self.action_new_tab()
        else:
            self.action_go(event.button)

    @on(PageBar.TabChosen)
    def _show_tab(self, event: PageBar.TabChosen) -> None:
        if event.index != self.app.store.page.active_tab:
            self.app.start(actions.page.show_tab(self.app, event.index))

    @on(PageBar.TabClosed)
    def _close_tab(self, event: PageBar.TabClosed) -> None:
        self.app.start(actions.page.close_tab(self.app, event.index))
