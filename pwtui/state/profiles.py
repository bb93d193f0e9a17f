"""Profiles on disk: list, load, change, copy, rename and delete, each under a lock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from pydantic import ValidationError

from pwtui.protocol.addresses import SessionKey
from pwtui.protocol.envelope import ContextDelta, Diagnostic, parse_json
from pwtui.protocol.errors import InvalidInput, IoError, did_you_mean, near_misses
from pwtui.protocol.model import first_problem
from pwtui.state.config import STATE_SCHEMA, ProfileCache, ProfileConfig, StateModel
from pwtui.state.files import locked, move_aside, write_atomic, write_json
from pwtui.state.trust import DottedSettings, far_settings, trust, untrusted
from pwtui.state.workspace import DEFAULT_PROFILE, Workspace, normalise_profile_name

KEPT_DELETED_SECONDS = 7 * 86400.0

S = TypeVar("S", ProfileConfig, ProfileCache)
R = TypeVar("R")


@dataclass(eq=False, repr=False)
class Profile:
    """A profile from disk; `notices` report files that could not be read."""

    name: str
    config: ProfileConfig
    cache: ProfileCache
    notices: list[Diagnostic] = field(default_factory=list)


class Profiles:
    """The profiles of one workspace. Reading does not create files."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._folders = str(workspace.profiles_dir)
        self._read_before: dict[str, tuple[object, StateModel]] = {}

    def names(self) -> list[str]:
        try:
            return sorted(p.name for p in self.workspace.profiles_dir.iterdir() if p.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise IoError.of("list the profiles", error) from error

    def folder(self, name: str) -> Path:
        return self.workspace.profiles_dir / normalise_profile_name(name)

    def auth_folder(self, name: str) -> Path:
        return self.folder(name) / "auth"

    def descriptor_path(self, key: SessionKey) -> Path:
        """The path of the session's descriptor; `session.json` for headless Chromium."""
        name = "session.json"
        if key.browser != "chromium" or not key.headless:
            name = f"session-{key.browser}-{'headless' if key.headless else 'headful'}.json"
        return self.folder(key.profile) / "sessions" / name

    def exists(self, name: str) -> bool:
        # Called for every request, and os.path is faster than pathlib.
        return os.path.isdir(f"{self._folders}/{normalise_profile_name(name)}")  # noqa: PTH112

    def require(self, name: str) -> None:
        """Raises InvalidInput if the profile does not exist; `default` always does."""
        if name != DEFAULT_PROFILE and not self.exists(name):
            raise self._missing(name)

    def suggest(self, name: str) -> str | None:
        """The hint with the names of similar profiles."""
        return did_you_mean(near_misses(name, self.names()))

    def load(self, name: str) -> Profile:
        """The profile, with defaults for missing files; corrupt files are moved aside."""
        name = normalise_profile_name(name)
        notices: list[Diagnostic] = []
        config = self._read(name, "config.json", ProfileConfig, notices)
        cache = self._read(name, "cache.json", ProfileCache, notices)
        return Profile(name, config, cache, notices)

    def read_config(self, name: str) -> ProfileConfig:
        """Only the config; the default if it is corrupt, which is not moved aside."""
        try:
            return self._read_cached(name, "config.json", ProfileConfig)
        except _Corrupt:
            return ProfileConfig()

    def change_config(self, name: str, change: Callable[[ProfileConfig], R]) -> R:
        """Read, change and write the config under the profile's lock."""
        path = self.folder(name) / "config.json"
        with self._locked(name):
            config = self._read_file(path, ProfileConfig, [])
            before = self._far(config)
            result = change(config)
            self._write_config(path, config, before)
        return result

    def trust(self, name: str) -> list[str]:
        """Trust the settings that affect more than the workspace; returns their names."""
        path = self.folder(name) / "config.json"
        with self._locked(name):
            far = self._far(self._read_file(path, ProfileConfig, []))
            trust(path, far)
        return sorted(far)

    def update_cache(self, profile: Profile, delta: ContextDelta) -> None:
        """Save the context of an operation that started with this profile."""
        now = time.time()
        # Most requests repeat the previous context.
        if profile.cache.after(delta, now) is None:
            return
        path = self.folder(profile.name) / "cache.json"
        with self._locked(profile.name):
            cache = self._read_file(path, ProfileCache, []).after(delta, now)
            if cache is not None:
                self._write(path, cache)

    def replace_config(
        self, name: str, new: Callable[[ProfileConfig], ProfileConfig]
    ) -> list[Diagnostic]:
        """Replace the config; a corrupt one is moved aside, with a notice."""
        path = self.folder(name) / "config.json"
        notices: list[Diagnostic] = []
        with self._locked(name):
            before = self._read_file(path, ProfileConfig, notices)
            self._write_config(path, new(before), self._far(before))
        return notices

    def create(self, name: str, config: ProfileConfig) -> None:
        with self._locked(name):
            self._write_config(self._free_folder(name) / "config.json", config)

    def copy(self, name: str, to: str) -> list[Diagnostic]:
        """Create a profile with the config and the saved logins of another."""
        self.require(name)
        notices: list[Diagnostic] = []
        with self._locked(name, to):
            new = self._free_folder(to)
            try:
                for login in sorted(self.auth_folder(name).glob("*")):
                    write_atomic(new / "auth" / login.name, login.read_bytes(), private=True)
                config = self._read_file(self.folder(name) / "config.json", ProfileConfig, notices)
                self._write_config(
                    new / "config.json",
                    self._with_own_login(config, name, to),
                    self._far(config),
                    trusted_in=self.folder(name) / "config.json",
                )
            except BaseException:
                _remove(new, ignore_errors=True)
                raise
        return notices

    def rename(self, name: str, to: str) -> list[Diagnostic]:
        """Rename a profile's folder. No browser may be running in it."""
        notices: list[Diagnostic] = []
        with self._locked(name, to):
            if not self.exists(name):
                raise self._missing(name)
            new = self._free_folder(to)
            self.folder(name).rename(new)
            # Descriptors contain the profile's name, and their browsers are not running.
            _remove(new / "sessions", ignore_errors=True)
            config = self._read_file(new / "config.json", ProfileConfig, notices)
            moved, far = self._with_own_login(config, name, to), self._far(config)
            if far or moved is not config:
                old = self.folder(name) / "config.json"
                self._write_config(new / "config.json", moved, far, trusted_in=old)
        return notices

    def delete(self, name: str, *, purge: bool = True) -> bool:
        """Delete the profile's folder; returns False if there is none.

        Without `purge` it can be restored for a while.
        """
        folder = self.folder(name)
        if not self.exists(name) and not folder.is_symlink():
            return False
        with self._locked(name):
            if folder.is_symlink():
                folder.unlink()
            elif folder.exists():
                self._forget_deleted(name)
                if purge:
                    _remove(folder)
                else:
                    self.workspace.deleted_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
                    os.utime(folder)
                    folder.rename(self._deleted(name))
            else:
                return False
        return True

    def deleted(self) -> list[str]:
        """The deleted profiles that can be restored, the latest first."""
        try:
            found = [each for each in self.workspace.deleted_dir.iterdir() if each.is_dir()]
            found.sort(key=lambda each: each.stat().st_mtime, reverse=True)
        except OSError:
            return []
        return [each.name for each in found]

    def restore(self, name: str) -> None:
        """Bring a deleted profile back."""
        with self._locked(name):
            folder = self._deleted(name)
            if not folder.is_dir():
                raise InvalidInput(
                    f"there is no deleted profile {name!r}",
                    hint=f"deleted: {', '.join(self.deleted()) or 'none'}",
                    details={"profile": name},
                )
            folder.rename(self._free_folder(name))
            # Their browsers are not running.
            _remove(self.folder(name) / "sessions", ignore_errors=True)

    def _deleted(self, name: str) -> Path:
        return self.workspace.deleted_dir / normalise_profile_name(name)

    def _forget_deleted(self, name: str) -> None:
        """Remove an earlier profile of this name, and those that were deleted long ago."""
        for each in self.deleted():
            folder = self._deleted(each)
            with suppress(OSError):
                is_old = time.time() - folder.stat().st_mtime > KEPT_DELETED_SECONDS
                if is_old or each == normalise_profile_name(name):
                    _remove(folder)

    @contextmanager
    def _locked(self, *names: str) -> Iterator[None]:
        try:
            with ExitStack() as locks:
                # Sorted, so that two processes do not deadlock.
                for name in sorted({normalise_profile_name(name) for name in names}):
                    locks.enter_context(locked(self.workspace.locks_dir / f"{name}.lock"))
                yield
        except OSError as error:
            raise IoError.of(f"change profile {names[-1]!r}", error) from error

    def _missing(self, name: str) -> InvalidInput:
        return InvalidInput(
            f"profile {name!r} does not exist",
            hint=self.suggest(name) or "see `profile.list`",
            details={"profile": name},
        )

    def _free_folder(self, name: str) -> Path:
        folder = self.folder(name)
        if os.path.lexists(folder):
            raise InvalidInput(
                f"profile {name!r} already exists",
                hint="choose another name or delete it first",
                details={"profile": name},
            )
        return folder

    def _with_own_login(self, config: ProfileConfig, name: str, to: str) -> ProfileConfig:
        """The config of a profile under another name: `authFile` follows the saved logins."""
        given = config.defaults.auth_file
        path = self.workspace.resolve_path(given) if given else None
        if path is None or not path.is_relative_to(self.folder(name)):
            return config
        moved = self.folder(to) / path.relative_to(self.folder(name))
        relative = moved.relative_to(self.workspace.project_root)
        defaults = config.defaults.model_copy(update={"auth_file": str(relative)})
        return config.model_copy(update={"defaults": defaults})

    def _read(self, name: str, file: str, model: type[S], notices: list[Diagnostic]) -> S:
        try:
            return self._read_cached(name, file, model)
        except _Corrupt:
            # Read again under the lock: another process may have replaced or moved it.
            with self._locked(name):
                return self._read_file(self.folder(name) / file, model, notices)

    def _read_cached(self, name: str, file: str, model: type[S]) -> S:
        """The cached content of a file that has not changed; callers must not modify it.

        Called for every request, and pathlib would take most of the time.
        """
        path = f"{self._folders}/{normalise_profile_name(name)}/{file}"
        signature: object = None
        try:
            status = os.stat(path)  # noqa: PTH116
            signature = (status.st_ino, status.st_mtime_ns, status.st_size)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except PermissionError as error:
            raise IoError.of(f"read {path}", error) from error
        known = self._read_before.get(path)
        if known is None or known[0] != signature:
            known = self._read_before[path] = (signature, _parse(Path(path), model))
        state = known[1]
        assert isinstance(state, model)
        return state

    def _read_file(self, path: Path, model: type[S], notices: list[Diagnostic]) -> S:
        """Read under the lock; a corrupt file is moved aside, with a notice."""
        try:
            return _parse(path, model)
        except _Corrupt as corrupt:
            kept = move_aside(path)
            problem = f"{path} could not be read ({corrupt})"
            message = f"{problem}: using defaults, the file was renamed to {kept.name}"
            notices.append(Diagnostic(level="warning", source="state", message=message))
            return model()

    def _far(self, config: ProfileConfig) -> DottedSettings:
        return far_settings(config, self.workspace)

    def _write_config(
        self,
        path: Path,
        config: ProfileConfig,
        before: DottedSettings = MappingProxyType({}),
        *,
        trusted_in: Path | None = None,
    ) -> None:
        """Write the config and trust changed settings; the trust in others stays the same."""
        unknown = untrusted(trusted_in or path, before)
        far = self._far(config).items()
        self._write(path, config)
        trust(path, {k: value for k, value in far if k not in unknown or before[k] != value})

    def _write(self, path: Path, state: StateModel) -> None:
        ignore = self.workspace.state_dir / ".gitignore"
        if not ignore.exists():
            write_atomic(ignore, b"*\n")
        write_json(path, state.model_dump(mode="json") | {"schema": STATE_SCHEMA}, private=True)


class _Corrupt(Exception):
    pass


def _parse(path: Path, model: type[S]) -> S:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return model.model_construct()  # defaults need no validator
    except OSError as error:
        raise IoError.of(f"read {path}", error) from error
    try:
        value = parse_json(text, what="it")
    except InvalidInput as error:
        raise _Corrupt(error.message) from None
    schema = value.get("schema") if isinstance(value, dict) else None
    if isinstance(schema, int) and schema > STATE_SCHEMA:
        raise InvalidInput(
            f"{path} has schema {schema}, but this version supports only {STATE_SCHEMA}",
            hint="upgrade pwtui",
            details={"path": str(path), "schema": schema},
        )
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _Corrupt(first_problem(error)) from None


def _remove(folder: Path, *, ignore_errors: bool = False) -> None:
    from shutil import rmtree  # most commands remove nothing

    rmtree(folder, ignore_errors=ignore_errors)
