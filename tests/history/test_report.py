"""The report: one file, all page text escaped, used in a browser without network."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

from PIL import Image

from pwtui.history.report import to_html
from pwtui.history.steps import read_steps
from pwtui.history.tables import Observed
from tests.client import Client
from tests.history.support import Kept

EVIL = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"


def picture(colour: str) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(file, "JPEG")
    return file.getvalue()


async def test_a_report_is_clicked_through_without_network(tmp_path: Path, client: Client) -> None:
    kept = Kept(tmp_path)
    first = kept.add(op="navigate", time=time.time() - 2)
    kept.look(first, "- heading A", picture("red"))
    second = kept.add(request={"input": {"selector": EVIL}})
    kept.look(second, f"- heading B\n- text: {EVIL}", picture("blue"))
    event = {"type": "error", "text": EVIL}
    kept.writer.add_events(
        [Observed(time.time(), "console", "/shop", "default", "key", json.dumps(event))]
    )
    with kept.read() as history:
        text = to_html(list(read_steps(history, history.entries())))
    kept.writer.close()
    file = tmp_path / "run.html"
    file.write_text(text)
    assert "<script" not in text
    await client.data("navigate", {"url": file.as_uri()})
    assert (await client.data("page.title"))["title"] == "2 requests, 0 failed"
    await client.data("click", {"selector": f"nav a[href='#{second}']"})
    assert (await client.data("page.url"))["url"].endswith(f"#{second}")
    section = f"[id='{second}']"
    for name in ("tree", "console", "request"):
        await client.data("click", {"selector": f"{section} summary:has-text('{name}')"})
    tree = await client.data(
        "page.text", {"selector": f"{section} details:has-text('tree') >> nth=0"}
    )
    assert "-- heading A" in tree["text"]
    assert EVIL in tree["text"]
    shown = "[...document.querySelectorAll('img')].map(each => each.alt + each.naturalWidth)"
    found = await client.data("page.eval", {"expression": shown})
    assert found["result"] == ["after40", "before40", "after40"]
    listed = await client.data("requests.list", {"static": True})
    assert [
        each for each in listed["requests"] if not each["url"].startswith(("file:", "data:"))
    ] == []
