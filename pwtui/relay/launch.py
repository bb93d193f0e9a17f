"""A browser with the extension in it, for those who do not want to use their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from pathlib import Path

from pwtui.state.relay import DEFAULT_PORT, relay_folder

EXTENSION_FOLDER = Path(__file__).parent / "extension"

_FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    # The bar that tells of debugging takes room, and closing it ends all of it. Here everything
    # is for that.
    "--silent-debugger-extension-api",
    # Nobody looks at the extension, nor at most of the tabs: they are to be quick all the same.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    # Playwright does not see a page come back from this cache, and waits.
    "--disable-back-forward-cache",
    # Some builds ignore --load-extension unless this is off.
    "--disable-features=DisableLoadExtensionCommandLineSwitch",
)


def extension_for(port: int) -> Path:
    """The extension's folder; for another port a copy which has that as its default."""
    if port == DEFAULT_PORT:
        return EXTENSION_FOLDER
    folder = relay_folder() / f"extension-{port}"
    shutil.copytree(EXTENSION_FOLDER, folder, dirs_exist_ok=True)
    (folder / "defaults.js").write_text(f"export const DEFAULT_PORT = {port};\n")
    return folder


def launch_browser(
    executable: Path, port: int, *, user_data_dir: Path, headless: bool, more: tuple[str, ...] = ()
) -> subprocess.Popen[bytes]:
    """Start a browser that outlives us and whose extension calls the relay on this port."""
    arguments = [
        str(executable),
        *_FLAGS,
        f"--user-data-dir={user_data_dir}",
        f"--load-extension={extension_for(port)}",
    ]
    if headless:
        # Else a headless screen is smaller than the separate window.
        arguments += ["--headless=new", "--screen-info={1920x1080}"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    user_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    process = subprocess.Popen(
        [*arguments, *more, "about:blank"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # When it ends before us somebody has to take note, or it stays as a zombie.
    threading.Thread(target=process.wait, daemon=True, name="relay browser").start()
    return process
