"""Extensions, their targets and their clients, and which events each client gets."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from pwtui.relay.client import Client
from pwtui.relay.extension_connection import CdpError, Extension
from pwtui.relay.overrides import Overrides
from pwtui.relay.steps import Step
from pwtui.relay.targets import Context, Subscription, Target
from pwtui.relay.trace import Trace

log = logging.getLogger(__name__)

REPLACED = 4001
NORMAL = 1000
URL_TRIES = 20
URL_PAUSE_SECONDS = 0.05


class NoExtension(Exception):
    """No extension, or no single one, is meant."""


class Hub:
    """The state of a relay."""

    def __init__(self, trace: Trace, *, separate_window: bool = False) -> None:
        self.trace = trace
        self.separate_window = separate_window
        self.extensions: dict[str, Extension] = {}
        self.clients: dict[str, Client] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._observers: dict[str, Callable[[Extension, str | None, dict[str, Any]], bool]] = {
            "Target.attachedToTarget": self._attached,
            "Target.detachedFromTarget": self._detached,
            "Target.targetInfoChanged": self._info_changed,
            "Runtime.executionContextCreated": self._context_created,
            "Runtime.executionContextDestroyed": self._context_destroyed,
            "Runtime.executionContextsCleared": self._contexts_cleared,
            "Page.frameNavigated": self._navigated,
            "Page.navigatedWithinDocument": self._navigated_within,
            "Page.javascriptDialogOpening": self._dialog_opened,
            "Page.javascriptDialogClosed": self._dialog_closed,
            "Page.downloadWillBegin": self._download_begins,
            "Page.downloadProgress": self._download_goes_on,
            "Inspector.targetCrashed": self._crashed,
            "Inspector.targetReloadedAfterCrash": self._recovered,
            "Relay.note": self._noted,
            "Relay.detached": self._detached_by_chrome,
        }

    # Extensions and clients

    def add_extension(self, extension: Extension) -> None:
        if (old := self.extensions.get(extension.id)) is not None:
            self.remove_extension(old)
            old.close(REPLACED, "Extension Replaced")
        self.extensions[extension.id] = extension
        self.spawn(self._set_mode(extension))
        log.info("extension %s connected: %s", extension.id, extension.info.browser)

    def remove_extension(self, extension: Extension) -> None:
        extension.gone()
        if self.extensions.get(extension.id) is not extension:
            return
        del self.extensions[extension.id]
        log.info("extension %s disconnected", extension.id)
        for client in [c for c in self.clients.values() if c.extension is extension]:
            client.close(NORMAL, "Extension disconnected")

    def choose(self, wanted: str | None) -> Extension:
        """The extension for a client: the one it names, the only one, or the only one with tabs."""
        if wanted is not None:
            if wanted in self.extensions:
                return self.extensions[wanted]
            raise NoExtension(f"No extension {wanted} is connected")
        candidates = list(self.extensions.values())
        if len(candidates) > 1:
            candidates = [each for each in candidates if each.tabs]
        if len(candidates) == 1:
            return candidates[0]
        raise NoExtension(
            "Multiple extensions connected: name one with ?extension="
            if self.extensions
            else "Extension not connected: click the pwtui button on a tab, or run `pw relay open`"
        )

    def add_client(self, client: Client) -> None:
        self.clients[client.id] = client
        log.info("client %s connected", client.id)

    def remove_client(self, client: Client) -> None:
        if self.clients.pop(client.id, None) is None:
            return
        log.info("client %s left", client.id)
        for subscription in list(client.sessions.values()):
            self.unsubscribe(subscription)
        self.trace.client_left(client)

    async def set_window_mode(self, *, separate: bool) -> None:
        self.separate_window = separate
        await asyncio.gather(*(self._set_mode(each) for each in self.extensions.values()))

    async def _set_mode(self, extension: Extension) -> None:
        await extension.request("setWindowMode", {"separateWindow": self.separate_window})

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something beside the reading of frames; a failure is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("%s", error, exc_info=None if isinstance(error, CdpError) else error)

    # Subscriptions

    def announce(self, client: Client, target: Target, parent: Subscription | None = None) -> None:
        """Tell a client of a target that it may use from now on; once for each target."""
        if target.session in client.sessions:
            return
        client.attach(target, target.session)
        params = {
            "sessionId": target.session,
            "targetInfo": {**target.info, "attached": True},
            "waitingForDebugger": target.waiting,
        }
        _tell(client, parent, "Target.attachedToTarget", params)
        client.reach(target, Step.ATTACHED)

    def unsubscribe(self, subscription: Subscription) -> None:
        """A client leaves a target; what it switched on there does not stay behind it."""
        target, extension = subscription.target, subscription.client.extension
        subscription.client.sessions.pop(subscription.session, None)
        target.subscriptions.remove(subscription)
        if target.session not in extension.targets:
            return
        if not target.subscriptions:
            if target.is_tab:
                self._forget_inside(extension, target)
                self.spawn(extension.request("resetTab", {"sessionId": target.session}))
            return
        for domain in subscription.domains:
            if not target.is_enabled(domain):
                self.spawn(extension.command(target.session, f"{domain}.disable"))
        for message in target.overrides.leave(subscription):
            extension.send(target.session, message)
        if target.dialog is not None:
            params, client = target.dialog
            if client is subscription.client and client not in target.clients("Page"):
                self._offer_dialog(target, params)
        for script in subscription.scripts:
            method = "Page.removeScriptToEvaluateOnNewDocument"
            self.spawn(extension.command(target.session, method, {"identifier": script}))

    def _forget_inside(self, extension: Extension, tab: Target) -> None:
        """A tab whose debugger begins anew has no contexts yet, and no frames of their own."""
        tab.contexts.clear()
        tab.sent_once.clear()
        tab.overrides = Overrides()
        tab.dialog = None
        for child in [t for t in extension.targets.values() if _is_inside(t, tab)]:
            del extension.targets[child.session]

    # Events of extensions

    def on_event(self, extension: Extension, method: str, session: str | None, params: str) -> None:
        """Pass an event on, in the order in which it came."""
        observer = self._observers.get(method)
        if observer is not None and not observer(extension, session, json.loads(params)):
            return
        target = extension.targets.get(session or "")
        if target is not None:
            for subscription in target.listeners(method.partition(".")[0]):
                subscription.tell(method, params)

    def _attached(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        parent = extension.targets.get(session) if session else None
        if session and parent is None:
            return False
        if parent is not None and params["targetInfo"].get("type") == "service_worker":
            self.spawn(self._let_go(extension, parent, str(params["sessionId"])))
            return False
        target = Target(str(params["sessionId"]), params["targetInfo"], parent)
        target.waiting = bool(params.get("waitingForDebugger"))
        extension.targets[target.session] = target
        if target.is_tab and not _has_url(target):
            self.spawn(self._repair_url(extension, target))
        else:
            self._announce_new(extension, target)
        return False

    async def _let_go(self, extension: Extension, parent: Target, session: str) -> None:
        """No client uses a service worker through a page: unless it is resumed it never starts."""
        # First the answer: a session that ends takes with it what the worker has not read yet.
        await extension.command(session, "Runtime.runIfWaitingForDebugger")
        await extension.command(parent.session, "Target.detachFromTarget", {"sessionId": session})

    def _announce_new(self, extension: Extension, target: Target) -> None:
        target.announced.set()
        if target.parent is not None:
            for subscription in list(target.parent.subscriptions):
                if subscription.auto_attach:
                    self.announce(subscription.client, target, subscription)
        for client in self.clients.values():
            if client.extension is not extension or not target.is_tab:
                continue
            if client.discover:
                client.tell("Target.targetCreated", None, {"targetInfo": target.info})
            if client.auto_attach:
                self.announce(client, target)

        # A client that comes later finds it running.
        target.waiting = False

    async def announced(self, extension: Extension, target_id: str) -> None:
        """Wait until clients know of a target that was just opened."""
        if (target := extension.find(target_id)) is not None:
            await target.announced.wait()

    async def _repair_url(self, extension: Extension, target: Target) -> None:
        """A page that is announced with an empty URL never works in Playwright: ask again."""
        for _ in range(URL_TRIES):
            answer = await extension.command(target.session, "Target.getTargetInfo")
            target.info.update(answer["targetInfo"])
            if _has_url(target):
                break
            await asyncio.sleep(URL_PAUSE_SECONDS)
        repaired = _has_url(target)
        if not repaired:
            target.info["url"] = "about:blank"
        self.trace.note(
            "info" if repaired else "warning",
            f"target {target.id} had an empty URL when it was attached; "
            + (f"asked again: {target.url}" if repaired else "announced as about:blank"),
        )
        if target.session in extension.targets:
            self._announce_new(extension, target)

    def _detached(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        target = extension.targets.pop(str(params.get("sessionId")), None)
        if target is None:
            return False
        if target.is_tab:
            extension.last_detached = target
        for child in [t for t in extension.targets.values() if t.parent is target]:
            self._detached(extension, target.session, {"sessionId": child.session})
        for subscription in list(target.subscriptions):
            client = subscription.client
            client.sessions.pop(subscription.session, None)
            client.ended_sessions.append(subscription.session)
            client.targets.pop(target.session, None)
            gone = {"sessionId": subscription.session, "targetId": target.id}
            parent = client.sessions.get(target.parent.session) if target.parent else None
            _tell(client, parent, "Target.detachedFromTarget", gone)
        target.subscriptions.clear()
        for client in self.clients.values():
            if client.discover and client.extension is extension and target.is_tab:
                client.tell("Target.targetDestroyed", None, {"targetId": target.id})
        return False

    def _info_changed(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        info = params["targetInfo"]
        if (target := extension.find(str(info["targetId"]))) is not None:
            target.info.update(info)
        for client in self.clients.values():
            if client.discover and client.extension is extension:
                client.tell("Target.targetInfoChanged", None, params)
        return False

    def _context_created(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        if (target := extension.targets.get(session or "")) is None:
            return False
        context = params["context"]
        is_default = bool((context.get("auxData") or {}).get("isDefault"))
        target.contexts[int(context["id"])] = Context(json.dumps(params), is_default)
        if is_default:
            for subscription in target.listeners("Runtime"):
                subscription.client.reach(target, Step.CONTEXT)
        return True

    def _context_destroyed(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            target.contexts.pop(int(params["executionContextId"]), None)
        return True

    def _contexts_cleared(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            target.contexts.clear()
        return True

    def _navigated(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        target, frame = extension.targets.get(session or ""), params["frame"]
        if target is not None and frame["id"] == target.id:
            target.info["url"] = frame["url"] + frame.get("urlFragment", "")
            target.crashed = False
        return True

    def _navigated_within(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        target = extension.targets.get(session or "")
        if target is not None and params["frameId"] == target.id:
            target.info["url"] = params["url"]
        return True

    def _dialog_opened(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            self._offer_dialog(target, json.dumps(params))
        return False

    def _offer_dialog(self, target: Target, params: str) -> None:
        """To one client: a Playwright without a handler dismisses what another is to answer.

        That is the client whose command is still running in the tab, as it opened the dialog, or
        else the one that sent the last command there.
        """
        clients = target.clients("Page")
        if not clients:
            target.dialog = None
            return
        client = max(clients, key=lambda each: _activity(each, target.tab))
        target.dialog = (params, client)
        for subscription in target.listeners("Page"):
            if subscription.client is client:
                subscription.tell("Page.javascriptDialogOpening", params)

    def _dialog_closed(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            target.dialog = None
        return True

    def _download_begins(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        self._tell_browser_session(extension, session, "Browser.downloadWillBegin", params)
        return True

    def _download_goes_on(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        self._tell_browser_session(extension, session, "Browser.downloadProgress", params)
        return True

    def _tell_browser_session(
        self, extension: Extension, session: str | None, method: str, params: dict[str, Any]
    ) -> None:
        """Playwright listens for downloads at the browser, which an extension cannot do."""
        if (target := extension.targets.get(session or "")) is not None:
            for client in {each.client for each in target.subscriptions}:
                client.tell(method, None, params)

    def _crashed(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            target.crashed = True
            target.contexts.clear()
            self.trace.note("warning", f"the page {target.url} crashed")
        return True

    def _recovered(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        if (target := extension.targets.get(session or "")) is not None:
            target.crashed = False
        return True

    def _detached_by_chrome(
        self, extension: Extension, session: str | None, params: dict[str, Any]
    ) -> bool:
        """The tab itself is still there."""
        known = extension.last_detached
        name = known.url if known is not None and known.id == params["targetId"] else "a tab"
        self.trace.note("warning", f"{name} was detached: {params['reason']}")
        return False

    def _noted(self, extension: Extension, session: str | None, params: dict[str, Any]) -> bool:
        self.trace.note("warning", str(params["message"]))
        return False


def _activity(client: Client, tab: Target) -> tuple[bool, int]:
    """Whether a command of the client is running in a tab, and the number of its last one."""
    there = [each for each in client.sessions.values() if each.target.tab is tab]
    return any(each.pending for each in there), max(each.last_command for each in there)


def _has_url(target: Target) -> bool:
    return target.url not in ("", ":")


def _is_inside(target: Target, tab: Target) -> bool:
    while target.parent is not None:
        target = target.parent
        if target is tab:
            return True
    return False


def _tell(client: Client, parent: Subscription | None, method: str, params: dict[str, Any]) -> None:
    """Of a tab at the browser, of what is inside it at its parent."""
    if parent is None:
        client.tell(method, None, params)
    else:
        parent.tell(method, json.dumps(params))
