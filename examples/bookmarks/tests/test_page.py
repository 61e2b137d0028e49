"""The page for two devices in a headless Chromium of the system."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

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
  for (const box of document.querySelectorAll("main, section, div")) {
    if (box.scrollWidth > box.clientWidth) found.push(`“${box.textContent}” is wider than its place`);
  }
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
  for (const target of document.querySelectorAll("button")) {
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


def test_n1_a_reader_switches_devices(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults)
    phone = page.get_by_role("region", name="Phone")
    tablet = page.get_by_role("region", name="Tablet")
    expect(tablet.locator(".place")).to_have_text("Page 1 of 6")
    for number in (2, 3, 4):
        phone.get_by_role("button", name="Next").click()
        expect(phone.locator(".place")).to_have_text(f"Page {number} of 6")
    phone.get_by_role("button", name="Mark").click()
    phone.get_by_role("button", name="Highlight paragraph 1").click()
    expect(page.locator("#cost")).to_contain_text("one write of 1 unit")
    go = tablet.get_by_role("button", name="Go to page 4")
    # The tablet has followed already if it first looked after the phone had turned.
    expect(go.or_(tablet.get_by_text("Page 4 of 6"))).to_be_visible()
    if go.is_visible():
        go.click()
    expect(tablet.locator(".place")).to_have_text("Page 4 of 6")
    expect(tablet.get_by_role("button", name="Mark")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(tablet.locator("mark")).to_contain_text("Burning with curiosity")
    tablet.get_by_role("button", name="Next").click()
    expect(phone.locator(".notice")).to_contain_text("The tablet is on page 5.")
    assert page.evaluate(EXAMINED) == []
    page.screenshot(path=SHOTS / "devices-desktop-light.png")
    phone.get_by_role("button", name="Stay here").click()
    expect(tablet.locator(".notice")).to_contain_text("The phone is on page 4.")
    tablet.get_by_role("button", name="Go to page 4").click()
    tablet.get_by_role("button", name="Highlight paragraph 1").click()
    expect(phone.locator("mark")).to_have_count(0)


def test_n1_a_device_that_was_offline_overwrites_nothing(
    browser: Browser, address: str, faults: list[str]
) -> None:
    one = opened(browser, address, faults, "/?device=tablet")
    one.get_by_role("button", name="Next").click()
    expect(one.locator("#cost")).to_contain_text("1 unit")
    look = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}
    other = opened(browser, address, faults, "/?device=phone", **look)
    expect(other.locator(".place")).to_have_text("Page 2 of 6")
    own: list[str] = []
    faults_of_offline = faults.copy()
    other.context.set_offline(True)
    expect(other.locator(".notice")).to_contain_text("Offline")
    for number in (3, 4, 5):
        one.get_by_role("button", name="Next").click()
        expect(one.locator(".place")).to_have_text(f"Page {number} of 6")
    expect(one.locator("#cost")).to_contain_text("1 unit")
    one.wait_for_timeout(300)
    other.get_by_role("button", name="Next").click()
    # It comes back at once, with what it had turned to.
    other.context.set_offline(False)
    expect(other.locator(".notice")).to_contain_text("The tablet is on page 5.")
    expect(other.locator(".place")).to_have_text("Page 3 of 6")
    assert other.evaluate(EXAMINED) == []
    other.screenshot(path=SHOTS / "elsewhere-phone-dark.png")
    other.get_by_role("button", name="Go to page 5").click()
    expect(other.locator(".place")).to_have_text("Page 5 of 6")
    # The browser says of each request that there is no connection.
    own = [one for one in faults if "ERR_INTERNET_DISCONNECTED" not in one]
    assert own == faults_of_offline
    faults.clear()


def test_a_device_that_there_is_not_is_said_with_links_to_those_there_are(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults, "/?device=nokia")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("There is no device “nokia”")
    assert page.evaluate(EXAMINED) == []
    expect(alert.get_by_role("link")).to_have_text(["Phone", "Tablet", "Both"])
    alert.get_by_role("link", name="Tablet").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(["Tablet"])


def test_a_first_view_takes_few_requests_and_few_bytes(
    browser: Browser, address: str, faults: list[str]
) -> None:
    for path, devices in {"": 2, "?device=phone": 1}.items():
        page = opened(browser, "about:blank", faults, "")

        def is_there(page: Page, devices: int = devices) -> None:
            expect(page.get_by_text("Page 1 of 6")).to_have_count(devices)

        is_light(page, f"{address}/{path}", is_there)


def test_on_the_narrowest_phone_nothing_is_cut_off(
    browser: Browser, address: str, faults: list[str]
) -> None:
    size = {"width": 320, "height": 568}
    page = opened(browser, address, faults, viewport=size, color_scheme="dark")
    phone = page.get_by_role("region", name="Phone")
    expect(page.get_by_text("Page 1 of 6")).to_have_count(2)
    phone.get_by_role("button", name="Next").click()
    expect(page.locator("#cost")).to_contain_text("1 unit")
    assert page.evaluate(EXAMINED) == []
    page.screenshot(path=SHOTS / "devices-narrow-dark.png", full_page=True)


def test_the_keyboard_reaches_everything(
    browser: Browser, address: str, faults: list[str]
) -> None:
    page = opened(browser, address, faults, "/?device=phone", color_scheme="dark")
    seen = []
    for _ in range(6):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                """() => {
                  const one = document.activeElement;
                  const isSeen = getComputedStyle(one).outlineStyle !== "none";
                  return isSeen ? one.getAttribute("aria-label") || one.textContent : "not seen";
                }"""
            )
        )
    lights = ["Highlight paragraph 1", "Highlight paragraph 2"]
    assert seen == [*lights, "Mark", "Next", "Only a phone", "Both"]
    page.get_by_role("button", name="Highlight paragraph 2").focus()
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_count(0)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(EXAMINED) == [], scheme
