"""The state of the relay: extensions, their targets and clients; routes events to clients."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from pwtui.relay.access import Refused
from pwtui.relay.client import RelayClient
from pwtui.relay.extension_connection import CdpError, ExtensionConnection
from pwtui.relay.overrides import EmulationOverrides
from pwtui.relay.steps import ConnectionStep
from pwtui.relay.targets import JavaScriptContext, RelayTarget, Subscription
from pwtui.relay.trace import Trace

log = logging.getLogger(__name__)

REPLACED = 4001
NORMAL = 1000
URL_TRIES = 20
URL_PAUSE_SECONDS = 0.05


class Hub:
    """All connections of a relay."""

    def __init__(self, trace: Trace, *, separate_window: bool = False) -> None:
        self.trace = trace
        self.separate_window = separate_window
        self.extensions: dict[str, ExtensionConnection] = {}
        self.clients: dict[str, RelayClient] = {}
        self._tasks: set[asyncio.Task[object]] = set()

    # Extensions and clients

    def add_extension(self, extension: ExtensionConnection) -> None:
        if (old := self.extensions.get(extension.id)) is not None:
            self.remove_extension(old)
            old.close(REPLACED, "Extension Replaced")
        self.extensions[extension.id] = extension
        self.spawn(self._set_mode(extension))
        log.info("extension %s connected: %s", extension.id, extension.info.browser)

    def remove_extension(self, extension: ExtensionConnection) -> None:
        extension.fail_pending()
        if self.extensions.get(extension.id) is not extension:
            return
        del self.extensions[extension.id]
        log.info("extension %s disconnected", extension.id)
        for client in self._clients_of(extension):
            client.close(NORMAL, "Extension disconnected")

    def choose(self, wanted: str | None) -> ExtensionConnection:
        """The named extension, the only one, or the only one with tabs. Raises Refused."""
        if wanted is not None:
            if wanted in self.extensions:
                return self.extensions[wanted]
            raise Refused(503, f"No extension {wanted} is connected")
        candidates = list(self.extensions.values())
        if len(candidates) > 1:
            candidates = [extension for extension in candidates if extension.tabs]
        if len(candidates) == 1:
            return candidates[0]
        raise Refused(
            503,
            "Multiple extensions connected: choose one with ?extension="
            if self.extensions
            else "Extension not connected: click the pwtui button on a tab, or run `pw relay open`",
        )

    def add_client(self, client: RelayClient) -> None:
        self.clients[client.id] = client
        log.info("client %s connected", client.id)

    def remove_client(self, client: RelayClient) -> None:
        if self.clients.pop(client.id, None) is None:
            return
        log.info("client %s disconnected", client.id)
        for subscription in list(client.sessions.values()):
            self.unsubscribe(subscription)
        self.trace.client_left(client)

    async def set_window_mode(self, *, separate: bool) -> None:
        self.separate_window = separate
        await asyncio.gather(*map(self._set_mode, self.extensions.values()))

    async def _set_mode(self, extension: ExtensionConnection) -> None:
        await extension.request("setWindowMode", {"separateWindow": self.separate_window})

    def _clients_of(self, extension: ExtensionConnection) -> list[RelayClient]:
        return [client for client in self.clients.values() if client.extension is extension]

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a task in the background; an error is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("%s", error, exc_info=None if isinstance(error, CdpError) else error)

    # Subscriptions

    def announce(
        self, client: RelayClient, target: RelayTarget, parent: Subscription | None = None
    ) -> None:
        """Announce a target to a client, once."""
        if target.session in client.sessions:
            return
        client.attach(target, target.session)
        params = {
            "sessionId": target.session,
            "targetInfo": {**target.info, "attached": True},
            "waitingForDebugger": target.waiting,
        }
        _send(client, parent, "Target.attachedToTarget", params)
        client.reach(target, ConnectionStep.ATTACHED)

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a client's session with a target, and undo its changes there."""
        target, extension = subscription.target, subscription.client.extension
        subscription.client.sessions.pop(subscription.session, None)
        target.subscriptions.remove(subscription)
        if target.session not in extension.targets:
            return
        if not target.subscriptions:
            if target.is_tab:
                self._reset(extension, target)
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

    def _reset(self, extension: ExtensionConnection, tab: RelayTarget) -> None:
        """Restart the debugger of a tab, which removes all contexts and inner targets."""
        tab.contexts.clear()
        tab.sent_once.clear()
        tab.overrides = EmulationOverrides()
        tab.dialog = None
        for child in list(extension.targets.values()):
            if child.tab is tab and child is not tab:
                del extension.targets[child.session]
        self.spawn(extension.request("resetTab", {"sessionId": tab.session}))

    # Events of extensions

    def on_event(
        self, extension: ExtensionConnection, method: str, session: str | None, params: str
    ) -> None:
        """Handle an event synchronously, so that events keep their order."""
        match method:
            case "Target.attachedToTarget":
                self._attached(extension, session, json.loads(params))
            case "Target.detachedFromTarget":
                self._detached(extension, str(json.loads(params).get("sessionId")))
            case "Target.targetInfoChanged":
                info = json.loads(params)["targetInfo"]
                if (changed := extension.find(str(info["targetId"]))) is not None:
                    changed.info.update(info)
                for client in self._clients_of(extension):
                    if client.discover:
                        client.event(method, params)
            case "Relay.note":
                self.trace.note("warning", str(json.loads(params)["message"]))
            case "Relay.detached":  # by Chrome; the tab is still open
                event, last = json.loads(params), extension.last_detached
                name = last.url if last is not None and last.id == event["targetId"] else "a tab"
                self.trace.note("warning", f"{name} was detached: {event['reason']}")
            case _:
                target = extension.targets.get(session or "")
                if target is not None and self._observe(target, method, params):
                    for subscription in target.listeners(method.partition(".")[0]):
                        subscription.event(method, params)

    def _observe(self, target: RelayTarget, method: str, params: str) -> bool:
        """Update the state of a target; returns whether to send the event to its listeners."""
        match method:
            case "Runtime.executionContextCreated":
                context = json.loads(params)["context"]
                is_default = bool((context.get("auxData") or {}).get("isDefault"))
                target.contexts[int(context["id"])] = JavaScriptContext(params, is_default)
                if is_default:
                    for subscription in target.listeners("Runtime"):
                        subscription.client.reach(target, ConnectionStep.CONTEXT)
            case "Runtime.executionContextDestroyed":
                target.contexts.pop(int(json.loads(params)["executionContextId"]), None)
            case "Runtime.executionContextsCleared":
                target.contexts.clear()
            case "Page.frameNavigated":
                frame = json.loads(params)["frame"]
                if frame["id"] == target.id:
                    target.info["url"] = frame["url"] + frame.get("urlFragment", "")
                    target.crashed = False
            case "Page.navigatedWithinDocument":
                event = json.loads(params)
                if event["frameId"] == target.id:
                    target.info["url"] = event["url"]
            case "Page.javascriptDialogOpening":
                self._offer_dialog(target, params)
                return False
            case "Page.javascriptDialogClosed":
                target.dialog = None
            case "Page.downloadWillBegin" | "Page.downloadProgress":
                # Playwright expects these from the browser, which an extension cannot observe.
                for client in {subscription.client for subscription in target.subscriptions}:
                    client.event(method.replace("Page", "Browser"), params)
            case "Inspector.targetCrashed":
                target.crashed = True
                target.contexts.clear()
                self.trace.note("warning", f"the page {target.url} crashed")
            case "Inspector.targetReloadedAfterCrash":
                target.crashed = False
        return True

    def _attached(
        self, extension: ExtensionConnection, session: str | None, params: dict[str, Any]
    ) -> None:
        parent = extension.targets.get(session) if session else None
        if session and parent is None:
            return
        if parent is not None and params["targetInfo"].get("type") == "service_worker":
            self.spawn(self._release_worker(extension, parent, str(params["sessionId"])))
            return
        target = RelayTarget(str(params["sessionId"]), params["targetInfo"], parent)
        target.waiting = bool(params.get("waitingForDebugger"))
        extension.targets[target.session] = target
        if target.is_tab and not target.has_url:
            self.spawn(self._fix_url(extension, target))
        else:
            self._announce_new(extension, target)

    async def _release_worker(
        self, extension: ExtensionConnection, parent: RelayTarget, session: str
    ) -> None:
        """Resume a service worker, which no client does: otherwise it never starts."""
        # Wait for the response: the end of the session drops pending commands.
        await extension.command(session, "Runtime.runIfWaitingForDebugger")
        await extension.command(parent.session, "Target.detachFromTarget", {"sessionId": session})

    def _announce_new(self, extension: ExtensionConnection, target: RelayTarget) -> None:
        target.announced.set()
        if target.parent is not None:
            for subscription in list(target.parent.subscriptions):
                if subscription.auto_attach:
                    self.announce(subscription.client, target, subscription)
        else:
            for client in self._clients_of(extension):
                if client.discover:
                    client.event("Target.targetCreated", {"targetInfo": target.info})
                if client.auto_attach:
                    self.announce(client, target)
        # For a client that connects later it is running.
        target.waiting = False

    async def _fix_url(self, extension: ExtensionConnection, target: RelayTarget) -> None:
        """Get the URL again if it is empty: a page announced with an empty URL never works."""
        with suppress(CdpError):
            for _ in range(URL_TRIES):
                answer = await extension.command(target.session, "Target.getTargetInfo")
                target.info.update(answer["targetInfo"])
                if target.has_url:
                    break
                await asyncio.sleep(URL_PAUSE_SECONDS)
        if target.session not in extension.targets:
            target.announced.set()  # nothing is left to wait for
            return
        problem = f"target {target.id} had an empty URL when it was attached"
        if target.has_url:
            self.trace.note("info", f"{problem}: announced as {target.url}")
        else:
            target.info["url"] = "about:blank"
            self.trace.note("warning", f"{problem}: announced as about:blank")
        self._announce_new(extension, target)

    def _detached(self, extension: ExtensionConnection, session: str) -> None:
        target = extension.targets.pop(session, None)
        if target is None:
            return
        if target.is_tab:
            extension.last_detached = target
        for child in [t for t in extension.targets.values() if t.parent is target]:
            self._detached(extension, child.session)
        for subscription in target.subscriptions:
            client = subscription.client
            client.sessions.pop(subscription.session, None)
            client.ended_sessions.append(subscription.session)
            client.targets.pop(target.session, None)
            params = {"sessionId": subscription.session, "targetId": target.id}
            parent = client.sessions.get(target.parent.session) if target.parent else None
            _send(client, parent, "Target.detachedFromTarget", params)
        target.subscriptions.clear()
        for client in self._clients_of(extension):
            if client.discover and target.is_tab:
                client.event("Target.targetDestroyed", {"targetId": target.id})

    def _offer_dialog(self, target: RelayTarget, params: str) -> None:
        """Send a dialog to one client only, as Playwright without a handler dismisses it.

        It is sent to the client with a running command in the tab, which opened the dialog, else to
        the client with the last command.
        """
        clients = target.clients("Page")
        if not clients:
            target.dialog = None
            return
        client = max(clients, key=lambda client: client.activity_in(target.tab))
        target.dialog = (params, client)
        for subscription in target.listeners("Page"):
            if subscription.client is client:
                subscription.event("Page.javascriptDialogOpening", params)


def _send(
    client: RelayClient, parent: Subscription | None, method: str, params: dict[str, Any]
) -> None:
    """Send an event to the session of the parent, or to the browser's session for a tab."""
    if parent is None:
        client.event(method, params)
    else:
        parent.event(method, json.dumps(params))
