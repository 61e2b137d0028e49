"""The page in a headless Chromium of the system."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from keyfold import testing
from playwright.sync_api import Browser, Page, expect, sync_playwright
from test_start import started
from weighed import is_light

SHOTS = Path(__file__).resolve().parent.parent / "screenshots" / "made"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]

EXAMINED = """() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push("scrolls sideways");
  if (document.querySelectorAll("h1").length !== 1) found.push("has not one h1");
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if ((parts(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const element = node.parentElement;
    const hidden = element.closest("noscript,script,:disabled") !== null || !element.checkVisibility();
    if (node.data.trim() === "" || hidden) continue;
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)} of “${node.data.trim()}”`);
  }
  for (const target of document.querySelectorAll("button,select,input")) {
    const { height, width } = target.getBoundingClientRect();
    if (height < 40 || width < 40) found.push(`“${target.textContent}” is ${width} by ${height}`);
  }
  return found;
}"""


def chromium() -> str:
    """The browser of the system."""
    found = os.environ.get("KEYFOLD_CHROMIUM") or next(
        filter(None, map(shutil.which, NAMES)), None
    )
    assert found, "install Debian's package chromium, or name one in KEYFOLD_CHROMIUM"
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield made
        made.close()


@pytest.fixture
def address() -> Iterator[str]:
    """The page on a server in memory."""
    with testing.serve() as server, started(server.endpoint) as (made, _):
        yield made


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """What the browser complains of, which must be nothing."""
    found: list[str] = []
    yield found
    assert found == []


def opened(
    browser: Browser, address: str, faults: list[str], path: str = "/", **look: object
) -> Page:
    """The page at a size and in a colour scheme."""
    size = {"width": 1280, "height": 800}
    options = {"viewport": size, **look}
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(10_000)
    page.on("pageerror", lambda error: faults.append(str(error)))

    def said(text: str) -> None:
        # The browser itself says so of each answer that is a problem.
        if not re.search(r"status of 4\d\d", text):
            faults.append(text)

    page.on("console", lambda message: said(message.text))
    page.goto(f"{address}{path}")
    SHOTS.mkdir(parents=True, exist_ok=True)
    return page


def test_on_a_small_desk_no_column_is_cut(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults, viewport={"width": 1200, "height": 800})
    expect(page.locator("#said")).to_have_text("Both answers are the same.")
    cut = "[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth)"
    assert page.evaluate(cut) == [0, 0]


def test_n2_both_answers_stand_beside_each_other(
    browser: Browser, address: str, faults: list[str]
) -> None:
    desk: dict[str, Any] = {}
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}}
    for look, name in ((desk, "desktop"), (phone, "phone")):
        for scheme in ("light", "dark"):
            page = opened(browser, address, faults, **look, color_scheme=scheme)
            expect(page.locator("#said")).to_have_text("Both answers are the same.")
            assert page.evaluate(EXAMINED) == [], (name, scheme)
            page.screenshot(path=SHOTS / f"sides-{name}-{scheme}.png")
    page.get_by_label("Customer").select_option("C007")
    expect(page.locator("#sides")).not_to_contain_text("T000001")
    both = [
        page.get_by_role("region", name=name).locator("tbody").inner_text()
        for name in ("SQL", "Keyfold")
    ]
    assert both[0] == both[1]
    page.get_by_role("button", name="Import again").click()
    expect(page.locator("#said")).to_contain_text("0 were written and 0 deleted")
    assert re.search(
        r"[1-9]\d* orders have no address", page.locator("#said").inner_text()
    )


def test_n2_a_street_that_is_renamed_is_marked_until_the_import(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults, viewport={"width": 390, "height": 844})
    expect(page.locator("#said")).to_have_text("Both answers are the same.")
    page.get_by_label("Address").select_option("8514")
    page.get_by_label("New street").fill("Havnegata 1")
    page.get_by_label("New street").press("Enter")
    expect(page.locator("#said")).to_contain_text(
        re.compile(
            r"The street in 8514 Narvik is Havnegata 1 in PostgreSQL. [1-9]\d* orders? (is|are) not the same"
        )
    )
    sql, keyfold = (
        page.get_by_role("region", name=name) for name in ("SQL", "Keyfold")
    )
    marked = sql.locator("tr.other")
    expect(marked.first).to_contain_text("Havnegata 1")
    expect(keyfold.locator("tr.other").first).to_contain_text("Kongens gate 33")
    assert page.get_by_label("Address").input_value() == "8514"
    assert page.evaluate(EXAMINED) == []
    page.screenshot(path=SHOTS / "renamed-phone-light.png", full_page=True)
    page.get_by_role("button", name="Import again").click()
    expect(page.locator("#said")).to_contain_text("Both answers are the same.")
    assert re.search(r"[1-9]\d* were written", page.locator("#said").inner_text())
    expect(marked).to_have_count(0)
    page.get_by_label("New street").fill("  ")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator("#said")).to_contain_text("The member street is blank.")


def test_a_first_view_takes_few_requests_and_few_bytes(
    browser: Browser, address: str, faults: list[str]
) -> None:
    def is_there(page: Page) -> None:
        expect(page.locator("#said")).to_have_text("Both answers are the same.")

    page = opened(browser, "about:blank", faults, "")
    is_light(page, f"{address}/", is_there)


def test_the_keyboard_reaches_everything(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults, viewport={"width": 390, "height": 844})
    expect(page.locator("#said")).to_have_text("Both answers are the same.")
    # Places that scroll have the focus, too, and are no links, buttons or fields.
    focused = """() => {
      const one = document.activeElement;
      const {outlineStyle, outlineWidth} = getComputedStyle(one);
      const isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      const name = one.labels?.[0]?.textContent ?? one.textContent;
      return one.matches("a, button, input, select") ? [name, isSeen] : null;
    }"""
    seen = []
    for _ in range(9):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(focused))
    reached = [one for one in seen if one is not None]
    names = ["API", "Customer", "Import again", "Address", "New street"]
    names.append("Rename in PostgreSQL")
    assert reached[:6] == [[name, True] for name in names]
    count = "document.querySelectorAll('a, button, input, select').length"
    assert page.evaluate(count) == 6
    while page.evaluate("document.activeElement.id") != "customer":
        page.keyboard.press("Tab")
    before = page.get_by_label("Customer").input_value()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Customer")).not_to_have_value(before)
    expect(page.locator("#said")).to_have_text("Both answers are the same.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_contain_text("0 were written and 0 deleted")
