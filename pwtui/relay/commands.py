"""What happens to a client's command: answered here, or passed on to the tab that it is for."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pwtui.relay import cookies
from pwtui.relay.client import Client
from pwtui.relay.extension_connection import CdpError, Done
from pwtui.relay.hub import Hub
from pwtui.relay.overrides import CLEARS, SETS
from pwtui.relay.steps import Step
from pwtui.relay.targets import Subscription, Target

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, SERVER_ERROR = -32700, -32600, -32601, -32000
NO_SESSION = -32001
# What the extension answers in place of a result that is larger than a message may be.
TOO_LARGE = -32009
# To these Playwright expects an exception: it takes an error for the end of the page.
EVALUATING = frozenset(("Runtime.evaluate", "Runtime.callFunctionOn"))
LATE_SECONDS = 1.0
HOLD_SECONDS = 5.0
CONTEXT_CREATED = "Runtime.executionContextCreated"

Params = dict[str, Any]
Handler = Callable[[Client, Params], Awaitable[Params]]
TabHandler = Callable[[Subscription, "Command"], None]


class Command:
    """One message of a client."""

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


class Commands:
    """Handles the commands of all clients."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._numbers = itertools.count(1)
        self._of_browser: dict[str, Handler] = {
            "Browser.getVersion": self._get_version,
            "Browser.setDownloadBehavior": self._nothing,
            "Browser.close": self._close,
            "Target.setAutoAttach": self._set_auto_attach,
            "Target.setDiscoverTargets": self._set_discover,
            "Target.getBrowserContexts": self._get_contexts,
            "Target.getTargets": self._get_targets,
            "Target.getTargetInfo": self._get_target_info,
            "Target.attachToTarget": self._attach_to_target,
            "Target.attachToBrowserTarget": self._attach_to_browser,
            "Target.detachFromTarget": self._detach,
            "Target.createBrowserContext": self._create_context,
            "Target.createTarget": self._create_target,
            "Target.closeTarget": self._close_target,
            "Target.activateTarget": self._activate_target,
            "Storage.getCookies": cookies.get_cookies,
            "Storage.setCookies": cookies.set_cookies,
            "Storage.clearCookies": cookies.clear_cookies,
        }
        self._of_tab: dict[str, TabHandler] = {
            "Page.getFrameTree": self._get_frame_tree,
            "Runtime.enable": self._enable_runtime,
            "Target.setAutoAttach": self._attach_inside,
            "Target.detachFromTarget": self._detach_inside,
            "Page.addScriptToEvaluateOnNewDocument": self._add_script,
            "Page.setFontFamilies": self._once,
        }

    def take(self, client: Client, text: str) -> None:
        """Handle one message. What is only passed on, is so at once and keeps its order."""
        client.commands += 1
        try:
            command = Command(text)
        except ValueError:
            client.refuse(None, None, PARSE_ERROR, "Message must be a valid JSON")
            return
        except (KeyError, TypeError, AttributeError) as error:
            client.refuse(None, None, INVALID_REQUEST, f"Message is not a command: {error}")
            return
        if command.session is None or command.session in client.roots:
            self._hub.spawn(self._answer(client, command))
            return
        subscription = client.sessions.get(command.session)
        if subscription is None:
            self._refuse_session(client, command)
            return
        handler = self._of_tab.get(command.method, self._pass_on)
        handler(subscription, command)

    def _refuse_session(self, client: Client, command: Command) -> None:
        """Say that there is no such session, but to one that just ended not at once.

        Playwright ends a session a moment after the event, and takes what it sent there in
        between for lost; an answer in that moment would make its caller fail.
        """
        message = f"Session with given id not found: {command.session}"
        refuse = (command.id, command.session, NO_SESSION, message)
        seconds = LATE_SECONDS if command.session in client.ended_sessions else 0
        asyncio.get_running_loop().call_later(seconds, client.refuse, *refuse)

    # Commands to the browser

    async def _answer(self, client: Client, command: Command) -> None:
        handler = self._of_browser.get(command.method)
        try:
            if handler is None:
                message = f"'{command.method}' wasn't found: a relay reaches tabs, not the browser"
                raise CdpError(message, NOT_FOUND)
            result = await handler(client, command.params)
        except CdpError as error:
            client.refuse(command.id, command.session, error.code, error.message)
        except KeyError as error:
            message = f"{error.args[0]} is required for {command.method}"
            client.refuse(command.id, command.session, INVALID_REQUEST, message)
        else:
            client.respond(command.id, command.session, json.dumps(result))

    async def _nothing(self, client: Client, params: Params) -> Params:
        # Chrome keeps downloads from extensions: they go where the user's downloads go.
        return {}

    async def _get_version(self, client: Client, params: Params) -> Params:
        client.progress.reach(Step.VERSION)
        info = client.extension.info
        return {
            "protocolVersion": "1.3",
            "product": info.browser,
            "revision": "",
            "userAgent": info.agent,
            "jsVersion": "",
        }

    async def _close(self, client: Client, params: Params) -> Params:
        """The browser is the user's: only the connection ends, once this is answered."""
        asyncio.get_running_loop().call_soon(client.close, 1000, "Browser.close")
        return {}

    async def _set_auto_attach(self, client: Client, params: Params) -> Params:
        client.auto_attach = bool(params.get("autoAttach"))
        if client.auto_attach:
            for target in client.extension.tabs:
                if target.announced.is_set():
                    self._hub.announce(client, target)
        client.progress.reach(Step.AUTO_ATTACH)
        return {}

    async def _set_discover(self, client: Client, params: Params) -> Params:
        client.discover = bool(params.get("discover"))
        if client.discover:
            for target in client.extension.tabs:
                client.tell("Target.targetCreated", None, {"targetInfo": target.info})
        return {}

    async def _get_contexts(self, client: Client, params: Params) -> Params:
        return {"browserContextIds": []}

    async def _get_targets(self, client: Client, params: Params) -> Params:
        return {"targetInfos": [{**tab.info, "attached": True} for tab in client.extension.tabs]}

    async def _get_target_info(self, client: Client, params: Params) -> Params:
        if (target_id := params.get("targetId")) is not None:
            return {"targetInfo": _target(client, target_id).info}
        info = {"targetId": client.extension.id, "type": "browser", "title": "", "url": ""}
        return {"targetInfo": {**info, "attached": True, "canAccessOpener": False}}

    async def _attach_to_target(self, client: Client, params: Params) -> Params:
        """A further session of the client with a target; Chrome gives extensions only one."""
        target = _target(client, params["targetId"])
        session = client.new_session("session")
        client.attach(target, session)
        return {"sessionId": session}

    async def _attach_to_browser(self, client: Client, params: Params) -> Params:
        session = client.new_session("browser")
        client.roots.add(session)
        return {"sessionId": session}

    async def _detach(self, client: Client, params: Params) -> Params:
        session = params["sessionId"]
        client.roots.discard(session)
        if (subscription := client.sessions.get(session)) is not None:
            self._hub.unsubscribe(subscription)
        return {}

    async def _create_context(self, client: Client, params: Params) -> Params:
        raise CdpError(
            "Contexts cannot be created through a relay: it works in the user's own browser. "
            "Use browser.contexts[0]"
        )

    async def _create_target(self, client: Client, params: Params) -> Params:
        url = params.get("url") or "about:blank"
        background = bool(params.get("background"))
        place = {"url": url, "background": background}
        created = await client.extension.request("openTab", place)
        await self._hub.announced(client.extension, created["targetId"])
        return {"targetId": created["targetId"]}

    async def _close_target(self, client: Client, params: Params) -> Params:
        return await client.extension.request("closeTab", {"targetId": params["targetId"]})

    async def _activate_target(self, client: Client, params: Params) -> Params:
        return await client.extension.request("activateTab", {"targetId": params["targetId"]})

    # Commands to a tab, or to what is inside it

    def _pass_on(self, subscription: Subscription, command: Command) -> None:
        domain, _, name = command.method.partition(".")
        target, client = subscription.target, subscription.client
        if command.method in SETS:
            target.overrides.put(subscription, command.method, command.text)
        elif command.method in CLEARS:
            self._clear(subscription, command)
            return
        elif name == "enable":
            subscription.domains.add(domain)
        elif name == "disable":
            subscription.domains.discard(domain)
            if target.is_enabled(domain):
                # Another client still needs it.
                client.respond(command.id, command.session, "{}")
                return
        self._forward(subscription, command)

    def _clear(self, subscription: Subscription, command: Command) -> None:
        """What another client set stays, and what one had set before is set again."""
        target, client = subscription.target, subscription.client
        is_cleared, then = target.overrides.clear(subscription, command.method)
        if is_cleared:
            self._forward(subscription, command)
        else:
            client.respond(command.id, command.session, "{}")
        for message in then:
            client.extension.send(target.session, message)

    def _once(self, subscription: Subscription, command: Command) -> None:
        """Chrome accepts it once for each debugger: a later client finds it done."""
        target, client = subscription.target, subscription.client
        if command.method in target.sent_once:
            client.respond(command.id, command.session, "{}")
            return
        target.sent_once.add(command.method)
        self._forward(subscription, command)

    def _forward(
        self,
        subscription: Subscription,
        command: Command,
        before: Done | None = None,
        after: Done | None = None,
    ) -> None:
        """To Chrome and back; what comes `before` and `after` the answer to the client."""
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

    def _fail(self, client: Client, command: Command, code: int, message: str) -> None:
        if code == TOO_LARGE:
            self._hub.trace.note("warning", f"{command.method}: {message}")
            if command.method in EVALUATING:
                client.respond(command.id, command.session, _thrown(message))
                return
        client.refuse(command.id, command.session, code, message)

    def _get_frame_tree(self, subscription: Subscription, command: Command) -> None:
        subscription.hold()
        loop = asyncio.get_running_loop()
        # A page that does not answer must not keep its events for ever.
        timeout = loop.call_later(HOLD_SECONDS, subscription.release)

        def after(error: Params | None, result: str) -> None:
            timeout.cancel()
            # At once: events of the page that come next must not overtake those of its frames.
            subscription.release(None if error is not None else json.loads(result)["frameTree"])

        self._forward(subscription, command, after=after)

    def _enable_runtime(self, subscription: Subscription, command: Command) -> None:
        """A later client gets the contexts that are there: Chrome sends them once.

        It gets them when Chrome answers, not before: Playwright listens for contexts only once it
        has the answers to what it asked first.
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
                    subscription.tell(CONTEXT_CREATED, context.params)
                    if context.is_default:
                        client.reach(target, Step.CONTEXT)
            client.reach(target, Step.RUNTIME)

        self._forward(subscription, command, before)

    def _attach_inside(self, subscription: Subscription, command: Command) -> None:
        """Frames of other sites and workers. What another client switched on, stays as it is:

        Chrome would tell nothing more, and end and begin anew the sessions that are just beginning.
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
        client.respond(command.id, command.session, "{}")

    def _detach_inside(self, subscription: Subscription, command: Command) -> None:
        client = subscription.client
        inner = client.sessions.get(command.params.get("sessionId", ""))
        if inner is not None:
            self._hub.unsubscribe(inner)
            if inner.target.subscriptions or inner.target.is_tab:
                client.respond(command.id, command.session, "{}")
                return
        self._pass_on(subscription, command)

    def _add_script(self, subscription: Subscription, command: Command) -> None:
        def before(error: Params | None, result: str) -> None:
            if error is None:
                subscription.scripts.add(str(json.loads(result)["identifier"]))

        self._forward(subscription, command, before)


def _thrown(message: str) -> str:
    """The result of an evaluation that threw an error."""
    exception = {"type": "object", "subtype": "error", "description": f"Error: {message}"}
    place = {"exceptionId": 0, "text": "Uncaught", "lineNumber": 0, "columnNumber": 0}
    details = {**place, "exception": exception}
    return json.dumps({"result": exception, "exceptionDetails": details})


def _target(client: Client, target_id: str) -> Target:
    target = client.extension.find(target_id)
    if target is None:
        raise CdpError(f"Target {target_id} not found in connected targets")
    return target
