"""The time of the snapshot parser, compared with the browser's time for the snapshot.

Run: python -m bench.snapshot_parser
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from statistics import median
from time import perf_counter

from playwright.sync_api import Page, sync_playwright

from pwtui.protocol.snapshot import parse_snapshot

ELEMENTS = 10_000
BROWSER_ROUNDS = 5
PARSER_ROUNDS = 25

# Links, fields, headings and list items, so that names, values, states and properties are measured.
FILL_PAGE = """count => {
  const kinds = [
    i => `<li>Item ${i}: some text</li>`,
    i => `<a href="/page/${i}">Go to page ${i}</a>`,
    i => `<button aria-pressed="${i % 3 === 0}">Press "${i}"</button>`,
    i => `<input aria-label="Field ${i}" placeholder="Value" value="${i}">`,
    i => `<h3>Heading ${i}</h3>`,
  ];
  const parts = [];
  for (let i = 0; i < count; ++i)
    parts.push(kinds[i % kinds.length](i));
  document.body.innerHTML = parts.join('');
}"""


def median_seconds(rounds: int, action: Callable[[], object]) -> float:
    times = []
    for _ in range(rounds):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return median(times)


def measure(page: Page) -> None:
    page.evaluate(FILL_PAGE, ELEMENTS)
    text = page.aria_snapshot(mode="ai")
    tree = parse_snapshot(text)
    assert tree.render() == text

    browser = median_seconds(BROWSER_ROUNDS, lambda: page.aria_snapshot(mode="ai"))
    rows = [
        ("browser: aria_snapshot", browser),
        ("parse", median_seconds(PARSER_ROUNDS, lambda: parse_snapshot(text))),
        ("render", median_seconds(PARSER_ROUNDS, tree.render)),
        ("to_json", median_seconds(PARSER_ROUNDS, tree.to_json)),
    ]

    lines = text.count("\n") + 1
    print(f"{ELEMENTS:,} elements, {lines:,} lines, {len(tree.nodes):,} nodes, {len(text):,} chars")
    print(f"{'step':<24}{'median':>12}{'of browser':>12}")
    for step, seconds in rows:
        print(f"{step:<24}{seconds * 1000:>9.2f} ms{seconds / browser:>12.2%}")


def main() -> None:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        try:
            measure(browser.new_page())
        finally:
            browser.close()


if __name__ == "__main__":
    main()
