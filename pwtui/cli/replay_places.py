"""Where recordings are replayed: on this machine, or at the endpoints of other browsers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pwtui.protocol.addresses import Endpoint
from pwtui.protocol.errors import InvalidInput
from pwtui.protocol.secrets import mask_text
from pwtui.state.auth import read_cdp_headers
from pwtui.state.files import read_text
from pwtui.state.paths import user_path
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace

CONNECT_SECONDS = 5.0
PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


@dataclass(eq=False)
class Place:
    """A place that replays recordings; without an endpoint, this machine."""

    endpoint: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return mask_text(self.endpoint) if self.endpoint else "this machine"

    async def is_reachable(self) -> bool:
        """Whether something still listens there."""
        endpoint = Endpoint(self.endpoint)
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CONNECT_SECONDS):
                if endpoint.is_socket:
                    _, writer = await asyncio.open_unix_connection(endpoint.text)
                else:
                    port = endpoint.port or PORTS[endpoint.url.scheme]
                    _, writer = await asyncio.open_connection(endpoint.host, port)
                writer.close()
                return True
        return False


def read_places(
    given: Sequence[str], headers: Sequence[str], cwd: Path, workspace: Workspace
) -> list[Place]:
    """The places that `--on` names: endpoints, files with endpoints, or profiles."""
    common = dict(_header(each) for each in headers)
    found = [
        place
        for each in given
        for name in each.split(",")
        if name.strip()
        for place in _places(name.strip(), common, cwd, Profiles(workspace))
    ]
    if common and not found:
        raise InvalidInput("--header is for endpoints: use it with --on")
    return found or [Place()]


def _places(name: str, common: Mapping[str, str], cwd: Path, profiles: Profiles) -> Iterator[Place]:
    file = user_path(cwd, name)
    if file.is_file():
        for number, line in enumerate(read_text(file).splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                yield _from_line(line, common, f"{name}:{number}: ")
    elif Endpoint(name).is_valid:
        yield Place(name, common)
    elif name in profiles.names():
        endpoint = profiles.load(name).config.defaults.cdp_endpoint
        if endpoint is None:
            raise InvalidInput(f"--on {name}: the profile has no cdpEndpoint")
        yield Place(endpoint, {**common, **read_cdp_headers(profiles.auth_folder(name))})
    else:
        raise InvalidInput(f"--on {name}: neither an endpoint, nor a file, nor a profile")


def _from_line(line: str, common: Mapping[str, str], where: str) -> Place:
    """`ENDPOINT`, or `ENDPOINT {"HEADER": "VALUE"}`."""
    endpoint, _, rest = line.strip().partition(" ")
    if not Endpoint(endpoint).is_valid:
        raise InvalidInput(f"{where}{endpoint!r} is not an endpoint")
    try:
        own = json.loads(rest) if rest.strip() else {}
        return Place(endpoint, {**common, **{str(k): str(v) for k, v in own.items()}})
    except (ValueError, AttributeError):
        raise InvalidInput(f"{where}the headers are not a JSON object") from None


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise InvalidInput("--header: expected NAME: VALUE")
    return name.strip(), value.strip()
