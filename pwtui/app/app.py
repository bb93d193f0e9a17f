"""The panel's app: wires the controller, the screens, themes and keys. It does not do the work."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from textual import events, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import Notification, Notify
from watchfiles import awatch

from pwtui.app.clipboard import copy
from pwtui.app.controller import Controller
from pwtui.app.export import ExportKind
from pwtui.app.pane_rows import port_of, session_key, session_name
from pwtui.app.screens.main import MainScreen
from pwtui.app.settings import DEFAULT_THEME, load_keymap, themes_folder
from pwtui.app.type_ahead import KeyHandled, TypeAhead
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.errors import PwError
from pwtui.protocol.secrets import MASK, has_masked_url
from pwtui.state.paths import daemon_log_file
from pwtui.state.workspace import Workspace, normalise_profile_name
from pwtui.themes import bundled_themes, themes_in
from pwtui.widgets.dialogs import Choice, ChoiceDialog, ConfirmDialog, PromptDialog
from pwtui.widgets.snapshot_tree import SnapshotTreeView
from pwtui.widgets.text import plain

# Long enough to be read by who looks at the page first.
PROBLEM_SECONDS = 20.0


class PanelApp(App[None]):
    """The control panel."""

    TITLE = "pwtui"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Toast { max-width: 80; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "palette", "palette", show=False, id="palette", priority=True),
        Binding("colon", "command", "keywords", key_display=":", id="command"),
        Binding("ctrl+r", "history", "history", show=False, id="history"),
        Binding("ctrl+t", "themes", "themes", show=False, id="themes"),
        Binding("ctrl+y", "relay", "relay", show=False, id="relay"),
        Binding("question_mark", "help", "help", key_display="?", show=False, id="help"),
        Binding("Q,ctrl+q", "quit", "quit", key_display="Q", id="quit", priority=True),
        Binding("ctrl+c", "copy_or_cancel", "cancel", show=False, id="cancel"),
    ]

    def __init__(
        self,
        workspace: Workspace,
        profile: str = "default",
        *,
        first_url: str | None = None,
    ) -> None:
        super().__init__()
        self.controller = Controller(workspace, normalise_profile_name(profile))
        self._first_url = first_url
        self._type_ahead = TypeAhead(self, super().on_event)
        self._failures: dict[tuple[str, str], tuple[Notification, int]] = {}
        self.own_theme_names: list[str] = []

    def on_mount(self) -> None:
        self._load_themes()
        keymap, problems = load_keymap()
        if keymap:
            self.set_keymap(keymap)
        self._report([self.controller.settings.problem, *problems])
        main = MainScreen(self.controller)
        self.push_screen(main)
        self.run_worker(self._type_ahead.run(), group="keys")
        main.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """What the panel works with, once there is something to see."""
        self._run_controller()
        self._watch_themes()
        if self._first_url is not None:
            self.send(self.controller.request("navigate", {"url": self._first_url}))

    def on_ready(self) -> None:
        # What is there now stays: no need to look through it again while keys are waiting.
        gc.collect()
        gc.freeze()
        gc.enable()
        # The terminal is read and written by threads, which shall not wait long for their turn.
        sys.setswitchinterval(0.001)

    def on_unmount(self) -> None:
        self.controller.settings.close()

    @work(group="controller", exit_on_error=False)
    async def _run_controller(self) -> None:
        await self.controller.run()

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

    def simulate_key(self, key: str) -> None:
        """Act as if the key had been typed before those that still wait."""
        self._type_ahead.add(events.Key(key, None), first=True)

    # -- sending ---------------------------------------------------------------------------------

    @work(group="send", exit_on_error=False)
    async def send(self, request: Request) -> None:
        """Send an envelope; what comes back shows in the log, and a failure also as a toast."""
        whole = await self._with_secrets(request)
        if whole is not None:
            await self.perform(whole)

    async def perform(self, request: Request) -> Response:
        response = await self.controller.send(request)
        self.show_failure(response)
        return response

    async def _with_secrets(self, request: Request) -> Request | None:
        """The request with what was masked in it, as the person types it again; None without."""
        input = dict(request.input)
        for name, value in request.input.items():
            if isinstance(value, str) and (value == MASK or has_masked_url(value)):
                message = "" if value == MASK else plain(f"in place of {MASK} in {value}")
                prompt = PromptDialog(
                    f"{request.op}: {name}", message, placeholder="not shown", password=True
                )
                answer = await self.push_screen_wait(prompt)
                if answer is None:
                    return None
                input[name] = value.replace(MASK, answer)
        return request.model_copy(update={"input": input})

    def show_failure(self, response: Response) -> None:
        """Say what failed, once: not beside the detail that says it, and repeats are counted."""
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
        counted = f"{title} ×{count + 1}" if count else title  # noqa: RUF001
        toast = Notification(message, counted, severity="error", timeout=8, markup=False)
        self._failures = {(title, message): (toast, count + 1)}
        self.post_message(Notify(toast))

    def action_palette(self) -> None:
        from pwtui.app.screens.palette import PaletteScreen

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(self.controller))

    def action_command(self) -> None:
        from pwtui.app.screens.command import CommandScreen

        self.push_screen(CommandScreen(self.controller))

    def action_history(self) -> None:
        from pwtui.app.screens.palette import HistoryScreen

        self.push_screen(HistoryScreen(self.controller))

    def open_operation(self, request: Request) -> None:
        from pwtui.app.screens.operation import OperationScreen

        self.push_screen(OperationScreen(self.controller, request))

    def action_relay(self) -> None:
        from pwtui.app.screens.relay import RelayScreen

        self.push_screen(RelayScreen(self.controller))

    def action_help(self) -> None:
        from pwtui.app.screens.help import HelpScreen

        self.push_screen(HelpScreen(self.screen))

    # -- getting things out ----------------------------------------------------------------------

    def copy_text(self, text: str) -> None:
        try:
            where = copy(text, self.copy_to_clipboard)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.notify(f"copied to {where}", timeout=2, markup=False)

    def open_file(self, path: Path) -> None:
        """Show an artifact with whatever the system opens such files with."""
        opener = "open" if sys.platform == "darwin" else "xdg-open"
        has_display = sys.platform == "darwin" or os.environ.get("DISPLAY")
        if not has_display:
            self.copy_text(str(path))
            return
        try:
            subprocess.Popen(
                [opener, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        except OSError:
            self.copy_text(str(path))

    def toggle_recording(self) -> None:
        stopped = self.controller.stop_recording()
        if stopped is not None:
            self.notify(f"recorded to {stopped}", markup=False)
        else:
            self.notify(f"recording to {self.controller.start_recording()}", markup=False)

    @work(group="export", exit_on_error=False)
    async def export(self) -> None:
        """Ask what and where, then write it."""
        log = self.controller.store.log
        selected, filtered, everything = log.selection(), log.shown(), log.entries
        entries = selected or filtered
        what = "selected" if selected else "shown" if len(filtered) < len(everything) else "all"
        kinds: list[Choice[tuple[ExportKind, bool]]] = [
            Choice(("requests", False), f"{what} requests, for pw batch", "r"),
            Choice(("pairs", False), f"{what} requests with responses", "p"),
            Choice(("requests", True), "requests with secrets in clear", "s", is_dangerous=True),
        ]
        kind = await self.push_screen_wait(ChoiceDialog("Export NDJSON", kinds))
        if kind is None:
            return
        target = await self.push_screen_wait(
            PromptDialog("Export to", value="session.ndjson", placeholder="file.ndjson")
        )
        if not target:
            return
        path = Path.cwd() / Path(target).expanduser()
        try:
            count = self.controller.export(path, entries, kind[0], with_secrets=kind[1])
        except OSError as error:
            self.notify(f"{path}: {error.strerror}", severity="error", markup=False)
            return
        self.notify(f"{count} lines in {path}", markup=False)

    # -- profiles, sessions, daemon --------------------------------------------------------------

    @work(group="profiles", exit_on_error=False)
    async def profile_action(self, action: str, name: str | None) -> None:
        controller = self.controller
        name = name or controller.store.active_profile
        if action == "edit":
            from pwtui.app.screens.profile_editor import ProfileEditor

            self.push_screen(ProfileEditor(controller, name))
        elif action == "start":
            self.send(controller.request("session.start", profile=name))
        elif action == "delete":
            await self._delete_profile(name)
        else:
            await self._name_profile(action, name)

    async def _delete_profile(self, name: str) -> None:
        folder = self.controller.profiles.folder(name)
        losses = [path.name for path in sorted(folder.iterdir())] if folder.is_dir() else []
        session = self.controller.store.session_of(name)
        if session is not None:
            losses = [_browser_of(session), *_pages_of(session), *losses]
        dialog = ConfirmDialog(
            f"Delete profile {name}?", "This is lost:", losses=losses, confirm="Delete"
        )
        if not await self.push_screen_wait(dialog):
            return
        if session is None or await self._stop(name):
            request = self.controller.request("profile.delete", {"name": name})
            if not (response := await self.controller.send(request)).ok:
                self.show_failure(response)

    async def _name_profile(self, action: str, name: str) -> None:
        """Create a profile, or copy or rename one, under a name that the person gives."""
        op, title, value = {
            "new": ("profile.create", "New profile", ""),
            "duplicate": ("profile.copy", f"Copy {name} as", f"{name}-copy"),
            "rename": ("profile.rename", f"Rename {name}", name),
        }[action]
        given = await self.push_screen_wait(
            PromptDialog(
                title,
                value=value,
                placeholder="name",
                validate=lambda text: self._name_problem(text, name if action == "rename" else ""),
                note=_stored_as,
            )
        )
        if not given or (action == "rename" and normalise_profile_name(given) == name):
            return
        controller = self.controller
        input = {"name": given} if action == "new" else {"name": name, "to": given}
        if action == "rename" and not await self._stop_browser(name):
            return
        response = await controller.send(controller.request(op, input))
        if not response.ok:
            self.show_failure(response)
        elif action != "rename" or name == controller.store.active_profile:
            controller.activate(normalise_profile_name(given))

    async def _stop_browser(self, profile: str) -> bool:
        """Ask before the browser of a profile is stopped; True when none is left."""
        session = self.controller.store.session_of(profile)
        if session is None:
            return True
        dialog = ConfirmDialog(
            f"Stop {_browser_of(session)}?",
            f"It runs with profile {profile}, which can be renamed when it is stopped.",
            losses=_pages_of(session),
            confirm="Stop and rename",
        )
        if not await self.push_screen_wait(dialog):
            return False
        return await self._stop(profile)

    async def _stop(self, profile: str) -> bool:
        stopped = await self.controller.send(
            self.controller.request("session.stop", profile=profile)
        )
        if not stopped.ok:
            self.show_failure(stopped)
        return stopped.ok

    def _name_problem(self, text: str, own: str = "") -> str | None:
        try:
            name = normalise_profile_name(text)
        except PwError as error:
            return str(error)
        exists = name != own and self.controller.profiles.exists(name)
        return f"there is a profile {name}" if exists else None

    @work(group="sessions", exit_on_error=False)
    async def session_menu(self, key: str) -> None:
        store = self.controller.store
        ended = [each.session for each in store.ended.values() if each.session is not None]
        known = [*store.sessions, *ended]
        session = next((each for each in known if session_key(each) == key), None)
        if session is None:
            return
        choices = self._session_choices(session)
        if session in ended:
            choices = [Choice("start", "start it again", "o")]
        chosen = await self.push_screen_wait(ChoiceDialog(session_name(session), choices))
        if chosen is not None:
            await self._session_action(chosen, session)

    def _session_choices(self, session: dict[str, Any]) -> list[Choice[str]]:
        store = self.controller.store
        origin, cdp, ws = (session.get(each) for each in ("origin", "cdpEndpoint", "wsEndpoint"))
        choices: list[Choice[str]] = []
        if store.is_here(session):
            if session["profile"] != store.active_profile:
                choices.append(Choice("use", "make current", "c"))
            if session is store.session_of(session["profile"]) and session.get("attached"):
                choices.append(Choice("detach", f"detach {session['profile']} from it", "d"))
            elif session.get("pid"):
                choices.append(Choice("stop", "stop it", "x", is_dangerous=True))
        elif origin != "pwtui" and (cdp or ws):
            choices.append(Choice("attach", f"attach {store.active_profile} to it", "a"))
        if cdp:
            choices.append(Choice("copy-cdp", "copy CDP endpoint", "1"))
        if ws:
            choices.append(Choice("copy-ws", "copy Playwright endpoint", "2"))
        choices.append(Choice("inspect", "copy all as JSON", "i"))
        # The port of a relay is the relay's own, and a port may have changed hands.
        if origin == "cdp" and port_of(cdp) and session.get("ownerPid"):
            choices.append(Choice("kill", "end its process", "k", is_dangerous=True))
        return choices

    async def _session_action(self, action: str, session: dict[str, Any]) -> None:
        import json

        controller = self.controller
        cdp, ws, profile = (session.get(each) for each in ("cdpEndpoint", "wsEndpoint", "profile"))
        match action:
            case "use":
                controller.activate(str(profile))
            case "start":
                self.send(controller.request("session.start", profile=profile))
            case "stop":
                whose = {"pid": session["pid"]}
                self.send(controller.request("session.stop", whose, profile=profile))
            case "attach":
                await self._use_browser(str(cdp or ws))
            case "detach":
                # First leave the browser, then forget where it is.
                await self.perform(controller.request("session.stop", profile=profile))
                self.send(controller.request("connect", {"clear": True}, profile=profile))
            case "copy-cdp":
                self.copy_text(str(cdp))
            case "copy-ws":
                self.copy_text(str(ws))
            case "inspect":
                self.copy_text(json.dumps(session, indent=2, ensure_ascii=False))
            case "kill":
                dialog = ConfirmDialog("End this browser?", session_name(session), confirm="End it")
                if await self.push_screen_wait(dialog):
                    whose = {"port": port_of(cdp), "pid": session["ownerPid"]}
                    self.send(controller.request("connect", {"kill": True, **whose}))

    async def _use_browser(self, endpoint: str) -> None:
        """Use another browser from now on, and show its page at once."""
        controller = self.controller
        profile = controller.store.active_profile
        left = controller.store.session_of(profile)
        connected = await self.perform(
            controller.request("connect", {"endpoint": endpoint}, profile=profile)
        )
        if not connected.ok:
            return
        attached = await self.perform(controller.request("session.start", profile=profile))
        if attached.ok and left is not None:
            self.notify(
                f"{session_name(left)} still runs; stop it in Sessions",
                title=f"{profile} uses {endpoint} now",
                timeout=PROBLEM_SECONDS,
                markup=False,
            )

    @work(group="daemon", exit_on_error=False)
    async def daemon_action(self, action: str) -> None:
        match action:
            case "start":
                await self.controller.start_daemon()
            case "restart":
                await self.controller.restart_daemon()
            case "stop":
                own = self.controller.store.own_sessions or []
                ending = [session_name(each) for each in own if each.get("owner") == "daemon"]
                said = "These browsers end with it:" if ending else "No browser ends with it."
                dialog = ConfirmDialog("Stop the daemon?", said, losses=ending, confirm="Stop")
                if await self.push_screen_wait(dialog):
                    await self.controller.stop_daemon()
            case "logs":
                self.copy_text(str(daemon_log_file()))

    # -- themes ----------------------------------------------------------------------------------

    @work(group="themes", exit_on_error=False)
    async def action_themes(self) -> None:
        choices = [Choice(name, name) for name in self.own_theme_names]
        chosen = await self.push_screen_wait(ChoiceDialog("Theme", choices))
        if chosen is not None:
            self.use_theme(chosen)

    def use_theme(self, name: str) -> None:
        self.theme = name
        self.controller.settings.set_theme(name)

    def _load_themes(self) -> None:
        mine, problems = themes_in(themes_folder())
        self.own_theme_names = []
        for theme in (*bundled_themes(), *mine):
            self.register_theme(theme)
            self.own_theme_names.append(theme.name)
        self._report(problems)
        wanted = self.controller.settings.now.theme
        self.theme = wanted if wanted in self.available_themes else DEFAULT_THEME

    def _report(self, problems: list[str]) -> None:
        """One toast for the problems of a file."""
        files: dict[str, list[str]] = {}
        for problem in filter(None, problems):
            files.setdefault(problem.partition(": ")[0], []).append(problem)
        for found in files.values():
            text = found[0] if len(found) == 1 else f"{found[0]} (and {len(found) - 1} more)"
            self.notify(plain(text), severity="warning", timeout=PROBLEM_SECONDS, markup=False)

    @work(group="themes-watch", exit_on_error=False)
    async def _watch_themes(self) -> None:
        """A saved edit of the user's theme shows at once."""
        folder = themes_folder()
        if not folder.is_dir():
            return
        async for _ in awatch(folder, rust_timeout=1000):
            current = self.theme
            self._load_themes()
            self.theme = DEFAULT_THEME if current != DEFAULT_THEME else "graphite"
            self.theme = current

    # -- the rest --------------------------------------------------------------------------------

    def action_copy_or_cancel(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_text(selected)
        elif isinstance(self.screen, MainScreen):
            self.run_worker(self.screen.action_cancel_request(own_only=True), group="cancel")

    def jump(self, tree: SnapshotTreeView) -> None:
        from pwtui.app.screens.jump import JumpScreen

        self.push_screen(JumpScreen(self.screen, tree))


def _stored_as(name: str) -> str:
    """What a name becomes, where it is not stored as typed."""
    stored = normalise_profile_name(name)
    return f"stored as {stored}" if stored != name else ""


def _browser_of(session: Mapping[str, Any]) -> str:
    return f"{session.get('browser') or 'browser'} (pid {session.get('pid') or 'unknown'})"


def _pages_of(session: Mapping[str, Any]) -> list[str]:
    return [str(page.get("url")) for page in session.get("pages") or ()]
