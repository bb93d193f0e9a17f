"""The panel's app: wires the controller, the screens, themes and keys. It does not do the work."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Coroutine
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import Notification, Notify
from textual.screen import Screen
from textual.worker import Worker

from pwtui.app import actions
from pwtui.app.past import PastKeeper
from pwtui.app.screens.main import MainScreen
from pwtui.app.settings import DEFAULT_THEME, Settings, load_keymap, themes_folder
from pwtui.app.store import Store
from pwtui.app.terminal_notices import TerminalNotices, sequence
from pwtui.app.type_ahead import KeyHandled, TypeAhead
from pwtui.protocol.secrets import MASK, has_masked_value, mask_text
from pwtui.protocol.snapshot import SnapshotTree
from pwtui.state.workspace import Workspace, normalise_profile_name
from pwtui.themes import bundled_themes, themes_in
from pwtui.widgets.dialogs import Choice, ChoiceDialog, PromptDialog
from pwtui.widgets.text import plain

if TYPE_CHECKING:
    from pwtui.app.controller import Controller
    from pwtui.app.custom_actions import CustomAction
    from pwtui.protocol.envelope import Request, Response

PROBLEM_SECONDS = 20.0


class PanelApp(App[None]):
    """The control panel."""

    TITLE = "pwtui"
    ENABLE_COMMAND_PALETTE = False
    # Not on the screen: when it is shown, all CSS would be parsed again.
    CSS_PATH = "screens/main.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "palette", "palette", show=False, id="palette", priority=True),
        Binding("colon", "command", "keyword", key_display=":", id="command"),
        Binding("ctrl+r", "history", "history", show=False, id="history"),
        Binding("ctrl+t", "themes", "themes", show=False, id="themes"),
        Binding("ctrl+y", "relay", "relay", show=False, id="relay"),
        Binding(
            "V",
            "read_only",
            "read-only",
            show=False,
            tooltip="let nothing act from here",
            id="read-only",
        ),
        Binding("question_mark", "help", "keys", key_display="?", show=False, id="help"),
        Binding("Q,ctrl+q", "quit", "quit", key_display="Q", id="quit", priority=True),
        Binding("ctrl+c", "copy_or_cancel", "cancel", show=False, id="cancel"),
    ]

    def __init__(
        self,
        workspace: Workspace,
        profile: str = "default",
        *,
        first_url: str | None = None,
        read_only: bool = False,
    ) -> None:
        super().__init__()
        self.settings = Settings()
        self.store = Store(normalise_profile_name(profile), str(workspace.root))
        self.store.is_read_only = read_only
        self.past = PastKeeper(self.store)
        self._workspace = workspace
        self.acting_on: dict[str, SnapshotTree | None] = {}
        """The refs that an operation acted on, with their tree; None while it runs."""
        self.own_theme_names: list[str] = []
        self.custom_actions: list[CustomAction] = []
        self._first_url = first_url
        self._type_ahead = TypeAhead(self, super().on_event)
        self._failures: dict[tuple[str, str], tuple[Notification, int]] = {}
        self._theme_problems = self._load_themes()
        self._terminal_notices = TerminalNotices(
            self.store,
            lambda: self.settings.now.notifications,
            lambda: not self.app_focus,
        )
        self._terminal_notices.write = self._write_notice

    @cached_property
    def controller(self) -> Controller:
        from pwtui.app.controller import Controller

        return Controller(self._workspace, self.store, self.settings, self.past)

    def get_default_screen(self) -> Screen[None]:
        return MainScreen()

    def refresh_css(self, animate: bool = True) -> None:
        if self.screen_stack:
            super().refresh_css(animate)
        else:  # the theme was set: with the first screen, all CSS will be parsed
            self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        keymap, problems = load_keymap()
        if keymap:
            self.set_keymap(keymap)
        self._report([*self._theme_problems, self.settings.problem, *problems])
        self.run_worker(self._type_ahead.run(), group="keys")
        self.screen.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Start the background work, after the first paint."""
        self.start(self._run())
        self._watch_themes()
        for ending in (signal.SIGTERM, signal.SIGHUP):  # as with Q, the terminal is restored
            asyncio.get_running_loop().add_signal_handler(ending, self._end, ending)

    def _end(self, ending: signal.Signals) -> None:
        if ending is signal.SIGHUP and self._driver is not None:
            # Textual's thread that writes ends with the terminal, and writes would wait for it.
            self._driver.write = lambda data: None  # type: ignore[method-assign]
        self.exit(return_code=128 + ending)

    async def _run(self) -> None:
        # Threads load modules, and read and write the terminal: let all run sooner.
        sys.setswitchinterval(0.001)
        await asyncio.to_thread(import_module, "pwtui.app.controller")
        # Exclude the objects made so far, without a collection, which would delay keys.
        gc.freeze()
        gc.set_threshold(5_000, 10, 100)  # a full collection takes 50 ms beside a live picture
        gc.enable()
        if isinstance(self.screen, MainScreen):
            self._report(actions.custom.bind_custom_actions(self, self.screen))
        if self._first_url is not None:
            await self.controller.observe_page()  # or its first request might be missed
            self.send(self.controller.request("navigate", {"url": self._first_url}))
        await self.controller.run()

    def on_unmount(self) -> None:
        self.settings.close()

    # -- keys ------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._type_ahead.add(event)
        elif isinstance(event, KeyHandled):
            event.arrived.set()
        else:
            if isinstance(event, events.MouseDown | events.Click):
                self._type_ahead.unsettle()
            await super().on_event(event)

    @property
    def is_typing(self) -> bool:
        """Whether the user presses keys, which come before what can wait."""
        return self._type_ahead.is_typing

    def opening(self) -> AbstractContextManager[None]:
        """While a screen is prepared: keys wait for it, for a moment."""
        return self._type_ahead.opening()

    def simulate_key(self, key: str) -> None:
        """Handle the key before the keys in the queue."""
        self._type_ahead.add(events.Key(key, None), first=True)

    # -- sending ---------------------------------------------------------------------------------

    def start(self, work: Coroutine[Any, Any, object]) -> Worker[object]:
        """Run an action in the background."""
        return self.run_worker(work, exit_on_error=False)

    def send(self, request: Request) -> None:
        self.start(self.perform(request))

    async def perform(self, request: Request) -> Response | None:
        """Send a request and show a failure as a toast. None if it was not sent."""
        whole = await self._with_secrets(request)
        if whole is None:
            return None
        response = await self.controller.send(whole)
        self.show_failure(response)
        return response

    def refuses(self, op: str) -> bool:
        """Report that an operation would not be sent, before the user enters its values."""
        refusal = self.controller.refusal(self.controller.request(op))
        if refusal is not None:
            from pwtui.protocol.envelope import Response

            self.show_failure(Response.failure(op, refusal))
        return refusal is not None

    async def _with_secrets(self, request: Request) -> Request | None:
        """The request with its masked values, which the user types again; None if cancelled."""
        input = dict(request.input)
        for name, value in request.input.items():
            if isinstance(value, str) and (value == MASK or has_masked_value(value)):
                message = "" if value == MASK else plain(f"replaces {MASK} in {value}")
                prompt = PromptDialog(
                    f"{request.op}: {name}", message, placeholder="hidden", password=True
                )
                answer = await self.push_screen_wait(prompt)
                if answer is None:
                    return None
                input[name] = value.replace(MASK, answer)
        return request.model_copy(update={"input": input})

    def show_failure(self, response: Response) -> None:
        """Show an error as a toast, unless the detail shows it. Repeated errors are counted."""
        error = response.error
        main = next((each for each in self.screen_stack if isinstance(each, MainScreen)), None)
        if error is None or (main is not None and main.shows_newest):
            return
        title, message = f"{response.op}: {error.code}", plain(str(error))
        known, count = self._failures.get((title, message), (None, 0))
        if known is None or known.has_expired:
            count = 0
        else:
            self._unnotify(known)
        counted = f"{title} ×{count + 1}" if count else title
        toast = Notification(message, counted, severity="error", timeout=8, markup=False)
        self._failures = {(title, message): (toast, count + 1)}
        self.post_message(Notify(toast))

    def action_read_only(self) -> None:
        """Let nothing act from this panel, or everything again."""
        store = self.store
        store.set_read_only(not store.is_read_only)
        now = "The panel is read-only" if store.is_read_only else "The panel can act again"
        self.notify(now, timeout=3, markup=False)
        self.screen.refresh_bindings()

    def action_custom(self, index: int) -> None:
        """Run one of the user's own actions."""
        if isinstance(self.screen, MainScreen):
            self.start(
                actions.custom.run_custom_action(self, self.screen, self.custom_actions[index])
            )

    # -- screens ---------------------------------------------------------------------------------

    def action_palette(self) -> None:
        from pwtui.app.screens.palette import PaletteScreen

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen())

    def action_command(self) -> None:
        from pwtui.app.screens.command import CommandScreen

        self.push_screen(CommandScreen())

    def action_history(self) -> None:
        from pwtui.app.screens.palette import HistoryScreen

        self.push_screen(HistoryScreen())

    def open_operation(self, request: Request) -> None:
        from pwtui.app.screens.operation import OperationScreen

        self.push_screen(OperationScreen(request))

    def action_relay(self) -> None:
        from pwtui.app.screens.relay import RelayScreen

        self.push_screen(RelayScreen())

    def action_help(self) -> None:
        from pwtui.app.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    def action_copy_or_cancel(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            actions.output.copy_text(self, selected)
        elif isinstance(self.screen, MainScreen):
            self.start(actions.page.cancel_requests(self, own_only=True))

    def use_notifications(self, kind: str) -> None:
        """Let the terminal show notices while it does not have the focus, or not."""
        self.settings.set_notifications(kind)
        if kind != "off":
            self._write_notice(sequence(kind, "notifications are on"))

    def _write_notice(self, text: str) -> None:
        if self._driver is not None and text:
            self._driver.write(text)

    def _fatal_error(self) -> None:
        """Exit after an exception; Textual would print it with the values of all variables."""
        import traceback

        from pwtui.state.files import write_atomic
        from pwtui.state.paths import user_state_dir

        lines = traceback.format_exc().splitlines()
        text = [f"pwtui has exited because of an internal error: {plain(lines[-1])}"]
        path = user_state_dir() / "panel-error.log"
        with suppress(OSError):
            details = mask_text("\n".join(lines))
            write_atomic(path, details.encode("utf-8", "replace"), private=True)
            text.append(f"The details are in {path}. The daemon and its browsers keep running.")
        self.panic(Text("\n".join(text)))

    # -- themes ----------------------------------------------------------------------------------

    @work(group="themes", exit_on_error=False)
    async def action_themes(self) -> None:
        choices = [
            Choice(name, name, help="current" if name == self.theme else "")
            for name in self.own_theme_names
        ]
        chosen = await self.push_screen_wait(ChoiceDialog("Theme", choices))
        if chosen is not None:
            self.use_theme(chosen)

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.settings.set_theme(name)

    def _load_themes(self) -> list[str]:
        """Register the themes, and use the chosen one; returns the problems of their files."""
        mine, problems = themes_in(themes_folder())
        self.own_theme_names = []
        for theme in (*bundled_themes(), *mine):
            self.register_theme(theme)
            self.own_theme_names.append(theme.name)
        wanted = self.settings.now.theme
        self.theme = wanted if wanted in self.available_themes else DEFAULT_THEME
        return problems

    def _report(self, problems: list[str]) -> None:
        """Show one toast per file."""
        files: dict[str, list[str]] = {}
        for problem in filter(None, problems):
            files.setdefault(problem.partition(": ")[0], []).append(problem)
        for found in files.values():
            text = found[0] if len(found) == 1 else f"{found[0]} (and {len(found) - 1} more)"
            self.notify(plain(text), severity="warning", timeout=PROBLEM_SECONDS, markup=False)

    @work(group="themes-watch", exit_on_error=False)
    async def _watch_themes(self) -> None:
        """Reload the user's themes when a file changes."""
        from watchfiles import awatch

        folder = themes_folder()
        if not folder.is_dir():
            return
        async for _ in awatch(folder, rust_timeout=1000):
            current = self.theme
            self._report(self._load_themes())
            self.theme = DEFAULT_THEME if current != DEFAULT_THEME else "graphite"
            self.theme = current
