"""The error codes of the protocol, and one exception for each.

An operation raises the exception where the cause is known, and the executor turns it into the error
envelope. No error is classified by the text of its message.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, ClassVar

MAX_RESULT_BYTES = 32 * 1024 * 1024
"""The longest response."""


class ErrorCode(StrEnum):
    INVALID_INPUT = "INVALID_INPUT"
    UNSUPPORTED_MODE = "UNSUPPORTED_MODE"
    SELECTOR_NOT_FOUND = "SELECTOR_NOT_FOUND"
    SELECTOR_AMBIGUOUS = "SELECTOR_AMBIGUOUS"
    TIMEOUT = "TIMEOUT"
    NAVIGATION_FAILED = "NAVIGATION_FAILED"
    JS_EVAL_FAILED = "JS_EVAL_FAILED"
    SCRIPT_FAILED = "SCRIPT_FAILED"
    ASSERTION_FAILED = "ASSERTION_FAILED"
    DIALOG_OPEN = "DIALOG_OPEN"
    CANCELLED = "CANCELLED"
    BROWSER_LAUNCH_FAILED = "BROWSER_LAUNCH_FAILED"
    SCREENSHOT_FAILED = "SCREENSHOT_FAILED"
    IO_ERROR = "IO_ERROR"
    RESULT_TOO_LARGE = "RESULT_TOO_LARGE"
    SESSION_ERROR = "SESSION_ERROR"
    AUTH_ERROR = "AUTH_ERROR"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class PwError(Exception):
    """Base class of the errors of a response.

    `message` says what failed and why, `hint` what to do about it. Operations and commands in a
    hint are in backquotes.
    """

    code: ClassVar[ErrorCode]

    def __init_subclass__(cls, code: ErrorCode | None = None) -> None:
        if code is not None:
            cls.code = code

    def __init__(
        self, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details) if details is not None else None

    def __str__(self) -> str:
        return with_hint(self.message, self.hint)


class InvalidInput(PwError, code=ErrorCode.INVALID_INPUT):
    """The request is invalid: a field, a value or a combination of them is wrong."""


class UnsupportedMode(PwError, code=ErrorCode.UNSUPPORTED_MODE):
    """The operation is not available here: interactive in a batch, or packages are missing."""


class SelectorNotFound(PwError, code=ErrorCode.SELECTOR_NOT_FOUND):
    """No element matches, or the ref is stale."""


class SelectorAmbiguous(PwError, code=ErrorCode.SELECTOR_AMBIGUOUS):
    """Several elements match where one is needed."""


class OperationTimeout(PwError, code=ErrorCode.TIMEOUT):
    """The deadline passed; the message names what the operation was waiting for."""


class NavigationFailed(PwError, code=ErrorCode.NAVIGATION_FAILED):
    """The page could not be loaded."""


class JsEvalFailed(PwError, code=ErrorCode.JS_EVAL_FAILED):
    """The JavaScript of the request threw an error or has a syntax error."""


class ScriptFailed(PwError, code=ErrorCode.SCRIPT_FAILED):
    """The Python code of the request raised or has a syntax error; see `details.line`."""


class AssertionFailed(PwError, code=ErrorCode.ASSERTION_FAILED):
    """The condition did not become true in time; `details` has `expected` and `actual`."""


class DialogOpen(PwError, code=ErrorCode.DIALOG_OPEN):
    """An alert, confirm, prompt or beforeunload dialog blocks the page."""


class Cancelled(PwError, code=ErrorCode.CANCELLED):
    """The request was cancelled; the page is still usable."""


class BrowserLaunchFailed(PwError, code=ErrorCode.BROWSER_LAUNCH_FAILED):
    """The browser could not be started or attached to."""


class ScreenshotFailed(PwError, code=ErrorCode.SCREENSHOT_FAILED):
    """The browser could not take the screenshot."""


class IoError(PwError, code=ErrorCode.IO_ERROR):
    """A file or folder could not be read or written."""

    @classmethod
    def of(cls, doing: str, error: OSError) -> IoError:
        path = error.filename
        reason = error.strerror or type(error).__name__
        return cls(
            f"cannot {doing}: {reason}" + (f" ({path})" if path else ""),
            details={"path": str(path)} if path else None,
        )


class ResultTooLarge(PwError, code=ErrorCode.RESULT_TOO_LARGE):
    """The result is longer than a response may be."""

    @classmethod
    def of(cls, op: str, size: int, *, at_least: bool = False) -> ResultTooLarge:
        number = f"at least {size}" if at_least else str(size)
        return cls(
            f"the result of {op} has {number} bytes, more than {MAX_RESULT_BYTES}",
            hint="return less of it, or write it to a file with `page.run`",
            details={"bytes": size, "limitBytes": MAX_RESULT_BYTES},
        )


class SessionError(PwError, code=ErrorCode.SESSION_ERROR):
    """The browser session is not usable: crashed, closed or disconnected."""


class AuthError(PwError, code=ErrorCode.AUTH_ERROR):
    """The saved login is missing, unreadable or malformed."""


class InternalError(PwError, code=ErrorCode.INTERNAL_ERROR):
    """A bug in pwtui; the log has the traceback under the id in the message."""


def nothing_open(what: str) -> SessionError:
    return SessionError(what, hint="open one with `navigate`", details={"cause": "nothingOpen"})


def error_of(body: Mapping[str, Any]) -> PwError:
    """The exception for the code of an error envelope."""
    classes = {each.code: each for each in PwError.__subclasses__()}
    error = classes.get(body["code"], InternalError)
    return error(body["message"], hint=body.get("hint"), details=body.get("details"))


LONGEST_WORD = 100


def near_misses(word: str, known: Iterable[str]) -> list[str]:
    """The known words that are similar to `word`, best first."""
    if len(word) > LONGEST_WORD:
        return []
    by_folded = {name.lower(): name for name in known}
    import difflib  # only needed for a misspelt word

    close = difflib.get_close_matches(word.lower(), by_folded, n=3, cutoff=0.6)
    return [by_folded[name] for name in close]


def did_you_mean(suggestions: list[str]) -> str | None:
    """The hint that suggests other words; None when there is nothing to suggest."""
    return f"did you mean {' or '.join(suggestions)}?" if suggestions else None


def with_hint(message: str, hint: str | None) -> str:
    """A message and its hint in one line."""
    return f"{message}; {hint}" if hint else message
