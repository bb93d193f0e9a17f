"""Handles the commands of clients: answers them, or forwards them to their tab."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from pwtui.relay import cookies
from pwtui.relay.client import RelayClient
from pwtui.relay.extension_connection import CdpError, Done, Params
from pwtui.relay.hub import Hub
from pwtui.relay.overrides import CLEARS, SETS
from pwtui.relay.steps import ConnectionStep
from pwtui.relay.targets import RelayTarget, Subscription

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, NO_SESSION = -32700, -32600, -32601, -32001
# The extension's error code for a result that exceeds the size of a message.
TOO_LARGE = -32009
# Playwright expects an exception from these: it treats an error as the end of the page.
EVALUATING = frozenset(("Runtime.evaluate", "Runtime.callFunctionOn"))
LATE_SECONDS = 1.0
HOLD_SECONDS = 5.0


class CdpCommand:
    """One message from a client."""

    def __init__(self, text: str) -> None:
        message = json.loads(text)
        self.text = text
        self.id: Any = message["id"]
        self.method: str = message["method"]
        self.session: str | None = message.get("sessionId")
        params = message.get("params")
        self.params: Params = {} if params is None else params
        if not (isinstance(self.id, int) and isinstance(self.method, str)):
            raise TypeError("id must be a number, and method a string")
        if not isinstance(self.params, dict) or not isinstance(self.session, str | None):
            raise TypeError("params must be an object, and sessionId a string")


class CommandHandler:
    """Handles the commands of all clients."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._numbers = itertools.count(1)
        self._of_tab: dict[str, Callable[[Subscription, CdpCommand], None]] = {
            "Page.getFrameTree": self._get_frame_tree,
            "Runtime.enable": self._enable_runtime,
            "Target.setAutoAttach": self._attach_inside,
            "Target.detachFromTarget": self._detach_inside,
            "Page.addScriptToEvaluateOnNewDocument": self._add_script,
            "Page.setFontFamilies": self._once,
        }

    def receive(self, client: RelayClient, text: str) -> None:
        """Handle one message. Commands to tabs are forwarded synchronously, in their order."""
        client.commands += 1
        try:
            command = CdpCommand(text)
        except ValueError:
            client.refuse(None, None, PARSE_ERROR, "Message must be valid JSON")
            return
        except (KeyError, TypeError, AttributeError) as error:
            client.refuse(None, None, INVALID_REQUEST, f"Message is not a command: {error}")
            return
        if command.session is None or command.session in client.roots:
            self._hub.spawn(self._answer(client, command))
        elif (subscription := client.sessions.get(command.session)) is not None:
            self._of_tab.get(command.method, self._forward_to_tab)(subscription, command)
        else:
            # Playwright may send a command after the session's end. Without a response it ignores
            # the command when it handles the end; an immediate error would make its caller fail.
            seconds = LATE_SECONDS if command.session in client.ended_sessions else 0
            message = f"Session with given id not found: {command.session}"
            refusal = (command.id, command.session, NO_SESSION, message)
            asyncio.get_running_loop().call_later(seconds, client.refuse, *refusal)

    # Commands to the browser

    async def _answer(self, client: RelayClient, command: CdpCommand) -> None:
        try:
            result = await self._run(client, command.method, command.params)
        except CdpError as error:
            client.refuse(command.id, command.session, error.code, error.message)
        except KeyError as error:
            message = f"{error.args[0]} is required for {command.method}"
            client.refuse(command.id, command.session, INVALID_REQUEST, message)
        else:
            client.respond(command.id, command.session, json.dumps(result))

    async def _run(self, client: RelayClient, method: str, params: Params) -> Params:
        extension = client.extension
        match method:
            case "Browser.getVersion":
                client.progress.reach(ConnectionStep.VERSION)
                names = {"product": extension.info.browser, "userAgent": extension.info.agent}
                return {"protocolVersion": "1.3", "revision": "", "jsVersion": "", **names}
            case "Browser.setDownloadBehavior":
                pass  # Chrome does not let extensions choose where downloads are saved
            case "Browser.close":
                # The browser is the user's: only close the connection, after the response.
                asyncio.get_running_loop().call_soon(client.close, 1000, "Browser.close")
            case "Target.setAutoAttach":
                client.auto_attach = bool(params.get("autoAttach"))
                if client.auto_attach:
                    # A client takes the tabs that it knows at the response for all that there are.
                    for tab in extension.tabs:
                        await tab.announced.wait()
                        if tab.session in extension.targets:
                            self._hub.announce(client, tab)
                client.progress.reach(ConnectionStep.AUTO_ATTACH)
            case "Target.setDiscoverTargets":
                client.discover = bool(params.get("discover"))
                for tab in extension.tabs if client.discover else ():
                    if tab.announced.is_set():
                        client.event("Target.targetCreated", {"targetInfo": tab.info})
            case "Target.getBrowserContexts":
                return {"browserContextIds": []}
            case "Target.getTargets":
                return {"targetInfos": [{**tab.info, "attached": True} for tab in extension.tabs]}
            case "Target.getTargetInfo":
                if (target_id := params.get("targetId")) is not None:
                    return {"targetInfo": _target(client, target_id).info}
                info = {"targetId": extension.id, "type": "browser", "title": "", "url": ""}
                return {"targetInfo": {**info, "attached": True, "canAccessOpener": False}}
            case "Target.attachToTarget":
                target = _target(client, params["targetId"])
                session = client.new_session("session")
                client.attach(target, session)
                return {"sessionId": session}
            case "Target.attachToBrowserTarget":
                session = client.new_session("browser")
                client.roots.add(session)
                return {"sessionId": session}
            case "Target.detachFromTarget":
                client.roots.discard(params["sessionId"])
                if (subscription := client.sessions.get(params["sessionId"])) is not None:
                    self._hub.unsubscribe(subscription)
            case "Target.createBrowserContext":
                raise CdpError(
                    "A relay cannot create contexts in the user's browser: use browser.contexts[0]"
                )
            case "Target.createTarget":
                url, background = params.get("url"), bool(params.get("background"))
                tab_options = {"url": url or "about:blank", "background": background}
                target_id = (await extension.request("openTab", tab_options))["targetId"]
                if (opened := extension.find(target_id)) is not None:
                    await opened.announced.wait()
                return {"targetId": target_id}
            case "Target.closeTarget":
                return await extension.request("closeTab", {"targetId": params["targetId"]})
            case "Target.activateTarget":
                return await extension.request("activateTab", {"targetId": params["targetId"]})
            case "Storage.getCookies":
                return await cookies.get_cookies(client)
            case "Storage.setCookies":
                return await cookies.set_cookies(client, params.get("cookies", []))
            case "Storage.clearCookies":
                return await cookies.clear_cookies(client)
            case _:
                message = f"'{method}' wasn't found: a relay reaches tabs, not the browser"
                raise CdpError(message, NOT_FOUND)
        return {}

    # Commands to a tab, or to a frame or worker in it

    def _forward_to_tab(self, subscription: Subscription, command: CdpCommand) -> None:
        domain, _, name = command.method.partition(".")
        target, client = subscription.target, subscription.client
        if command.method in SETS:
            target.overrides.set(subscription, command.method, command.text)
        elif command.method in CLEARS:
            is_cleared, messages = target.overrides.clear(subscription, command.method)
            if is_cleared:
                self._forward(subscription, command)
            else:
                _succeed(client, command)
            for message in messages:
                client.extension.send(target.session, message)
            return
        elif name == "enable":
            subscription.domains.add(domain)
        elif name == "disable":
            subscription.domains.discard(domain)
            if target.is_enabled(domain):  # by another client
                _succeed(client, command)
                return
        self._forward(subscription, command)

    def _once(self, subscription: Subscription, command: CdpCommand) -> None:
        """Chrome accepts the command once per debugger: for a later client it succeeds."""
        if command.method in subscription.target.sent_once:
            _succeed(subscription.client, command)
        else:
            subscription.target.sent_once.add(command.method)
            self._forward(subscription, command)

    def _forward(
        self,
        subscription: Subscription,
        command: CdpCommand,
        before: Done | None = None,
        after: Done | None = None,
    ) -> None:
        """Send it to Chrome; `before` and `after` are called around the response to the client."""
        client = subscription.client
        subscription.pending += 1
        subscription.last_command = next(self._numbers)

        def done(error: Params | None, result: str) -> None:
            subscription.pending -= 1
            if before is not None:
                before(error, result)
            if error is None:
                client.respond(command.id, command.session, result)
            else:
                self._fail(client, command, int(error["code"]), str(error["message"]))
            if after is not None:
                after(error, result)

        client.extension.forward(subscription.target.session, command.text, done)

    def _fail(self, client: RelayClient, command: CdpCommand, code: int, message: str) -> None:
        if code == TOO_LARGE:
            self._hub.trace.note("warning", f"{command.method}: {message}")
            if command.method in EVALUATING:
                client.respond(command.id, command.session, _thrown(message))
                return
        client.refuse(command.id, command.session, code, message)

    def _get_frame_tree(self, subscription: Subscription, command: CdpCommand) -> None:
        subscription.hold()
        # A page that does not respond must not hold its events forever.
        timeout = asyncio.get_running_loop().call_later(HOLD_SECONDS, subscription.release)

        def after(error: Params | None, result: str) -> None:
            timeout.cancel()
            # Immediately, so that the next events do not overtake those of the frames.
            subscription.release(None if error is not None else json.loads(result)["frameTree"])

        self._forward(subscription, command, after=after)

    def _enable_runtime(self, subscription: Subscription, command: CdpCommand) -> None:
        """Send the existing contexts to a later client, as Chrome sends them only once.

        They are sent after Chrome's response: Playwright handles contexts only after it has the
        responses to its first commands.
        """
        target, client = subscription.target, subscription.client
        is_later = target.is_enabled("Runtime", besides=subscription)
        if not is_later:
            subscription.domains.add("Runtime")

        def before(error: Params | None, result: str) -> None:
            if error is not None:
                return
            if is_later:
                subscription.domains.add("Runtime")
                for context in target.contexts.values():
                    subscription.event("Runtime.executionContextCreated", context.params)
                    if context.is_default:
                        client.reach(target, ConnectionStep.CONTEXT)
            client.reach(target, ConnectionStep.RUNTIME)

        self._forward(subscription, command, before)

    def _attach_inside(self, subscription: Subscription, command: CdpCommand) -> None:
        """Attach to frames of other sites and to workers, once for all clients.

        A second command would make Chrome restart the sessions.
        """
        target, client = subscription.target, subscription.client
        is_on = any(each.auto_attach for each in target.subscriptions if each is not subscription)
        subscription.auto_attach = bool(command.params.get("autoAttach"))
        if not is_on:
            self._forward(subscription, command)
            return
        if subscription.auto_attach:
            for child in list(client.extension.targets.values()):
                if child.parent is target:
                    self._hub.announce(client, child, subscription)
        _succeed(client, command)

    def _detach_inside(self, subscription: Subscription, command: CdpCommand) -> None:
        inner = subscription.client.sessions.get(command.params.get("sessionId", ""))
        if inner is not None:
            self._hub.unsubscribe(inner)
            if inner.target.subscriptions or inner.target.is_tab:
                _succeed(subscription.client, command)
                return
        self._forward_to_tab(subscription, command)

    def _add_script(self, subscription: Subscription, command: CdpCommand) -> None:
        def before(error: Params | None, result: str) -> None:
            if error is None:
                subscription.scripts.add(str(json.loads(result)["identifier"]))

        self._forward(subscription, command, before)


def _succeed(client: RelayClient, command: CdpCommand) -> None:
    client.respond(command.id, command.session, "{}")


def _thrown(message: str) -> str:
    """The result of an evaluation that threw an error."""
    exception = {"type": "object", "subtype": "error", "description": f"Error: {message}"}
    position = {"exceptionId": 0, "text": "Uncaught", "lineNumber": 0, "columnNumber": 0}
    details = {**position, "exception": exception}
    return json.dumps({"result": exception, "exceptionDetails": details})


def _target(client: RelayClient, target_id: str) -> RelayTarget:
    target = client.extension.find(target_id)
    if target is None:
        raise CdpError(f"Target {target_id} not found in connected targets")
    return target
