"""Written from the declarations of the operations by `make docs`."""

from typing import Any, Literal, overload

from pwtui.client.data import Data

class CookiesData(Data):
    url: str
    format: str
    cookies: list[dict[str, Any]]
    count: int

class ListenData(Data):
    listening: bool | None
    host: str
    port: int
    saved: list[str]

class LoginData(Data):
    path: str
    cookies: int
    origins: int
    url: str

class ShownCookie(Data):
    name: str
    domain: str
    expires: str

class ShowData(Data):
    file: str
    cookies: list[ShownCookie]
    cookie_count: int
    origins: list[dict[str, Any]]
    origin_count: int

class DialogInfo(Data):
    type: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default_value: str | None

class HistoryData(Data):
    before_url: str
    url: str
    title: str
    status: int | None
    dialog: DialogInfo | None

class DownloadData(Data):
    url: str
    suggested_filename: str
    path: str | None

class ChooserInfo(Data):
    multiple: bool

class ElementEffect(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    selector: str

class AppliedAuth(Data):
    file: str
    cookies_applied: int
    origins_present: int

class ConnectData(Data):
    action: Literal["show", "set", "cleared", "kill", "killed", "launched", "discovered"]
    message: str
    endpoint: str | None
    browser: str | None
    port: int | None
    pids: list[int] | None
    user_data_dir: str | None
    auth: AppliedAuth | None
    found: list[str] | None

class CookiesDeletedData(Data):
    deleted: int

class CookieData(Data):
    name: str
    value: str
    domain: str
    path: str
    expires: float
    http_only: bool
    secure: bool
    same_site: Literal["Strict", "Lax", "None"] | None

class CookieFoundData(Data):
    found: bool
    cookie: CookieData | None
    others: list[CookieData] | None

class CookieListData(Data):
    cookies: list[CookieData]
    count: int

class CookieSavedData(Data):
    name: str
    domain: str
    path: str

class RunningRequestData(Data):
    seq: int
    op: str
    profile: str | None
    client: str
    running_ms: float

class StartedData(Data):
    running: bool
    message: str | None
    pid: int | None
    version: str | None
    socket: str | None
    log: str | None
    uptime_seconds: float | None
    idle_timeout_seconds: float | None
    clients: list[str] | None
    requests_served: int | None
    requests_running: list[RunningRequestData] | None
    sessions: int | None
    memory_bytes: int | None
    cpu_seconds: float | None
    history_problem: str | None
    started: bool
    already_running: bool

class DaemonData(Data):
    running: bool
    message: str | None
    pid: int | None
    version: str | None
    socket: str | None
    log: str | None
    uptime_seconds: float | None
    idle_timeout_seconds: float | None
    clients: list[str] | None
    requests_served: int | None
    requests_running: list[RunningRequestData] | None
    sessions: int | None
    memory_bytes: int | None
    cpu_seconds: float | None
    history_problem: str | None

class StoppedData(Data):
    stopped: bool
    message: str | None

class DialogData(Data):
    open: bool
    dialog: DialogInfo | None

class DragData(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    selector: str
    to_selector: str

class Geolocation(Data):
    latitude: float
    longitude: float
    accuracy: float

class EmulationData(Data):
    offline: bool
    media: dict[str, str]
    device: str | None
    locale: str | None
    timezone: str | None
    geolocation: Geolocation | None

class FillData(Data):
    selector: str
    text: str
    dialog: DialogInfo | None

class HarClearData(Data):
    cleared: bool
    enabled: Literal[False] | None

class HarSetData(Data):
    enabled: Literal[True] | None
    changed: bool
    har: dict[str, Any]

class HarShowData(Data):
    enabled: bool
    har: dict[str, Any] | None

class InitData(Data):
    project_root: str
    files_created: list[str]
    directories_created: list[str]

class HeldEffect(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    held: list[str] | None

class StorageDeletedData(Data):
    deleted: int

class StorageGetData(Data):
    key: str
    found: bool
    value: str | None

class StorageItem(Data):
    key: str
    value: str

class StorageListData(Data):
    origin: str
    items: list[StorageItem]
    count: int

class StorageSetData(Data):
    key: str
    created: bool

class ElementData(Data):
    tag: str
    selector: str
    text: str | None
    name: str | None
    href: str | None
    id: str | None
    x: int
    y: int
    width: int
    height: int

class NavigateData(Data):
    url: str
    title: str
    viewport_width: int
    viewport_height: int
    text: str | None
    elements: list[ElementData] | None
    element_count: int | None
    status: int | None
    dialog: DialogInfo | None
    downloads: list[DownloadData] | None

class DescribeData(Data):
    op: str
    area: str
    summary: str
    effect: Literal["reads", "acts", "configures"]
    interactive: bool
    needs_browser: bool
    help: str
    input: dict[str, Any]
    data: dict[str, Any]
    example: dict[str, Any]

class ListedOp(Data):
    op: str
    area: str
    summary: str
    effect: Literal["reads", "acts", "configures"]
    interactive: bool
    needs_browser: bool
    input: dict[str, Any] | None

class OpsData(Data):
    operations: list[ListedOp]
    count: int

class AriaData(Data):
    url: str
    title: str
    snapshot: str
    tree: list[dict[str, Any]] | None
    node_count: int
    ref_count: int

class ConsoleEntry(Data):
    type: str
    text: str
    url: str | None
    line: int | None
    stack: str | None
    page_url: str
    time: float

class ConsoleData(Data):
    messages: list[ConsoleEntry]
    count: int
    error_count: int
    warning_count: int
    dropped: int | None

class Coords(Data):
    x: int
    y: int
    width: int
    height: int
    text: str | None
    href: str | None

class CoordsData(Data):
    coords: Coords
    selector: str

class IndexedCoords(Data):
    x: int
    y: int
    width: int
    height: int
    text: str | None
    href: str | None
    index: int

class AllCoordsData(Data):
    coords: list[IndexedCoords]
    selector: str
    count: int

class ElementsData(Data):
    elements: list[ElementData]
    count: int

class EvalData(Data):
    result: Any
    undefined: Literal[True] | None
    expression: str

class PageMatch(Data):
    role: str
    name: str | None
    text: str | None
    ref: str | None
    nearest_ref: str | None
    path: list[str]
    context: str

class FindData(Data):
    matches: list[PageMatch]
    count: int
    total: int

class HighlightData(Data):
    highlighted: bool
    selector: str

class HtmlData(Data):
    html: str
    selector: str
    length: int

class LocatorData(Data):
    selector: str

class PdfData(Data):
    path: str
    size_bytes: int

class PickData(Data):
    selector: str
    ref: str | None

class ReadData(Data):
    content: str
    format: str
    word_count: int
    title: str | None
    author: str | None
    published: str | None
    description: str | None
    image: str | None
    site: str | None

class SizeData(Data):
    width: int
    height: int

class RunData(Data):
    result: Any
    printed: str | None

class SnapshotData(Data):
    url: str
    title: str
    viewport_width: int
    viewport_height: int
    text: str | None
    elements: list[ElementData] | None
    element_count: int | None

class TextData(Data):
    text: str
    selector: str
    match_count: int

class TitleData(Data):
    title: str
    url: str

class UrlData(Data):
    url: str

class PressData(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    key: str
    selector: str | None

class CopiedData(Data):
    profile: str
    copied_from: str

class ProfileCreatedData(Data):
    profile: str
    created: Literal[True] | None

class DeletedData(Data):
    profile: str
    removed: bool
    can_restore: bool

class ProfilesData(Data):
    profiles: list[str]

class RenamedData(Data):
    profile: str
    renamed_from: str

class RestoredData(Data):
    profile: str
    restored: Literal[True] | None

class WrittenData(Data):
    profile: str
    written: Literal[True] | None

class Defaults(Data):
    browser: Literal["chromium", "firefox", "webkit"] | None
    executable_path: str | None
    channel: str | None
    headless: bool | None
    base_url: str | None
    cdp_endpoint: str | None
    isolated: bool | None
    timeout_ms: int | None
    auth_file: str | None
    use_daemon: bool | None
    launch_server: bool | None
    cdp: bool | None

class Har(Data):
    path: str
    content_policy: Literal["embed", "attach", "omit"] | None
    mode: Literal["full", "minimal"] | None
    omit_content: bool | None
    url_filter: str | None

class Network(Data):
    block_patterns: list[str] | None

class Downloads(Data):
    dir: str | None

class ProfileConfig(Data):
    schema: int | None
    defaults: Defaults | None
    har: Har | None
    network: Network | None
    downloads: Downloads | None
    protected_urls: list[str] | None
    history: Literal["full", "metadata", "off"] | None

class TrustedData(Data):
    profile: str
    trusted: list[str]

class AddedData(Data):
    protected: list[str]
    added: bool
    pattern: str

class ProtectedListData(Data):
    protected: list[str]
    count: int

class RemovedData(Data):
    protected: list[str]
    removed: bool
    pattern: str

class RelayPageData(Data):
    target_id: str
    url: str
    title: str
    crashed: bool | None
    clients: list[str] | None

class RelayExtensionData(Data):
    id: str
    browser: str
    version: str | None
    connected_at: float
    pages: list[RelayPageData]

class RelayStep(Data):
    step: str
    number: int
    at_ms: float | None

class MissingStep(Data):
    step: str
    number: int
    hint: str
    waited_ms: float | None

class RelayTargetData(Data):
    steps: list[RelayStep]
    missing: MissingStep | None
    target_id: str
    type: str | None
    url: str
    title: str | None
    crashed: bool | None

class RelayClientData(Data):
    steps: list[RelayStep]
    missing: MissingStep | None
    id: str
    agent: str | None
    extension: str | None
    connected: bool
    refused: str | None
    connected_at: float
    commands: int | None
    targets: list[RelayTargetData]

class RelayNote(Data):
    time: float
    level: Literal["info", "warning"]
    message: str

class UnpairedExtension(Data):
    id: str
    browser: str
    refused_at: float

class RelayTrace(Data):
    port: int
    pid: int
    version: str | None
    started_at: float
    separate_window: bool
    extensions: list[RelayExtensionData]
    clients: list[RelayClientData]
    past: list[RelayClientData]
    notes: list[RelayNote]
    unpaired: list[UnpairedExtension]

class RelayTraceData(Data):
    relays: list[RelayTrace]
    count: int

class BodyData(Data):
    index: int
    which: str
    size_bytes: int
    content_type: str | None
    text: str | None
    path: str | None

class RequestsClearedData(Data):
    cleared: int

class RequestSummary(Data):
    index: int
    method: str
    url: str
    resource_type: str
    status: int | None
    status_text: str | None
    failure: str | None
    pending: Literal[True] | None
    started_at: float
    duration_ms: float | None
    body_bytes: int | None
    cached: Literal[True] | None

class RequestsData(Data):
    requests: list[RequestSummary]
    count: int
    hidden_static: int
    dropped: int | None

class Header(Data):
    name: str
    value: str

class RequestData(Data):
    index: int
    method: str
    url: str
    resource_type: str
    status: int | None
    status_text: str | None
    failure: str | None
    pending: Literal[True] | None
    started_at: float
    duration_ms: float | None
    body_bytes: int | None
    cached: Literal[True] | None
    request_headers: list[Header]
    request_body_bytes: int
    response_headers: list[Header] | None
    server: str | None
    timing: dict[str, float] | None
    redirected_from: str | None
    redirected_to: str | None

class AddedRouteData(Data):
    pattern: str
    effect: str
    status: int | None
    content_type: str | None
    headers: dict[str, str] | None
    remove_headers: list[str] | None
    body_bytes: int | None
    hits: int
    replaced: bool

class RouteData(Data):
    pattern: str
    effect: str
    status: int | None
    content_type: str | None
    headers: dict[str, str] | None
    remove_headers: list[str] | None
    body_bytes: int | None
    hits: int

class RoutesData(Data):
    routes: list[RouteData]
    count: int

class ScreenshotData(Data):
    path: str | None
    image: str | None
    full_page: bool
    width: int | None
    height: int | None

class SelectData(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    selector: str
    selected: list[str]

class SessionClearedData(Data):
    cleared: bool
    path: str
    message: str | None

class KilledData(Data):
    killed: list[int]

class FrameInfo(Data):
    name: str
    url: str

class PageInfo(Data):
    title: str
    url: str
    index: int | None
    frames: list[FrameInfo] | None

class SessionData(Data):
    origin: Literal["pwtui", "playwright", "cdp", "pipe", "relay"]
    owner: Literal["daemon", "detached", "process"] | None
    title: str
    profile: str | None
    workspace: str | None
    workspace_id: str | None
    namespace: str | None
    session_key: str | None
    tool: str | None
    held: Literal[True] | None
    browser: str | None
    headless: bool | None
    attached: bool | None
    pid: int | None
    owner_pid: int | None
    cdp_endpoint: str | None
    ws_endpoint: str | None
    version: str | None
    pages: list[PageInfo] | None
    memory_bytes: int | None
    created_at: float | None
    last_used_at: float | None
    age_seconds: float | None
    programs: list[str] | None
    orphan: Literal[True] | None
    idle_seconds: float | None

class SessionsData(Data):
    sessions: list[SessionData]
    count: int

class HoldData(Data):
    session: str
    title: str
    held: bool
    changed: bool
    message: str | None

class StatusData(Data):
    active: bool
    message: str | None
    session: SessionData | None

class StateData(Data):
    path: str
    cookies: int
    origins: int

class ClosedData(Data):
    index: int
    title: str
    url: str
    active: Literal[True] | None
    protected: Literal[True] | None
    dialog: Literal[True] | None
    file_chooser: Literal[True] | None
    crashed: Literal[True] | None
    closed: Literal[True] | None

class TabData(Data):
    index: int
    title: str
    url: str
    active: Literal[True] | None
    protected: Literal[True] | None
    dialog: Literal[True] | None
    file_chooser: Literal[True] | None
    crashed: Literal[True] | None

class TabsData(Data):
    tabs: list[TabData]
    count: int
    next_index: int

class TabCreatedData(Data):
    index: int
    title: str
    url: str
    active: Literal[True] | None
    protected: Literal[True] | None
    dialog: Literal[True] | None
    file_chooser: Literal[True] | None
    crashed: Literal[True] | None
    created: Literal[True] | None

class SwitchedData(Data):
    index: int
    title: str
    url: str
    active: Literal[True] | None
    protected: Literal[True] | None
    dialog: Literal[True] | None
    file_chooser: Literal[True] | None
    crashed: Literal[True] | None
    switched: Literal[True] | None

class TraceStartedData(Data):
    started: Literal[True] | None

class RecordedData(Data):
    path: str
    size_bytes: int

class TypeData(Data):
    text: str
    selector: str | None
    dialog: DialogInfo | None

class UploadData(Data):
    before_url: str
    after_url: str
    navigated: bool
    downloads: list[DownloadData] | None
    dialog: DialogInfo | None
    file_chooser: ChooserInfo | None
    files: list[str]
    selector: str | None

class VerifiedData(Data):
    verified: Literal[True] | None
    expected: Any
    actual: Any | None
    waited_ms: float
    selector: str | None

class ChapterData(Data):
    title: str
    tab: int

class VideoStartedData(Data):
    path: str
    tab: int

class VideoStoppedData(Data):
    path: str
    size_bytes: int
    tab: int

class WaitData(Data):
    condition: str
    waited_ms: float
    selector_found: bool | None

class WaitedData(Data):
    waited_ms: float
    url: str

class Calls:
    @overload
    def call(self, operation: Literal["auth.cookies"], /, *, url: str | None = ..., format: str = ...) -> CookiesData: ...
    @overload
    def call(self, operation: Literal["auth.listen"], /, *, host: str = ..., port: int = ..., timeout_secs: int = ..., once: bool = ...) -> ListenData: ...
    @overload
    def call(self, operation: Literal["auth.login"], /, *, url: str | None = ..., output: str = ..., timeout_secs: int = ...) -> LoginData: ...
    @overload
    def call(self, operation: Literal["auth.show"], /, *, file: str = ...) -> ShowData: ...
    @overload
    def call(self, operation: Literal["back"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    def call(self, operation: Literal["check"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["click"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., button: Literal["left", "middle", "right"] = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["connect"], /, *, endpoint: str | None = ..., headers: dict[str, str] | None = ..., clear: bool = ..., launch: bool = ..., discover: bool = ..., kill: bool = ..., port: int | None = ..., pid: int | None = ..., user_data_dir: str | None = ...) -> ConnectData: ...
    @overload
    def call(self, operation: Literal["cookies.clear"], /) -> CookiesDeletedData: ...
    @overload
    def call(self, operation: Literal["cookies.delete"], /, *, domain: str | None = ..., path: str | None = ..., name: str) -> CookiesDeletedData: ...
    @overload
    def call(self, operation: Literal["cookies.get"], /, *, domain: str | None = ..., path: str | None = ..., name: str) -> CookieFoundData: ...
    @overload
    def call(self, operation: Literal["cookies.list"], /, *, domain: str | None = ..., path: str | None = ...) -> CookieListData: ...
    @overload
    def call(self, operation: Literal["cookies.set"], /, *, url: str | None = ..., name: str, value: str, domain: str | None = ..., path: str | None = ..., expires: float | None = ..., http_only: bool = ..., secure: bool = ..., same_site: Literal["Strict", "Lax", "None"] | None = ...) -> CookieSavedData: ...
    @overload
    def call(self, operation: Literal["daemon.start"], /, *, foreground: bool = ...) -> StartedData: ...
    @overload
    def call(self, operation: Literal["daemon.status"], /) -> DaemonData: ...
    @overload
    def call(self, operation: Literal["daemon.stop"], /) -> StoppedData: ...
    @overload
    def call(self, operation: Literal["dblclick"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., button: Literal["left", "middle", "right"] = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["dialog.accept"], /, *, text: str | None = ...) -> DialogData: ...
    @overload
    def call(self, operation: Literal["dialog.dismiss"], /) -> DialogData: ...
    @overload
    def call(self, operation: Literal["dialog.show"], /) -> DialogData: ...
    @overload
    def call(self, operation: Literal["drag"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., to_selector: str | None = ..., to_ref: str | None = ..., to_words: str | None = ...) -> DragData: ...
    @overload
    def call(self, operation: Literal["drop"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., files: list[str] = ..., data: dict[str, str] = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["emulate.device"], /, *, name: str) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["emulate.geolocation"], /, *, latitude: float | None = ..., longitude: float | None = ..., accuracy: float = ...) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["emulate.locale"], /, *, locale: str) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["emulate.media"], /, *, color_scheme: Literal["light", "dark", "reset"] | None = ..., reduced_motion: Literal["reduce", "no-preference", "reset"] | None = ..., forced_colors: Literal["active", "none", "reset"] | None = ..., contrast: Literal["more", "no-preference", "reset"] | None = ..., media: Literal["screen", "print", "reset"] | None = ...) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["emulate.offline"], /, *, offline: bool = ...) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["emulate.timezone"], /, *, timezone: str) -> EmulationData: ...
    @overload
    def call(self, operation: Literal["fill"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., text: str = ..., submit: bool = ...) -> FillData: ...
    @overload
    def call(self, operation: Literal["forward"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    def call(self, operation: Literal["har.clear"], /) -> HarClearData: ...
    @overload
    def call(self, operation: Literal["har.set"], /, *, file: str, content: Literal["embed", "attach", "omit"] = ..., mode: Literal["full", "minimal"] = ..., omit_content: bool = ..., url_filter: str | None = ...) -> HarSetData: ...
    @overload
    def call(self, operation: Literal["har.show"], /) -> HarShowData: ...
    @overload
    def call(self, operation: Literal["hover"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["init"], /, *, path: str = ..., template: Literal["standard", "minimal"] = ..., no_config: bool = ..., no_example: bool = ..., typescript: bool = ..., force: bool = ..., nix: bool = ...) -> InitData: ...
    @overload
    def call(self, operation: Literal["key.down"], /, *, url: str | None = ..., key: str) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["key.up"], /, *, url: str | None = ..., key: str) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["localstorage.clear"], /, *, url: str | None = ...) -> StorageDeletedData: ...
    @overload
    def call(self, operation: Literal["localstorage.delete"], /, *, url: str | None = ..., key: str) -> StorageDeletedData: ...
    @overload
    def call(self, operation: Literal["localstorage.get"], /, *, url: str | None = ..., key: str) -> StorageGetData: ...
    @overload
    def call(self, operation: Literal["localstorage.list"], /, *, url: str | None = ...) -> StorageListData: ...
    @overload
    def call(self, operation: Literal["localstorage.set"], /, *, url: str | None = ..., key: str, value: str) -> StorageSetData: ...
    @overload
    def call(self, operation: Literal["mouse.click"], /, *, url: str | None = ..., x: float, y: float, button: Literal["left", "middle", "right"] = ..., clicks: int = ..., delay_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., wait_ms: int = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["mouse.down"], /, *, url: str | None = ..., button: Literal["left", "middle", "right"] = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["mouse.drag"], /, *, url: str | None = ..., from_x: float, from_y: float, to_x: float, to_y: float, button: Literal["left", "middle", "right"] = ..., steps: int = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["mouse.move"], /, *, url: str | None = ..., x: float, y: float, steps: int = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["mouse.up"], /, *, url: str | None = ..., button: Literal["left", "middle", "right"] = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["mouse.wheel"], /, *, url: str | None = ..., dx: float = ..., dy: float = ...) -> HeldEffect: ...
    @overload
    def call(self, operation: Literal["navigate"], /, *, url: str | None = ..., wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] = ..., snapshot: bool = ...) -> NavigateData: ...
    @overload
    def call(self, operation: Literal["ops.describe"], /, *, op: str) -> DescribeData: ...
    @overload
    def call(self, operation: Literal["ops.list"], /, *, schemas: bool = ...) -> OpsData: ...
    @overload
    def call(self, operation: Literal["page.aria"], /, *, url: str | None = ..., boxes: bool = ..., depth: int | None = ..., tree: bool = ...) -> AriaData: ...
    @overload
    def call(self, operation: Literal["page.console"], /, *, url: str | None = ..., timeout_ms: int = ..., level: Literal["error", "warning", "info", "debug"] = ..., all: bool = ..., clear: bool = ...) -> ConsoleData: ...
    @overload
    def call(self, operation: Literal["page.coords"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> CoordsData: ...
    @overload
    def call(self, operation: Literal["page.coords-all"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> AllCoordsData: ...
    @overload
    def call(self, operation: Literal["page.elements"], /, *, url: str | None = ..., wait: bool = ..., timeout_ms: int = ...) -> ElementsData: ...
    @overload
    def call(self, operation: Literal["page.eval"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., expression: str | None = ..., file: str | None = ..., arg: Any = ...) -> EvalData: ...
    @overload
    def call(self, operation: Literal["page.find"], /, *, url: str | None = ..., text: str | None = ..., regex: str | None = ..., role: str | None = ..., max_results: int = ...) -> FindData: ...
    @overload
    def call(self, operation: Literal["page.highlight"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., hide: bool = ...) -> HighlightData: ...
    @overload
    def call(self, operation: Literal["page.html"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> HtmlData: ...
    @overload
    def call(self, operation: Literal["page.locator"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> LocatorData: ...
    @overload
    def call(self, operation: Literal["page.pdf"], /, *, url: str | None = ..., output: str = ..., format: Literal["Letter", "Legal", "Tabloid", "A0", "A1", "A2", "A3", "A4", "A5", "A6"] = ..., landscape: bool = ..., background: bool = ..., scale: float = ..., pages: str | None = ...) -> PdfData: ...
    @overload
    def call(self, operation: Literal["page.pick"], /, *, url: str | None = ..., timeout_secs: int = ...) -> PickData: ...
    @overload
    def call(self, operation: Literal["page.read"], /, *, url: str | None = ..., output_format: Literal["markdown", "text", "html"] = ..., metadata: bool = ...) -> ReadData: ...
    @overload
    def call(self, operation: Literal["page.resize"], /, *, url: str | None = ..., width: int, height: int) -> SizeData: ...
    @overload
    def call(self, operation: Literal["page.run"], /, *, url: str | None = ..., code: str | None = ..., file: str | None = ...) -> RunData: ...
    @overload
    def call(self, operation: Literal["page.snapshot"], /, *, url: str | None = ..., text_only: bool = ..., full: bool = ..., max_text_length: int = ...) -> SnapshotData: ...
    @overload
    def call(self, operation: Literal["page.text"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> TextData: ...
    @overload
    def call(self, operation: Literal["page.title"], /, *, url: str | None = ...) -> TitleData: ...
    @overload
    def call(self, operation: Literal["page.url"], /, *, url: str | None = ...) -> UrlData: ...
    @overload
    def call(self, operation: Literal["press"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., key: str) -> PressData: ...
    @overload
    def call(self, operation: Literal["profile.copy"], /, *, name: str, to: str) -> CopiedData: ...
    @overload
    def call(self, operation: Literal["profile.create"], /, *, name: str, config: dict[str, Any] = ...) -> ProfileCreatedData: ...
    @overload
    def call(self, operation: Literal["profile.delete"], /, *, name: str, purge: bool = ...) -> DeletedData: ...
    @overload
    def call(self, operation: Literal["profile.list"], /) -> ProfilesData: ...
    @overload
    def call(self, operation: Literal["profile.rename"], /, *, name: str, to: str) -> RenamedData: ...
    @overload
    def call(self, operation: Literal["profile.restore"], /, *, name: str) -> RestoredData: ...
    @overload
    def call(self, operation: Literal["profile.set"], /, *, name: str, file: str | None = ..., config: dict[str, Any] | None = ..., settings: dict[str, Any] | None = ...) -> WrittenData: ...
    @overload
    def call(self, operation: Literal["profile.show"], /, *, name: str | None = ...) -> ProfileConfig: ...
    @overload
    def call(self, operation: Literal["profile.trust"], /, *, name: str) -> TrustedData: ...
    @overload
    def call(self, operation: Literal["protect.add"], /, *, pattern: str) -> AddedData: ...
    @overload
    def call(self, operation: Literal["protect.list"], /) -> ProtectedListData: ...
    @overload
    def call(self, operation: Literal["protect.remove"], /, *, pattern: str) -> RemovedData: ...
    @overload
    def call(self, operation: Literal["relay.trace"], /) -> RelayTraceData: ...
    @overload
    def call(self, operation: Literal["reload"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    def call(self, operation: Literal["requests.body"], /, *, url: str | None = ..., index: int, which: Literal["request", "response"] = ..., output: str | None = ...) -> BodyData: ...
    @overload
    def call(self, operation: Literal["requests.clear"], /, *, url: str | None = ...) -> RequestsClearedData: ...
    @overload
    def call(self, operation: Literal["requests.list"], /, *, url: str | None = ..., filter: str | None = ..., static: bool = ..., all: bool = ...) -> RequestsData: ...
    @overload
    def call(self, operation: Literal["requests.show"], /, *, url: str | None = ..., index: int) -> RequestData: ...
    @overload
    def call(self, operation: Literal["route.add"], /, *, pattern: str, status: int | None = ..., body: str | None = ..., content_type: str | None = ..., headers: dict[str, str] | None = ..., remove_headers: list[str] | None = ..., abort: bool = ...) -> AddedRouteData: ...
    @overload
    def call(self, operation: Literal["route.list"], /) -> RoutesData: ...
    @overload
    def call(self, operation: Literal["route.remove"], /, *, pattern: str | None = ...) -> RoutesData: ...
    @overload
    def call(self, operation: Literal["screenshot"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., output: str = ..., full_page: bool = ..., inline: bool = ...) -> ScreenshotData: ...
    @overload
    def call(self, operation: Literal["select"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., values: list[str]) -> SelectData: ...
    @overload
    def call(self, operation: Literal["session.clear"], /) -> SessionClearedData: ...
    @overload
    def call(self, operation: Literal["session.kill"], /, *, pids: list[int], window: bool = ...) -> KilledData: ...
    @overload
    def call(self, operation: Literal["session.list"], /, *, others: bool = ...) -> SessionsData: ...
    @overload
    def call(self, operation: Literal["session.pause"], /, *, name: str | None = ..., while_connected: bool = ...) -> HoldData: ...
    @overload
    def call(self, operation: Literal["session.resume"], /, *, name: str | None = ...) -> HoldData: ...
    @overload
    def call(self, operation: Literal["session.start"], /, *, headful: bool = ..., cdp: bool | None = ..., port: int | None = ...) -> SessionData: ...
    @overload
    def call(self, operation: Literal["session.status"], /) -> StatusData: ...
    @overload
    def call(self, operation: Literal["session.step"], /, *, name: str | None = ...) -> HoldData: ...
    @overload
    def call(self, operation: Literal["session.stop"], /, *, pid: int | None = ...) -> StoppedData: ...
    @overload
    def call(self, operation: Literal["sessionstorage.clear"], /, *, url: str | None = ...) -> StorageDeletedData: ...
    @overload
    def call(self, operation: Literal["sessionstorage.delete"], /, *, url: str | None = ..., key: str) -> StorageDeletedData: ...
    @overload
    def call(self, operation: Literal["sessionstorage.get"], /, *, url: str | None = ..., key: str) -> StorageGetData: ...
    @overload
    def call(self, operation: Literal["sessionstorage.list"], /, *, url: str | None = ...) -> StorageListData: ...
    @overload
    def call(self, operation: Literal["sessionstorage.set"], /, *, url: str | None = ..., key: str, value: str) -> StorageSetData: ...
    @overload
    def call(self, operation: Literal["state.load"], /, *, file: str) -> StateData: ...
    @overload
    def call(self, operation: Literal["state.save"], /, *, output: str = ...) -> StateData: ...
    @overload
    def call(self, operation: Literal["tabs.close"], /, *, target: str | int | None = ...) -> ClosedData: ...
    @overload
    def call(self, operation: Literal["tabs.list"], /) -> TabsData: ...
    @overload
    def call(self, operation: Literal["tabs.new"], /, *, url: str | None = ...) -> TabCreatedData: ...
    @overload
    def call(self, operation: Literal["tabs.switch"], /, *, target: str | int) -> SwitchedData: ...
    @overload
    def call(self, operation: Literal["trace.start"], /, *, screenshots: bool = ..., snapshots: bool = ...) -> TraceStartedData: ...
    @overload
    def call(self, operation: Literal["trace.stop"], /, *, output: str = ...) -> RecordedData: ...
    @overload
    def call(self, operation: Literal["type"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., text: str, delay_ms: int = ..., submit: bool = ...) -> TypeData: ...
    @overload
    def call(self, operation: Literal["uncheck"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> ElementEffect: ...
    @overload
    def call(self, operation: Literal["upload"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., files: list[str]) -> UploadData: ...
    @overload
    def call(self, operation: Literal["verify.element"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., role: str | None = ..., name: str | None = ..., exact: bool = ...) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["verify.list"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., items: list[str], exact: bool = ...) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["verify.text"], /, *, negate: bool = ..., url: str | None = ..., text: str, exact: bool = ...) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["verify.title"], /, *, negate: bool = ..., url: str | None = ..., text: str, exact: bool = ...) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["verify.url"], /, *, negate: bool = ..., url: str | None = ..., text: str | None = ..., glob: str | None = ..., regex: str | None = ...) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["verify.value"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., value: str) -> VerifiedData: ...
    @overload
    def call(self, operation: Literal["video.chapter"], /, *, title: str, description: str | None = ..., duration_ms: int = ...) -> ChapterData: ...
    @overload
    def call(self, operation: Literal["video.start"], /, *, url: str | None = ..., output: str = ..., size: str | None = ..., fps: int = ...) -> VideoStartedData: ...
    @overload
    def call(self, operation: Literal["video.stop"], /) -> VideoStoppedData: ...
    @overload
    def call(self, operation: Literal["wait"], /, *, url: str | None = ..., condition: str | int, state: Literal["attached", "visible", "hidden", "detached"] = ...) -> WaitData: ...
    @overload
    def call(self, operation: Literal["wait.text"], /, *, url: str | None = ..., text: str, gone: bool = ...) -> WaitedData: ...
    @overload
    def call(self, operation: Literal["wait.url"], /, *, url: str) -> WaitedData: ...
    def _call(self, op: str, input: dict[str, Any]) -> Data: ...
class AsyncCalls:
    @overload
    async def call(self, operation: Literal["auth.cookies"], /, *, url: str | None = ..., format: str = ...) -> CookiesData: ...
    @overload
    async def call(self, operation: Literal["auth.listen"], /, *, host: str = ..., port: int = ..., timeout_secs: int = ..., once: bool = ...) -> ListenData: ...
    @overload
    async def call(self, operation: Literal["auth.login"], /, *, url: str | None = ..., output: str = ..., timeout_secs: int = ...) -> LoginData: ...
    @overload
    async def call(self, operation: Literal["auth.show"], /, *, file: str = ...) -> ShowData: ...
    @overload
    async def call(self, operation: Literal["back"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    async def call(self, operation: Literal["check"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["click"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., button: Literal["left", "middle", "right"] = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["connect"], /, *, endpoint: str | None = ..., headers: dict[str, str] | None = ..., clear: bool = ..., launch: bool = ..., discover: bool = ..., kill: bool = ..., port: int | None = ..., pid: int | None = ..., user_data_dir: str | None = ...) -> ConnectData: ...
    @overload
    async def call(self, operation: Literal["cookies.clear"], /) -> CookiesDeletedData: ...
    @overload
    async def call(self, operation: Literal["cookies.delete"], /, *, domain: str | None = ..., path: str | None = ..., name: str) -> CookiesDeletedData: ...
    @overload
    async def call(self, operation: Literal["cookies.get"], /, *, domain: str | None = ..., path: str | None = ..., name: str) -> CookieFoundData: ...
    @overload
    async def call(self, operation: Literal["cookies.list"], /, *, domain: str | None = ..., path: str | None = ...) -> CookieListData: ...
    @overload
    async def call(self, operation: Literal["cookies.set"], /, *, url: str | None = ..., name: str, value: str, domain: str | None = ..., path: str | None = ..., expires: float | None = ..., http_only: bool = ..., secure: bool = ..., same_site: Literal["Strict", "Lax", "None"] | None = ...) -> CookieSavedData: ...
    @overload
    async def call(self, operation: Literal["daemon.start"], /, *, foreground: bool = ...) -> StartedData: ...
    @overload
    async def call(self, operation: Literal["daemon.status"], /) -> DaemonData: ...
    @overload
    async def call(self, operation: Literal["daemon.stop"], /) -> StoppedData: ...
    @overload
    async def call(self, operation: Literal["dblclick"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., button: Literal["left", "middle", "right"] = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["dialog.accept"], /, *, text: str | None = ...) -> DialogData: ...
    @overload
    async def call(self, operation: Literal["dialog.dismiss"], /) -> DialogData: ...
    @overload
    async def call(self, operation: Literal["dialog.show"], /) -> DialogData: ...
    @overload
    async def call(self, operation: Literal["drag"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., to_selector: str | None = ..., to_ref: str | None = ..., to_words: str | None = ...) -> DragData: ...
    @overload
    async def call(self, operation: Literal["drop"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., files: list[str] = ..., data: dict[str, str] = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["emulate.device"], /, *, name: str) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["emulate.geolocation"], /, *, latitude: float | None = ..., longitude: float | None = ..., accuracy: float = ...) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["emulate.locale"], /, *, locale: str) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["emulate.media"], /, *, color_scheme: Literal["light", "dark", "reset"] | None = ..., reduced_motion: Literal["reduce", "no-preference", "reset"] | None = ..., forced_colors: Literal["active", "none", "reset"] | None = ..., contrast: Literal["more", "no-preference", "reset"] | None = ..., media: Literal["screen", "print", "reset"] | None = ...) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["emulate.offline"], /, *, offline: bool = ...) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["emulate.timezone"], /, *, timezone: str) -> EmulationData: ...
    @overload
    async def call(self, operation: Literal["fill"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., text: str = ..., submit: bool = ...) -> FillData: ...
    @overload
    async def call(self, operation: Literal["forward"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    async def call(self, operation: Literal["har.clear"], /) -> HarClearData: ...
    @overload
    async def call(self, operation: Literal["har.set"], /, *, file: str, content: Literal["embed", "attach", "omit"] = ..., mode: Literal["full", "minimal"] = ..., omit_content: bool = ..., url_filter: str | None = ...) -> HarSetData: ...
    @overload
    async def call(self, operation: Literal["har.show"], /) -> HarShowData: ...
    @overload
    async def call(self, operation: Literal["hover"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., wait_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["init"], /, *, path: str = ..., template: Literal["standard", "minimal"] = ..., no_config: bool = ..., no_example: bool = ..., typescript: bool = ..., force: bool = ..., nix: bool = ...) -> InitData: ...
    @overload
    async def call(self, operation: Literal["key.down"], /, *, url: str | None = ..., key: str) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["key.up"], /, *, url: str | None = ..., key: str) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["localstorage.clear"], /, *, url: str | None = ...) -> StorageDeletedData: ...
    @overload
    async def call(self, operation: Literal["localstorage.delete"], /, *, url: str | None = ..., key: str) -> StorageDeletedData: ...
    @overload
    async def call(self, operation: Literal["localstorage.get"], /, *, url: str | None = ..., key: str) -> StorageGetData: ...
    @overload
    async def call(self, operation: Literal["localstorage.list"], /, *, url: str | None = ...) -> StorageListData: ...
    @overload
    async def call(self, operation: Literal["localstorage.set"], /, *, url: str | None = ..., key: str, value: str) -> StorageSetData: ...
    @overload
    async def call(self, operation: Literal["mouse.click"], /, *, url: str | None = ..., x: float, y: float, button: Literal["left", "middle", "right"] = ..., clicks: int = ..., delay_ms: int = ..., modifiers: list[Literal["Alt", "Control", "ControlOrMeta", "Meta", "Shift"]] | None = ..., wait_ms: int = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["mouse.down"], /, *, url: str | None = ..., button: Literal["left", "middle", "right"] = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["mouse.drag"], /, *, url: str | None = ..., from_x: float, from_y: float, to_x: float, to_y: float, button: Literal["left", "middle", "right"] = ..., steps: int = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["mouse.move"], /, *, url: str | None = ..., x: float, y: float, steps: int = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["mouse.up"], /, *, url: str | None = ..., button: Literal["left", "middle", "right"] = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["mouse.wheel"], /, *, url: str | None = ..., dx: float = ..., dy: float = ...) -> HeldEffect: ...
    @overload
    async def call(self, operation: Literal["navigate"], /, *, url: str | None = ..., wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] = ..., snapshot: bool = ...) -> NavigateData: ...
    @overload
    async def call(self, operation: Literal["ops.describe"], /, *, op: str) -> DescribeData: ...
    @overload
    async def call(self, operation: Literal["ops.list"], /, *, schemas: bool = ...) -> OpsData: ...
    @overload
    async def call(self, operation: Literal["page.aria"], /, *, url: str | None = ..., boxes: bool = ..., depth: int | None = ..., tree: bool = ...) -> AriaData: ...
    @overload
    async def call(self, operation: Literal["page.console"], /, *, url: str | None = ..., timeout_ms: int = ..., level: Literal["error", "warning", "info", "debug"] = ..., all: bool = ..., clear: bool = ...) -> ConsoleData: ...
    @overload
    async def call(self, operation: Literal["page.coords"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> CoordsData: ...
    @overload
    async def call(self, operation: Literal["page.coords-all"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> AllCoordsData: ...
    @overload
    async def call(self, operation: Literal["page.elements"], /, *, url: str | None = ..., wait: bool = ..., timeout_ms: int = ...) -> ElementsData: ...
    @overload
    async def call(self, operation: Literal["page.eval"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., expression: str | None = ..., file: str | None = ..., arg: Any = ...) -> EvalData: ...
    @overload
    async def call(self, operation: Literal["page.find"], /, *, url: str | None = ..., text: str | None = ..., regex: str | None = ..., role: str | None = ..., max_results: int = ...) -> FindData: ...
    @overload
    async def call(self, operation: Literal["page.highlight"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., hide: bool = ...) -> HighlightData: ...
    @overload
    async def call(self, operation: Literal["page.html"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> HtmlData: ...
    @overload
    async def call(self, operation: Literal["page.locator"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> LocatorData: ...
    @overload
    async def call(self, operation: Literal["page.pdf"], /, *, url: str | None = ..., output: str = ..., format: Literal["Letter", "Legal", "Tabloid", "A0", "A1", "A2", "A3", "A4", "A5", "A6"] = ..., landscape: bool = ..., background: bool = ..., scale: float = ..., pages: str | None = ...) -> PdfData: ...
    @overload
    async def call(self, operation: Literal["page.pick"], /, *, url: str | None = ..., timeout_secs: int = ...) -> PickData: ...
    @overload
    async def call(self, operation: Literal["page.read"], /, *, url: str | None = ..., output_format: Literal["markdown", "text", "html"] = ..., metadata: bool = ...) -> ReadData: ...
    @overload
    async def call(self, operation: Literal["page.resize"], /, *, url: str | None = ..., width: int, height: int) -> SizeData: ...
    @overload
    async def call(self, operation: Literal["page.run"], /, *, url: str | None = ..., code: str | None = ..., file: str | None = ...) -> RunData: ...
    @overload
    async def call(self, operation: Literal["page.snapshot"], /, *, url: str | None = ..., text_only: bool = ..., full: bool = ..., max_text_length: int = ...) -> SnapshotData: ...
    @overload
    async def call(self, operation: Literal["page.text"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> TextData: ...
    @overload
    async def call(self, operation: Literal["page.title"], /, *, url: str | None = ...) -> TitleData: ...
    @overload
    async def call(self, operation: Literal["page.url"], /, *, url: str | None = ...) -> UrlData: ...
    @overload
    async def call(self, operation: Literal["press"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., key: str) -> PressData: ...
    @overload
    async def call(self, operation: Literal["profile.copy"], /, *, name: str, to: str) -> CopiedData: ...
    @overload
    async def call(self, operation: Literal["profile.create"], /, *, name: str, config: dict[str, Any] = ...) -> ProfileCreatedData: ...
    @overload
    async def call(self, operation: Literal["profile.delete"], /, *, name: str, purge: bool = ...) -> DeletedData: ...
    @overload
    async def call(self, operation: Literal["profile.list"], /) -> ProfilesData: ...
    @overload
    async def call(self, operation: Literal["profile.rename"], /, *, name: str, to: str) -> RenamedData: ...
    @overload
    async def call(self, operation: Literal["profile.restore"], /, *, name: str) -> RestoredData: ...
    @overload
    async def call(self, operation: Literal["profile.set"], /, *, name: str, file: str | None = ..., config: dict[str, Any] | None = ..., settings: dict[str, Any] | None = ...) -> WrittenData: ...
    @overload
    async def call(self, operation: Literal["profile.show"], /, *, name: str | None = ...) -> ProfileConfig: ...
    @overload
    async def call(self, operation: Literal["profile.trust"], /, *, name: str) -> TrustedData: ...
    @overload
    async def call(self, operation: Literal["protect.add"], /, *, pattern: str) -> AddedData: ...
    @overload
    async def call(self, operation: Literal["protect.list"], /) -> ProtectedListData: ...
    @overload
    async def call(self, operation: Literal["protect.remove"], /, *, pattern: str) -> RemovedData: ...
    @overload
    async def call(self, operation: Literal["relay.trace"], /) -> RelayTraceData: ...
    @overload
    async def call(self, operation: Literal["reload"], /, *, url: str | None = ...) -> HistoryData: ...
    @overload
    async def call(self, operation: Literal["requests.body"], /, *, url: str | None = ..., index: int, which: Literal["request", "response"] = ..., output: str | None = ...) -> BodyData: ...
    @overload
    async def call(self, operation: Literal["requests.clear"], /, *, url: str | None = ...) -> RequestsClearedData: ...
    @overload
    async def call(self, operation: Literal["requests.list"], /, *, url: str | None = ..., filter: str | None = ..., static: bool = ..., all: bool = ...) -> RequestsData: ...
    @overload
    async def call(self, operation: Literal["requests.show"], /, *, url: str | None = ..., index: int) -> RequestData: ...
    @overload
    async def call(self, operation: Literal["route.add"], /, *, pattern: str, status: int | None = ..., body: str | None = ..., content_type: str | None = ..., headers: dict[str, str] | None = ..., remove_headers: list[str] | None = ..., abort: bool = ...) -> AddedRouteData: ...
    @overload
    async def call(self, operation: Literal["route.list"], /) -> RoutesData: ...
    @overload
    async def call(self, operation: Literal["route.remove"], /, *, pattern: str | None = ...) -> RoutesData: ...
    @overload
    async def call(self, operation: Literal["screenshot"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., output: str = ..., full_page: bool = ..., inline: bool = ...) -> ScreenshotData: ...
    @overload
    async def call(self, operation: Literal["select"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., values: list[str]) -> SelectData: ...
    @overload
    async def call(self, operation: Literal["session.clear"], /) -> SessionClearedData: ...
    @overload
    async def call(self, operation: Literal["session.kill"], /, *, pids: list[int], window: bool = ...) -> KilledData: ...
    @overload
    async def call(self, operation: Literal["session.list"], /, *, others: bool = ...) -> SessionsData: ...
    @overload
    async def call(self, operation: Literal["session.pause"], /, *, name: str | None = ..., while_connected: bool = ...) -> HoldData: ...
    @overload
    async def call(self, operation: Literal["session.resume"], /, *, name: str | None = ...) -> HoldData: ...
    @overload
    async def call(self, operation: Literal["session.start"], /, *, headful: bool = ..., cdp: bool | None = ..., port: int | None = ...) -> SessionData: ...
    @overload
    async def call(self, operation: Literal["session.status"], /) -> StatusData: ...
    @overload
    async def call(self, operation: Literal["session.step"], /, *, name: str | None = ...) -> HoldData: ...
    @overload
    async def call(self, operation: Literal["session.stop"], /, *, pid: int | None = ...) -> StoppedData: ...
    @overload
    async def call(self, operation: Literal["sessionstorage.clear"], /, *, url: str | None = ...) -> StorageDeletedData: ...
    @overload
    async def call(self, operation: Literal["sessionstorage.delete"], /, *, url: str | None = ..., key: str) -> StorageDeletedData: ...
    @overload
    async def call(self, operation: Literal["sessionstorage.get"], /, *, url: str | None = ..., key: str) -> StorageGetData: ...
    @overload
    async def call(self, operation: Literal["sessionstorage.list"], /, *, url: str | None = ...) -> StorageListData: ...
    @overload
    async def call(self, operation: Literal["sessionstorage.set"], /, *, url: str | None = ..., key: str, value: str) -> StorageSetData: ...
    @overload
    async def call(self, operation: Literal["state.load"], /, *, file: str) -> StateData: ...
    @overload
    async def call(self, operation: Literal["state.save"], /, *, output: str = ...) -> StateData: ...
    @overload
    async def call(self, operation: Literal["tabs.close"], /, *, target: str | int | None = ...) -> ClosedData: ...
    @overload
    async def call(self, operation: Literal["tabs.list"], /) -> TabsData: ...
    @overload
    async def call(self, operation: Literal["tabs.new"], /, *, url: str | None = ...) -> TabCreatedData: ...
    @overload
    async def call(self, operation: Literal["tabs.switch"], /, *, target: str | int) -> SwitchedData: ...
    @overload
    async def call(self, operation: Literal["trace.start"], /, *, screenshots: bool = ..., snapshots: bool = ...) -> TraceStartedData: ...
    @overload
    async def call(self, operation: Literal["trace.stop"], /, *, output: str = ...) -> RecordedData: ...
    @overload
    async def call(self, operation: Literal["type"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., text: str, delay_ms: int = ..., submit: bool = ...) -> TypeData: ...
    @overload
    async def call(self, operation: Literal["uncheck"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ...) -> ElementEffect: ...
    @overload
    async def call(self, operation: Literal["upload"], /, *, selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., files: list[str]) -> UploadData: ...
    @overload
    async def call(self, operation: Literal["verify.element"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., role: str | None = ..., name: str | None = ..., exact: bool = ...) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["verify.list"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., items: list[str], exact: bool = ...) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["verify.text"], /, *, negate: bool = ..., url: str | None = ..., text: str, exact: bool = ...) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["verify.title"], /, *, negate: bool = ..., url: str | None = ..., text: str, exact: bool = ...) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["verify.url"], /, *, negate: bool = ..., url: str | None = ..., text: str | None = ..., glob: str | None = ..., regex: str | None = ...) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["verify.value"], /, *, negate: bool = ..., selector: str | None = ..., ref: str | None = ..., words: str | None = ..., within: str | None = ..., within_role: str | None = ..., url: str | None = ..., value: str) -> VerifiedData: ...
    @overload
    async def call(self, operation: Literal["video.chapter"], /, *, title: str, description: str | None = ..., duration_ms: int = ...) -> ChapterData: ...
    @overload
    async def call(self, operation: Literal["video.start"], /, *, url: str | None = ..., output: str = ..., size: str | None = ..., fps: int = ...) -> VideoStartedData: ...
    @overload
    async def call(self, operation: Literal["video.stop"], /) -> VideoStoppedData: ...
    @overload
    async def call(self, operation: Literal["wait"], /, *, url: str | None = ..., condition: str | int, state: Literal["attached", "visible", "hidden", "detached"] = ...) -> WaitData: ...
    @overload
    async def call(self, operation: Literal["wait.text"], /, *, url: str | None = ..., text: str, gone: bool = ...) -> WaitedData: ...
    @overload
    async def call(self, operation: Literal["wait.url"], /, *, url: str) -> WaitedData: ...
    async def _call(self, op: str, input: dict[str, Any]) -> Data: ...
