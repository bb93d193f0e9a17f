"""A request and its response as others than the caller get them: subscribers and the history."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pwtui.engine.request_echo import masked_response
from pwtui.protocol.envelope import Request, Response
from pwtui.protocol.secrets import may_hold_secrets

MAX_RECORDED_BYTES = 1024 * 1024
"""The data of a longer response is not recorded."""

Wants = Literal["watched", "recorded"] | None
"""Who gets a request beside its caller: subscribers, the history alone, or neither."""


class Shown(NamedTuple):
    """Both envelopes as JSON, masked, and what is read from them."""

    ok: bool
    code: str | None
    url: str | None
    browser: str | None
    request: bytes
    response: bytes
    recorded: bytes
    """The response without its data if that is too long for the history."""

    @classmethod
    def of(cls, request: Request, response: Response, data: bytes, *, watched: bool) -> Shown:
        """`request` is masked; `data` is the response as the caller gets it."""
        shown = recorded = data
        if len(data) > MAX_RECORDED_BYTES:
            cut = {"data": {"omittedBytes": len(data)}, "events": None}
            recorded = response.model_copy(update=cut).to_json().encode()
        if recorded is not data and not watched:
            shown = recorded
        elif may_hold_secrets(data.decode()):
            shown = masked_response(response).to_json().encode()
            recorded = shown if recorded is data else recorded
        return cls(*_facts(response), request.to_json().encode(), shown, recorded)

    def to_line(self, data: bytes) -> bytes:
        """For the line of a worker; a tab occurs neither in a URL nor in JSON without spaces."""
        response = b"" if self.response is data else self.response
        recorded = b"" if self.recorded is self.response else self.recorded
        facts = [(each or "").encode("utf-8", "replace") for each in self[1:4]]
        return b"\t".join((b"%d" % self.ok, *facts, response, recorded, self.request))

    @classmethod
    def from_line(cls, line: bytes, data: bytes) -> Shown:
        ok, *facts, response, recorded, request = line.split(b"\t")
        code, url, browser = [each.decode() or None for each in facts]
        response = response or data
        return cls(ok == b"1", code, url, browser, request, response, recorded or response)

    @property
    def envelopes(self) -> bytes:
        """Both, as a JSON object."""
        return b'{"request": %b, "response": %b}' % (self.request, self.response)


def _facts(response: Response) -> tuple[bool, str | None, str | None, str | None]:
    delta, runtime = response.context_delta, response.effective_runtime
    return (
        response.ok,
        response.error.code if response.error else None,
        delta.url if delta else None,
        runtime.browser if runtime else None,
    )
