"""Saved logins: Playwright's storage state, in files that only the user can read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pwtui.protocol.envelope import Diagnostic, parse_json
from pwtui.protocol.errors import AuthError, InvalidInput
from pwtui.protocol.model import first_problem
from pwtui.state.files import write_json


class _AuthModel(BaseModel):
    model_config = ConfigDict(extra="allow", serialize_by_alias=True)


class Cookie(_AuthModel):
    name: str
    value: str = ""
    domain: str = ""
    path: str = "/"
    expires: float = -1


class StoredItem(BaseModel):
    name: str
    value: str


class Origin(_AuthModel):
    origin: str
    local_storage: list[StoredItem] = Field(default_factory=list, alias="localStorage")


class StorageState(_AuthModel):
    """Cookies and local storage, in the format of `context.storage_state()`."""

    cookies: list[Cookie] = Field(default_factory=list)
    origins: list[Origin] = Field(default_factory=list)

    def to_playwright(self) -> dict[str, Any]:
        return self.model_dump(mode="json", include={"cookies", "origins"})


def read_storage_state(path: Path) -> StorageState:
    hint = None
    try:
        value = parse_json(path.read_bytes(), what="it")
        if not isinstance(value, dict):
            raise InvalidInput("it is not an object with cookies and origins")
        return StorageState.model_validate(value)
    except FileNotFoundError:
        problem, hint = "no such file", "create one with `state.save` or `auth.login`"
    except OSError as error:
        problem = error.strerror or str(error)
    except InvalidInput as error:
        problem = error.message
    except ValidationError as error:
        problem = first_problem(error)
    raise AuthError(
        f"cannot use the auth file {path}: {problem}", hint=hint, details={"path": str(path)}
    )


def cdp_headers_file(auth_folder: Path) -> Path:
    """The file with the headers for a remote browser, which are secrets like the logins."""
    return auth_folder / "cdp.headers"


def read_cdp_headers(auth_folder: Path) -> dict[str, str]:
    """The headers to send to a remote browser; empty for a local one."""
    path = cdp_headers_file(auth_folder)
    try:
        headers = parse_json(path.read_bytes(), what="it")
    except FileNotFoundError:
        return {}
    except (OSError, InvalidInput) as error:
        raise AuthError(f"cannot read {path}: {error}", details={"path": str(path)}) from error
    return {str(name): str(value) for name, value in dict(headers).items()}


def write_storage_state(path: Path, state: Any) -> None:
    write_json(path, state, private=True)


def read_auth_folder(folder: Path) -> tuple[StorageState, list[Diagnostic]]:
    """The merged states of a profile's auth folder; unreadable files are reported and skipped."""
    merged, notices = StorageState(), []
    for path in sorted(folder.glob("*.json")):
        try:
            state = read_storage_state(path)
        except AuthError as error:
            notices.append(Diagnostic(level="warning", source="auth", message=str(error)))
            continue
        merged.cookies += state.cookies
        merged.origins += state.origins
    return merged, notices
