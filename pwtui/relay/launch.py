"""The private copy of the extension, and a separate browser with it."""

from __future__ import annotations

import json
import subprocess
from contextlib import suppress
from pathlib import Path

from pwtui.browser.launch.processes import (
    chromium_command,
    end_process,
    is_same_process,
    start_detached,
    started_at,
)
from pwtui.state.files import locked, make_folder, write_atomic, write_json
from pwtui.state.relay_records import (
    DEFAULT_PORT,
    OpenedBrowser,
    opened_browser_file,
    pairing_secret,
    relay_folder,
)

EXTENSION_FOLDER = Path(__file__).parent / "extension"

_FLAGS = (
    # Closing the bar about debugging would detach all tabs.
    "--silent-debugger-extension-api",
    # The extension and most tabs are not visible and would be throttled.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    # Playwright does not notice that a page is restored from this cache, and hangs.
    "--disable-back-forward-cache",
    # With this feature some builds ignore --load-extension.
    "--disable-features=DisableLoadExtensionCommandLineSwitch",
)


def private_extension(port: int) -> Path:
    """Create or update the user's copy of the extension, with the port and the pairing secret.

    Only the user can read it.
    """
    folder = _folder("extension", port)
    files = {path.name: path.read_bytes() for path in EXTENSION_FOLDER.iterdir() if path.is_file()}
    files["defaults.js"] = (
        f"export const DEFAULT_PORT = {port};\n"
        f"export const PAIRING_SECRET = {json.dumps(pairing_secret())};\n"
    ).encode()
    with locked(relay_folder() / "extension.lock"):
        make_folder(folder, private=True)
        for path in folder.iterdir():
            if path.name not in files:
                path.unlink()
        for name, data in files.items():
            path = folder / name
            if not path.exists() or path.read_bytes() != data:
                write_atomic(path, data, private=True)
    return folder


def refresh_extension(port: int) -> None:
    """Update the private copy if there is one; the browser then has to reload it."""
    if _folder("extension", port).exists():
        private_extension(port)


def _folder(name: str, port: int) -> Path:
    return relay_folder() / (name if port == DEFAULT_PORT else f"{name}-{port}")


def launch_browser(
    executable: Path, port: int, *, user_data_dir: Path, headless: bool, more: tuple[str, ...] = ()
) -> subprocess.Popen[bytes]:
    """Start a detached browser with the extension for the relay on this port."""
    user_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    command = chromium_command(executable, user_data_dir, headless=headless)
    command += [*_FLAGS, f"--load-extension={private_extension(port)}"]
    # The default screen of a headless browser is smaller than the separate window.
    command += ["--screen-info={1920x1080}"] * headless
    return start_detached([*command, *more, "about:blank"])


def open_browser(executable: Path, port: int, *, headless: bool) -> subprocess.Popen[bytes]:
    """Start the browser of `pw relay open`, or open a tab in it if it is running."""
    folder = _folder("browser", port)
    process = launch_browser(executable, port, user_data_dir=folder, headless=headless)
    began = started_at(process.pid)
    if opened_browser(port) is None and began is not None:
        record = OpenedBrowser(process.pid, began)
        write_json(opened_browser_file(port), record._asdict(), private=True)
    return process


def opened_browser(port: int) -> OpenedBrowser | None:
    """The running browser that `pw relay open` started for this port."""
    with suppress(OSError, ValueError, TypeError):
        record = OpenedBrowser(**json.loads(opened_browser_file(port).read_bytes()))
        if is_same_process(record.pid, record.started_at):
            return record
    return None


async def close_browser(port: int) -> bool:
    """Close the browser that `pw relay open` started; returns whether there was one."""
    if (browser := opened_browser(port)) is None:
        return False
    await end_process(browser.pid)
    opened_browser_file(port).unlink(missing_ok=True)
    return True
