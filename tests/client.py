"""A caller of the executor, as tests need one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from playwright.async_api import Playwright

from pwtui.browser.launch.driver_process import Driver, DriverSlot
from pwtui.browser.session.pool import BrowserPool
from pwtui.engine.executor import Executor
from pwtui.protocol.envelope import ErrorBody, Response
from pwtui.runtime.caller import Caller
from pwtui.state.profiles import Profiles
from pwtui.state.workspace import Workspace


class SharedDriver(DriverSlot):
    """Playwright's driver takes longer to start than a browser: all clients of a run share one."""

    running: ClassVar[Driver | None] = None

    async def stop(self) -> bool:
        driver, self.current = self.current, None
        return driver is not None

    async def get(self) -> Playwright:
        if self.current is None:
            if SharedDriver.running is None or not SharedDriver.running.lives:
                SharedDriver.running = await Driver.start()
            self.current = SharedDriver.running
        playwright = await super().get()
        SharedDriver.running = self.current  # another one if that had hung
        return playwright

    @classmethod
    async def end(cls) -> None:
        driver, cls.running = cls.running, None
        if driver is not None:
            await driver.stop()


class Client:
    """Sends requests as JSON, as every real caller does."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        pool = BrowserPool()
        pool._driver = SharedDriver(pool._end_orphans, None)
        self.executor = Executor(pool)
        self.caller = Caller(workspace=Workspace(self.root), cwd=self.root, mode="batch")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.executor.close()

    @property
    def profiles(self) -> Profiles:
        return Profiles(self.caller.workspace)

    async def send(
        self,
        op: str,
        input: dict[str, Any] | None = None,
        *,
        profile: str | None = None,
        overrides: dict[str, Any] | None = None,
        **caller: Any,
    ) -> Response:
        """The response to a request; further keywords change the caller (mode, artifacts_dir…)."""
        request: dict[str, Any] = {"op": op, "input": input or {}}
        request["runtime"] = {"profile": profile, "overrides": overrides}
        return await self.send_raw(request, **caller)

    async def send_raw(self, request: Any, **caller: Any) -> Response:
        from pwtui.protocol.envelope import UndecodableRequest, decode_request_object

        try:
            decoded = decode_request_object(request)
        except UndecodableRequest as error:
            return error.response()
        return await self.executor.execute(decoded, self.caller._replace(**caller))

    async def data(self, op: str, input: dict[str, Any] | None = None, **more: Any) -> Any:
        """The data of a request that must succeed."""
        response = await self.send(op, input, **more)
        assert response.ok, response.error
        return response.data

    async def error(self, op: str, input: dict[str, Any] | None = None, **more: Any) -> ErrorBody:
        """The error of a request that must fail."""
        response = await self.send(op, input, **more)
        assert not response.ok, response.data
        assert response.error is not None
        return response.error
