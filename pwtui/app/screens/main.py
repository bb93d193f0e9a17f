"""The panel's main screen: profiles, sessions, daemon, page, log."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.css.query import NoMatches
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from pwtui.app.controller import Controller
from pwtui.app.node_actions import NodeAction, actions_for, default_action, input_for
from pwtui.app.node_values import ControlValues
from pwtui.app.pane_rows import (
    daemon_view,
    page_state,
    profile_rows,
    session_key,
    session_rows,
    status_text,
)
from pwtui.app.panes import (
    DaemonPane,
    FilterField,
    PagePane,
    PaneKeys,
    ProfilePane,
    SessionPane,
)
from pwtui.app.screens.reaches_panel import ReachesPanel
from pwtui.app.store import DialogView, Part
from pwtui.protocol.envelope import Request
from pwtui.protocol.secrets import has_mask, is_secret_label
from pwtui.protocol.snapshot import SnapshotNode, SnapshotTree
from pwtui.widgets.daemon_card import DaemonCard
from pwtui.widgets.dialog_bar import DialogBar
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.envelope_detail import EnvelopeDetail
from pwtui.widgets.envelope_log import EnvelopeLog
from pwtui.widgets.log_entry import LogEntry
from pwtui.widgets.profile_list import ProfileList
from pwtui.widgets.row_list import RowList
from pwtui.widgets.session_list import SessionList
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.splitter import Splitter
from pwtui.widgets.text import cut, plain
from pwtui.widgets.virtual_list import VirtualList

TICK_SECONDS = 0.5
PAINT_SECONDS = 1 / 10
COUNT_SECONDS = 0.4
RACING_PER_SECOND = 50
# A dialog that opens under typing fingers must not take a letter for its answer.
READ_SECONDS = 0.8
PANES = ("profiles", "sessions", "daemon", "tree", "log", "detail")
_TITLES = {
    "profiles": "1 Profiles",
    "sessions": "2 Sessions",
    "daemon": "3 Daemon",
    "page": "4 Page",
    "log": "5 Log",
    "detail": "6 Detail",
}


_PANES = {"profiles": "#profiles-pane", "sessions": "#sessions-pane", "log": "#log-pane"}
_ROWS = "words, all of which a row has"
_SEARCHES = {
    "profiles": _ROWS,
    "sessions": _ROWS,
    "tree": "words, role:button, is:interactive, !not, re:…",
    "log": "words, op:click, is:error, profile:x, !not, re:…",
    "detail": "a part of a line",
}

Filterable: TypeAlias = SnapshotTreeView | EnvelopeLog | RowList[Any]
Searchable: TypeAlias = SnapshotTreeView | EnvelopeLog | EnvelopeDetail


class MainScreen(ReachesPanel, Screen[None]):
    """Shows the store, and turns keys and clicks into envelopes."""

    CSS_PATH = "main.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = "#tree"
    ALLOW_IN_MAXIMIZED_VIEW = "#top, KeyBar"

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(n), f"pane('{name}')", name, show=False, id=f"pane.{name}")
            for n, name in enumerate(PANES, 1)
        ),
        Binding("slash", "filter", "filter", key_display="/", id="filter"),
        Binding("ctrl+f", "find", "find", show=False, id="find"),
        Binding("s", "snapshot", "snapshot", id="snapshot"),
        Binding("full_stop", "repeat", "repeat", key_display=".", id="repeat"),
        Binding("u", "open_url", "go to URL", id="goto"),
        Binding("z", "zoom", "zoom", id="zoom"),
        Binding("v", "picture", "picture", id="picture"),
        Binding(
            "less_than_sign", "resize('split-left', -1)", "narrower", show=False, id="narrower"
        ),
        Binding("greater_than_sign", "resize('split-left', 1)", "wider", show=False, id="wider"),
        Binding("left_curly_bracket", "resize('split-log', -1)", "lower", show=False, id="lower"),
        Binding("right_curly_bracket", "resize('split-log', 1)", "higher", show=False, id="higher"),
        Binding("equals_sign", "reset_splits", "reset sizes", show=False, id="reset-sizes"),
        Binding("R", "record", "record", id="record"),
        Binding("x", "export", "export", id="export"),
        Binding("ctrl+o", "jump", "jump", show=False, id="jump"),
        Binding("ctrl+x", "cancel_request", "cancel request", show=False, id="cancel-request"),
        Binding("escape", "back", "back", show=False, id="back"),
    ]

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.controller = controller
        self.store = controller.store
        self._dirty: set[Part] = set()
        self._painting = False
        self._painted_at = 0.0
        self._put_below_at: dict[str, tuple[str, float]] = {}
        self._acting: dict[str, SnapshotTree | None] = {}
        self._could_answer: DialogView | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static(id="status", markup=False)
            yield Static(id="ways-in")
        yield Static(id="tabs", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                with Vertical(id="profiles-pane", classes="pane"):
                    yield ProfilePane(id="profiles")
                    yield FilterField(_SEARCHES["profiles"], id="profiles-filter")
                with Vertical(id="sessions-pane", classes="pane"):
                    yield SessionPane(id="sessions")
                    yield FilterField(_SEARCHES["sessions"], id="sessions-filter")
                yield DaemonPane(id="daemon", classes="pane")
            yield Splitter("vertical", id="split-left", minimum=20, minimum_other=40)
            with Vertical(id="centre"):
                with Vertical(id="page", classes="pane"):
                    yield Static(id="address", markup=False)
                    yield DialogBar()
                    yield PagePane(id="tree")
                    yield FilterField(_SEARCHES["tree"], id="tree-filter")
                yield Splitter(
                    "horizontal", id="split-log", resizes="after", minimum=5, minimum_other=6
                )
                with Horizontal(id="bottom"):
                    with Vertical(id="log-pane", classes="pane"):
                        yield EnvelopeLog(self.store.log, id="log")
                        yield FilterField(_SEARCHES["log"], id="log-filter")
                    yield EnvelopeDetail(id="detail", classes="pane")
        yield PaneKeys()

    def on_mount(self) -> None:
        for name, title in _TITLES.items():
            self.query_one(_PANES.get(name, f"#{name}")).border_title = title
        for splitter in self.query(Splitter):
            splitter.position = self.controller.settings.now.splits.get(self._split_name(splitter))
        self.query_one("#ways-in", Static).update(self._ways_in())
        self.query_one(SnapshotTreeView).placeholder = "connecting to the daemon…"
        self._log = self.query_one(EnvelopeLog)
        self.store.changed.connect(self._changed)
        self.set_interval(TICK_SECONDS, self._tick)
        self._paint(*_ALL_PARTS)

    def on_unmount(self) -> None:
        self.store.changed.disconnect(self._changed)

    # -- the store's changes ----------------------------------------------------------------------

    def _changed(self, *parts: Part) -> None:
        """Many changes in one moment are one repaint, and a flood leaves time for keys."""
        self._dirty.update(parts)
        if not self._painting:
            self._painting = True
            wait = self._painted_at + PAINT_SECONDS - time.monotonic()
            if wait > 0:
                self.set_timer(wait, self._paint_dirty)
            else:
                self.call_later(self._paint_dirty)

    def _paint_dirty(self) -> None:
        self._painting = False
        self._painted_at = time.monotonic()
        parts, self._dirty = self._dirty, set()
        with suppress(NoMatches):  # at the end the panes go before their screen does
            self._paint(*parts)

    def _paint(self, *parts: Part) -> None:
        if "profiles" in parts:
            profiles = self.query_one(ProfileList)
            profiles.show(profile_rows(self.store))
            self._put_cursor(profiles, self.store.active_profile)
        if "sessions" in parts or "running" in parts:
            sessions, current = self.query_one(SessionList), self.store.active_profile
            is_known = self.store.own_sessions is not None
            sessions.empty_text = "no sessions" if is_known else "asking the daemon…"
            sessions.show(session_rows(self.store))
            if (session := self.store.session_of(current)) is not None:
                self._put_cursor(sessions, session_key(session))
        if "daemon" in parts:
            self.query_one(DaemonCard).show(*daemon_view(self.store))
        if "snapshot" in parts or "page" in parts:
            self._paint_page()
        self._paint_status()

    def _put_cursor(self, rows: ProfileList | SessionList, key: str) -> None:
        """On what is in use, while the list does not have the focus."""
        if self.focused is not rows:
            rows.move_to_key(key)

    def _paint_page(self) -> None:
        snapshot = self.store.snapshot
        tree = self.query_one(SnapshotTreeView)
        if tree.snapshot is not snapshot.tree or tree.is_stale != snapshot.is_stale:
            tree.show(snapshot.tree, url=snapshot.url, stale=snapshot.is_stale)
        tree.placeholder = self._page_hint()
        self._paint_dialog()
        self.query_one("#address", Static).update(self._address())

    def _paint_dialog(self) -> None:
        bar, dialog = self.query_one(DialogBar), self.store.dialogs.get(self.store.active_profile)
        if dialog is None:
            bar.hide()
        else:
            is_here = self.store.page.active_tab in (None, dialog.tab)
            bar.show(dialog.kind, dialog.message, tab=None if is_here else dialog.tab)
        self.refresh_bindings()

    def _answerable(self) -> DialogView | None:
        """The dialog of the page that is shown, once there was time to read it."""
        dialog = self.store.dialogs.get(self.store.active_profile)
        if dialog is None or self.store.page.active_tab not in (None, dialog.tab):
            return None
        return dialog if time.time() - dialog.opened >= READ_SECONDS else None

    def _page_hint(self) -> str:
        store = self.store
        if store.link != "connected":
            return store.link_problem or f"the daemon is {store.link}"
        if store.active_profile in store.ended or store.active_profile in store.dialogs:
            return page_state(store)
        if store.snapshot.nothing_open:
            return "no page yet: press u to go to a URL, or ctrl+p for all operations"
        return store.snapshot.problem or "looking at the page…"

    def _address(self) -> Content:
        snapshot, tabs = self.store.snapshot, self.store.page.tabs
        parts = [plain(snapshot.url or "no page")]
        if len(tabs) > 1:
            marks = " ".join(
                f"[{tab['index']}]" if tab.get("active") else str(tab["index"]) for tab in tabs
            )
            parts.insert(0, f"tabs {marks}")
        if snapshot.title:
            parts.append(plain(snapshot.title))
        return Content("   ".join(parts))

    def _ways_in(self) -> str:
        """The two keys that lead to all others, always in sight; the footer has no room for all."""
        bindings = {each.binding.action: each.binding for each in self.active_bindings.values()}
        return "  ".join(
            f"[@click=app.{name}][b]{self.app.get_key_display(bindings[name])}[/b] {name}[/]"
            for name in ("palette", "help")
            if name in bindings
        )

    def _paint_status(self) -> None:
        room = self.size.width - self.query_one("#ways-in").outer_size.width
        self._put("#status", plain(status_text(self.store, room)))
        shown = self._shown_pane()
        tabs = [
            f"[{title}]" if name == shown else f" {title} "
            for name, title in _TITLES.items()
            if name != "detail" or self.has_class("-detail")
        ]
        self._put("#tabs", " ".join(tabs))
        said = [self.query_one(SnapshotTreeView).summary(), page_state(self.store)]
        self._put_below("#page", " · ".join(filter(None, said)))
        self._put_below("#log-pane", self._log.summary())

    def _put_below(self, pane: str, text: str) -> None:
        """Show a text in a pane's lower border; drawing that anew draws the whole pane."""
        before, put_at = self._put_below_at.get(pane, ("", 0.0))
        if text == before:
            return
        now = time.monotonic()
        is_racing = max(self.store.rates(2)) > RACING_PER_SECOND
        if is_racing and now - put_at < COUNT_SECONDS:
            self._changed()  # a racing count cannot be read, but its end is not missed
            return
        self._put_below_at[pane] = (text, now)
        self.query_one(pane).border_subtitle = Content(text)

    def _put(self, line: str, text: str) -> None:
        """Show a text in one of the fixed lines, unless it stands there already."""
        static = self.query_one(line, Static)
        if str(static.content) != text:
            static.update(Content(text), layout=False)

    def _tick(self) -> None:
        """What grows older by itself: ages and running times."""
        self._paint_status()
        if self.store.ended:
            self._changed("sessions")
        if (answerable := self._answerable()) is not self._could_answer:
            self._could_answer = answerable
            self.refresh_bindings()
        self._changed("daemon")

    @property
    def shows_newest(self) -> bool:
        """Whether the detail shows what comes next, with all that a toast would say."""
        return self.has_class("-detail") and self._log.following

    # -- panes -----------------------------------------------------------------------------------

    def action_pane(self, name: str) -> None:
        if name == "detail":
            self.add_class("-detail")
        elif self.has_class("-narrow"):
            self.remove_class("-detail")
        self._show_pane("page" if name == "tree" else name)
        self.query_one(f"#{name}").focus()

    def _show_pane(self, name: str) -> None:
        """In a narrow window one pane is shown at a time."""
        for known in _TITLES:
            self.set_class(known == name, f"-pane-{known}")
        if name not in ("detail",):
            self.set_class(False, "-only-detail")
        self._paint_status()

    def _shown_pane(self) -> str:
        return next((name for name in _TITLES if self.has_class(f"-pane-{name}")), "page")

    def action_zoom(self) -> None:
        if self.maximized is not None:
            self.minimize()
            return
        around = self.focused.ancestors_with_self if self.focused else []
        for widget in around:
            if isinstance(widget, Widget) and widget.has_class("pane"):
                # Not `maximize`, which refuses what cannot have the focus itself.
                self.maximized = widget
                return

    def action_resize(self, splitter: str, steps: int) -> None:
        self.query_one(f"#{splitter}", Splitter).grow(steps)

    def action_reset_splits(self) -> None:
        for splitter in self.query(Splitter):
            splitter.reset()

    @on(Splitter.Moved)
    def _remember_split(self, event: Splitter.Moved) -> None:
        self.controller.settings.set_split(self._split_name(event.splitter), event.position)

    def _split_name(self, splitter: Splitter) -> str:
        return str(splitter.id)

    def action_back(self) -> None:
        """Close what is open on top: zoom, filter, detail."""
        if self.maximized is not None:
            self.minimize()
        elif opened := next(iter(self.query("FilterField.-open").results(FilterField)), None):
            self._close_filter(opened, clear=True)
        elif (pane := self._searched_pane()).search_text:
            self._search(pane, "")
        elif self.has_class("-detail") and self.query_one("#bottom").has_focus_within:
            self.remove_class("-detail")
            self._show_pane("log")
            self._log.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "filter":
            return self._focused_filter() is not None
        if action == "answer_dialog":
            dialog = self._answerable()
            return dialog is not None and (parameters != ("text",) or dialog.kind == "prompt")
        if action == "reopen":
            return self.store.active_profile in self.store.ended
        return True

    # -- filters ---------------------------------------------------------------------------------

    def action_filter(self) -> None:
        if (field := self._focused_filter()) is not None:
            field.add_class("-open")
            field.focus()

    def _focused_filter(self) -> FilterField | None:
        """The filter of the pane that has the focus; not every pane has one."""
        around = self.focused.ancestors_with_self if self.focused else self.query("#page")
        pane = next((each for each in around if each.has_class("pane")), None)
        return next(iter(pane.query(FilterField)), None) if pane is not None else None

    @on(Input.Changed, ".filter")
    def _filter_pane(self, event: Input.Changed) -> None:
        self._filtered_by(event.input).filter(event.value)

    def _filtered_by(self, field: Input) -> Filterable:
        pane = self.query_one(f"#{str(field.id).removesuffix('-filter')}")
        assert isinstance(pane, SnapshotTreeView | EnvelopeLog | RowList)
        return pane

    @on(Input.Submitted, ".filter")
    def _keep_filter(self, event: Input.Submitted) -> None:
        self._close_filter(event.input, clear=False)

    @on(SnapshotTreeView.FilterChanged)
    def _tree_filtered(self, event: SnapshotTreeView.FilterChanged) -> None:
        self.query_one("#tree-filter").set_class(bool(event.error), "-wrong")
        self._changed()

    @on(EnvelopeLog.FilterChanged)
    def _log_filtered(self, event: EnvelopeLog.FilterChanged) -> None:
        self.query_one("#log-filter").set_class(bool(event.problem), "-wrong")
        self._changed()

    @on(EnvelopeLog.FollowChanged)
    @on(EnvelopeLog.SelectionChanged)
    def _count_shown(self) -> None:
        self._changed()

    @work
    async def action_find(self) -> None:
        """Mark what matches and go to it; n and N go on from there."""
        pane = self._searched_pane()
        text = await self.app.push_screen_wait(
            PromptDialog(
                f"Find in the {pane.id}",
                value=pane.search_text,
                placeholder=_SEARCHES[str(pane.id)],
                accept="Find",
            )
        )
        if text is not None:
            self._search(pane, text)

    def _searched_pane(self) -> Searchable:
        if isinstance(self.focused, EnvelopeLog | EnvelopeDetail):
            return self.focused
        return self.query_one(SnapshotTreeView)

    def _search(self, pane: Searchable, text: str) -> None:
        pane.search(text)
        pane.focus()
        self._changed()

    @on(VirtualList.SearchMissed)
    def _tell_missed(self, event: VirtualList.SearchMissed) -> None:
        self.notify(f"nothing here matches {event.text}", timeout=3, markup=False)

    def _close_filter(self, field: Input, *, clear: bool) -> None:
        if clear or not field.value:
            field.value = ""
            field.remove_class("-open")
        self._filtered_by(field).focus()

    # -- the page --------------------------------------------------------------------------------

    def action_snapshot(self) -> None:
        self.controller.refresh_snapshot()

    def action_picture(self) -> None:
        from pwtui.app.screens.picture import PictureScreen

        ref = self.query_one(SnapshotTreeView).cursor_ref
        self.app.push_screen(PictureScreen(self.controller, ref))

    @on(SnapshotTreeView.RefChosen)
    def _act_on_ref(self, event: SnapshotTreeView.RefChosen) -> None:
        self._do(default_action(event.node), event.ref, event.node)

    @on(SnapshotTreeView.FillRequested)
    def _fill_ref(self, event: SnapshotTreeView.FillRequested) -> None:
        fill = NodeAction("f", "fill…", "fill", asks="text")
        self._do(fill, event.ref, event.node)

    @on(SnapshotTreeView.ActionsRequested)
    @work
    async def _choose_action(self, event: SnapshotTreeView.ActionsRequested) -> None:
        choices = [Choice(each, each.title, each.key) for each in actions_for(event.node)]
        title = f"{event.node.role} {event.node.name or ''} [{event.ref}]"
        dialog = ChoiceDialog(cut(plain(title), 50), choices, at=event.screen_offset)
        if (action := await self.app.push_screen_wait(dialog)) is not None:
            self._do(action, event.ref, event.node)

    @work
    async def _do(self, action: NodeAction, ref: str, node: SnapshotNode) -> None:
        if action.copies == "ref":
            self.panel.copy_text(ref)
            return
        if action.copies == "locator":
            response = await self.controller.ask("page.locator", ref=ref)
            if response.data is not None:
                self.panel.copy_text(response.data["selector"])
            else:
                self.panel.show_failure(response)
            return
        request = await self._request_for(action, ref, node)
        if request is None or self._is_acting(ref):
            return
        self._acting[ref] = self.store.snapshot.tree
        response = await self.panel.perform(request)
        moved = response.context_delta is not None and response.context_delta.url
        if not moved or moved == self.store.snapshot.url:
            self._acting.pop(ref, None)

    async def _request_for(
        self, action: NodeAction, ref: str, node: SnapshotNode
    ) -> Request | None:
        """The envelope of an action, after asking for what it needs; None when refused."""
        if action.asks in ("option", "number"):
            tree = self.store.snapshot.tree
            values = await ControlValues.find(self.controller, ref, node, tree)
            ask = values.ask_option if action.asks == "option" else values.ask_number
            return await ask(self.panel, self.controller)
        answer = None
        if action.asks is not None:
            is_secret = is_secret_label(node.name or "") or has_mask(node.text)
            prompt = PromptDialog(
                f"{action.op} {ref}",
                cut(plain(f"{node.role} {node.name or ''}"), 56),
                value="" if is_secret or action.asks != "text" else node.text or "",
                password=is_secret and action.asks == "text",
                placeholder="Enter, ArrowDown, Control+A" if action.asks == "key" else "",
            )
            answer = await self.app.push_screen_wait(prompt)
            if answer is None:
                return None
        return self.controller.request(action.op, input_for(action, ref, answer))

    def _is_acting(self, ref: str) -> bool:
        """Whether an action on it still runs, or led to a page that is not shown yet."""
        return ref in self._acting and self._acting[ref] is self.store.snapshot.tree

    @on(DialogBar.Answered)
    @work
    async def _answer_dialog(self, event: DialogBar.Answered) -> None:
        dialog = self.store.dialogs.get(self.store.active_profile)
        if dialog is None:
            return
        input: dict[str, Any] = {}
        if event.answer == "text":
            prompt = PromptDialog("Answer", dialog.message, value=dialog.default)
            text = await self.app.push_screen_wait(prompt)
            if text is None:
                return
            input["text"] = text
        op = "dialog.dismiss" if event.answer == "dismiss" else "dialog.accept"
        await self.panel.perform(self.controller.request(op, input))

    @on(PagePane.ReopenRequested)
    def _reopen(self) -> None:
        """Start the browser again that ended, with the page that was shown."""
        url = self.store.snapshot.url
        op, input = ("navigate", {"url": url}) if url else ("session.start", {})
        self.panel.send(self.controller.request(op, input))

    def action_repeat(self) -> None:
        if self.controller.last_action is not None:
            self.panel.send(self.controller.last_action)

    @work
    async def action_open_url(self) -> None:
        url = await self.app.push_screen_wait(
            PromptDialog("Go to", value=self.store.snapshot.url, placeholder="https://…")
        )
        if url:
            self.panel.send(self.controller.request("navigate", {"url": url}))

    async def action_cancel_request(self, own_only: bool = False) -> None:
        for running in list(self.store.running.values()):
            is_meant = not own_only or self.controller.is_own(running)
            if running.profile == self.store.active_profile and is_meant:
                await self.controller.cancel(running)

    # -- the log ---------------------------------------------------------------------------------

    @on(EnvelopeLog.EntryHighlighted)
    def _show_entry(self, event: EnvelopeLog.EntryHighlighted) -> None:
        if self.has_class("-detail"):
            self.query_one(EnvelopeDetail).show(event.entry)

    @on(EnvelopeLog.EntryOpened)
    def _open_entry(self, event: EnvelopeLog.EntryOpened) -> None:
        self.add_class("-detail")
        self._show_pane("detail")
        detail = self.query_one(EnvelopeDetail)
        detail.show(event.entry)
        detail.focus()

    @on(EnvelopeLog.RunAgainRequested)
    def _run_again(self, event: EnvelopeLog.RunAgainRequested) -> None:
        if not event.entry.is_event:
            self.panel.send(_as_request(event.entry))

    @on(EnvelopeLog.EditRequested)
    def _edit_entry(self, event: EnvelopeLog.EditRequested) -> None:
        if not event.entry.is_event:
            self.panel.open_operation(_as_request(event.entry))

    @on(VirtualList.CopyRequested)
    def _copy(self, event: VirtualList.CopyRequested) -> None:
        self.panel.copy_text(event.text)

    @on(EnvelopeDetail.ArtifactOpened)
    def _open_artifact(self, event: EnvelopeDetail.ArtifactOpened) -> None:
        self.panel.open_file(Path(event.path))

    # -- profiles, sessions, daemon --------------------------------------------------------------

    @on(ProfileList.Chosen)
    def _activate_profile(self, event: ProfileList.Chosen) -> None:
        self.controller.activate(event.key)

    @on(SessionList.Chosen)
    def _session_menu(self, event: SessionList.Chosen) -> None:
        self.panel.session_menu(event.key)

    def action_profile(self, action: str) -> None:
        self.panel.profile_action(action, self.query_one(ProfileList).cursor_key)

    def action_daemon(self, action: str) -> None:
        self.panel.daemon_action(action)

    # -- recording and export --------------------------------------------------------------------

    def action_record(self) -> None:
        self.panel.toggle_recording()

    def action_export(self) -> None:
        self.panel.export()

    def action_jump(self) -> None:
        self.panel.jump(self.query_one(SnapshotTreeView))


_ALL_PARTS: tuple[Part, ...] = ("profiles", "sessions", "daemon", "snapshot", "running", "page")


def _as_request(entry: LogEntry) -> Request:
    wire = {key: value for key, value in entry.request.items() if key != "requestId"}
    return Request.model_validate(wire)
