"""What is known of the active tab besides its tree, its console and its requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtui.widgets.storage_list import StorageRow
from pwtui.widgets.text import path_on

if TYPE_CHECKING:
    from pwtui.protocol.models import TabData


class LoadView(NamedTuple):
    """The load of a page: when its request was sent, if that is known, and when it ended."""

    began: float | None
    ended: float | None = None

    @property
    def seconds(self) -> float | None:
        if self.began is None or self.ended is None:
            return None
        return max(0.0, self.ended - self.began)


class ChooserView(NamedTuple):
    """A file chooser that a tab has opened."""

    tab: int
    multiple: bool


class DownloadView(NamedTuple):
    """A download; `failure` is None until it has ended, and empty if it is complete."""

    number: int
    name: str
    url: str
    received: int | None = None
    total: int | None = None
    failure: str | None = None


class IframeView(NamedTuple):
    """What an iframe shows."""

    title: str
    url: str


class PictureView(NamedTuple):
    """A picture of the page: a JPEG in Base64, and the size of the viewport that it shows."""

    data: str
    viewport: tuple[int, int]
    session_key: str = ""
    """Whose frame it is, to be acknowledged; empty for one of the past."""
    taken_at: float = 0.0


class PageState:
    """Only its methods change it. `emit` is called with the part of the store that changed."""

    def __init__(self, emit: Callable[[Any], object]) -> None:
        self._emit = emit
        self.tabs: list[TabData] = []
        self.loads: dict[int, LoadView] = {}
        """By tab."""
        self.chooser: ChooserView | None = None
        self.download: DownloadView | None = None
        """The newest one that was not dismissed."""
        self.iframes: dict[str, IframeView] = {}
        """What they show, by ref."""
        self.picture: PictureView | None = None
        self.picture_problem = ""
        self.storage: list[StorageRow] = []
        self.storage_problem = ""

    def forget(self) -> None:
        """Another profile is active."""
        self.tabs, self.loads, self.chooser, self.download = [], {}, None, None
        self.iframes = {}
        self.set_storage([])
        self.set_picture(None)

    @property
    def active_tab(self) -> int | None:
        return next((tab.index for tab in self.tabs if tab.active), None)

    def set_tabs(self, tabs: list[TabData]) -> None:
        self.tabs = tabs
        asking = next((tab for tab in tabs if tab.file_chooser and tab.active), None)
        if asking is None:
            self.chooser = None
        elif self.chooser is None or self.chooser.tab != asking.index:
            self.chooser = ChooserView(asking.index, multiple=True)  # not known
        self._emit("page")

    def update_tab(self, index: int | None, **fields: Any) -> None:
        """Another URL or title of a tab."""
        self.tabs = [
            tab.model_copy(update=fields) if tab.index == index else tab for tab in self.tabs
        ]
        self._emit("page")

    @property
    def load(self) -> LoadView | None:
        """Of the active tab."""
        return self.loads.get(self.active_tab) if self.active_tab is not None else None

    def load_began(self, tab: int, at: float) -> None:
        """A tab shows the page whose request was sent then."""
        known = self.loads.get(tab)
        if known is None or known.began is None or known.began < at:
            self.loads[tab] = LoadView(at)
            self._emit("page")

    def load_ended(self, tab: int, at: float) -> None:
        known = self.loads.get(tab)
        is_known = known is not None and known.ended is None
        self.loads[tab] = LoadView(known.began if known and is_known else None, at)
        self._emit("page")

    def set_chooser(self, chooser: ChooserView | None) -> None:
        self.chooser = chooser
        self._emit("page")

    def set_storage(self, rows: list[StorageRow], problem: str = "") -> None:
        if (rows, problem) != (self.storage, self.storage_problem):
            self.storage, self.storage_problem = rows, problem
            self._emit("storage")

    def labels(self, page_url: str) -> dict[str, str]:
        """The texts of iframes, by ref."""
        return {
            ref: " · ".join(filter(None, [view.title, path_on(page_url, view.url)]))
            for ref, view in self.iframes.items()
        }

    def set_iframes(self, iframes: dict[str, IframeView]) -> None:
        self.iframes = iframes
        self._emit("page")

    def set_picture(self, picture: PictureView | None, problem: str = "") -> None:
        self.picture, self.picture_problem = picture, problem
        self._emit("picture")

    def set_download(self, download: DownloadView | None) -> None:
        self.download = download
        self._emit("page")
