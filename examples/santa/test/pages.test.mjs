/** The pages in a headless Chromium: on a phone and on a desk, in the light and in the dark. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { open } from "../dist/workshop.js";
import { launch } from "./browser.mjs";
import { isLight } from "./weighed.mjs";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
/** The looks of which a person looks at pictures. */
const SEEN = ["phone-dark", "desktop-light"];
/** How far a layout may shift in all: a page that comes in pieces to a busy machine moves a line. */
const SHIFTS_MAX = 0.01;
const SHOTS = new URL("../screenshots/made/", import.meta.url).pathname;

let workshop, browser;
const faults = [];

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  [workshop, browser] = await Promise.all([
    open({ connection: "memory:", cursorSecret: "a secret of the tests", seeded: true }),
    launch(),
  ]);
});
after(async () => {
  await browser?.close();
  await workshop?.close();
});

/** A new page of the browser, at a path. Whatever it complains of is a fault. */
async function at(path, options) {
  const page = await browser.open({ baseURL: workshop.address, ...options });
  page.on("console", (message) => {
    // The browser itself says so of each answer that is a problem.
    if (!/status of 4\d\d/.test(message.text())) faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error}`));
  await page.goto(path);
  return page;
}

const pieces = (page, toy) => page.getByRole("spinbutton", { name: toy });
const json = async (path) => (await fetch(`${workshop.address}/api${path}`)).json();
const kofi = async () =>
  (await json("/letters")).letters.find(({ child }) => child === "Kofi Mensah").letterId;

/** What is wrong with the page as it is shown: sizes, contrasts, labels. */
function examined() {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    found.push(`scrolls sideways by ${root.scrollWidth - root.clientWidth}`);
  if (document.querySelectorAll("h1").length !== 1) found.push("has not one h1");
  const parts = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parts(color).map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
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
    if (node.data.trim() === "" || element.closest("noscript,script") !== null || !element.checkVisibility())
      continue;
    const [one, other] = [light(getComputedStyle(element).color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)} of “${node.data.trim()}”`);
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]),textarea")) {
    if (field.labels.length === 0) found.push(`${field.id} has no label`);
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) found.push("an id stands twice");
  for (const target of document.querySelectorAll("a.button,button,nav a,input:not([type=hidden])")) {
    const { height } = target.getBoundingClientRect();
    if (height > 0 && height < 40) found.push(`“${target.textContent}” is ${height} high`);
  }
  return found;
}

test("S1 to S9: each page fits a phone and a desk, in the light and in the dark", async () => {
  const letter = `/letters/${await kofi()}`;
  const pages = {
    toys: "/toys",
    toy: "/toys/kite",
    letters: "/letters",
    letter,
    history: `${letter}/history`,
  };
  const forms = {
    write: "/letters/new",
    change: `${letter}/change`,
    "new-toy": "/toys/new",
    price: "/toys/kite/price",
  };
  const looks = [PHONE, DESK].flatMap((viewport) =>
    ["light", "dark"].map((colorScheme) => ({ viewport, colorScheme })),
  );
  await Promise.all(
    looks.map(async (look) => {
      const page = await at("/", look);
      await page.addInitScript(() => {
        window.shifts = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.shifts += value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      const name = `${look.viewport === PHONE ? "phone" : "desktop"}-${look.colorScheme}`;
      for (const [file, path] of Object.entries({ ...pages, ...forms, missing: "/nothing" })) {
        await page.goto(path);
        assert.deepEqual(await page.evaluate(examined), [], `${path} ${name}`);
        const shifts = await page.evaluate(() => window.shifts);
        assert.ok(shifts < SHIFTS_MAX, `${path} ${name}: the layout shifts by ${shifts}`);
        if (SEEN.includes(name)) await page.screenshot({ path: `${SHOTS}${file}-${name}.png` });
      }
      await page.context().close();
    }),
  );
  assert.deepEqual(faults, []);
});

test("S1 to S9: a first view of each page takes few requests and few bytes", async () => {
  const letter = `/letters/${await kofi()}`;
  const lists = ["/", "/toys", "/toys/kite", "/letters", letter, `${letter}/history`];
  const forms = ["/letters/new", `${letter}/change`, "/toys/new", "/toys/kite/price"];
  for (const path of [...lists, ...forms]) {
    const page = await browser.open({ baseURL: workshop.address });
    await isLight(page, path, () => page.locator("h1").waitFor());
    await page.context().close();
  }
});

/** What has the focus: its text, or the name of the field. */
const focus = (page) =>
  page.evaluate(() => {
    const { activeElement: one } = document;
    const style = getComputedStyle(
      one.matches(".card h2 a") ? one : one,
      one.matches(".card h2 a") ? "::after" : null,
    );
    return [
      one.name || one.id || one.textContent.trim(),
      style.outlineStyle !== "none" || one.matches(".skip"),
    ];
  });

test("the keyboard reaches everything in the order of the page, and the focus is seen", async () => {
  const page = await at("/letters/new");
  const seen = [];
  for (let n = 0; n < 12; n += 1) {
    await page.keyboard.press("Tab");
    const [name, isVisible] = await focus(page);
    assert.ok(isVisible, `the focus on ${name} is not seen`);
    seen.push(name);
  }
  const bar = ["Skip to the content", "Santa’s Workshop", "Toys", "Letters", "Write a letter"];
  const fields = ["child", "address", "find", "pieces.box-of-paints", "pieces.building-blocks"];
  assert.deepEqual(seen.slice(0, 10), [...bar, ...fields]);
  // The bar with the total hides no field that has the focus.
  for (let n = 0; n < 10; n += 1) {
    const hidden = await page.evaluate(() => {
      const { bottom } = document.activeElement.getBoundingClientRect();
      const bar = document.querySelector(".sum");
      return !bar.contains(document.activeElement) && bottom > bar.getBoundingClientRect().top;
    });
    assert.equal(hidden, false, (await focus(page))[0]);
    await page.keyboard.press("Tab");
  }
  await page.goto("/letters/01HM5Z2V4XA7B8C9D0E1F2G3H4");
  assert.doesNotMatch(await page.locator("footer").textContent(), /request/, "its requests are not known");
  await page.goto("/toys");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.deepEqual(await focus(page), ["New toy", true]);
  await page.keyboard.press("Tab");
  assert.deepEqual(await focus(page), ["Box of paints", true]);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/toys/box-of-paints");
});

test("S5 S7 S9: a letter is written, a price rises, and the history stays", async () => {
  const page = await at("/letters/new", { viewport: PHONE, colorScheme: "dark" });
  await page.getByLabel("Your name").fill("Ole <b>& Liv</b>");
  await page.getByLabel("Address").fill("Kirkegata 1\nBergen, Norway");
  assert.equal(await page.locator("#sum").textContent(), "Nothing chosen yet");
  await page.getByLabel("Find a toy").fill("SPIN");
  assert.equal(await page.locator(".choices li:visible").count(), 1);
  await page.getByLabel("One Spinning top more").click();
  await page.getByLabel("One Spinning top more").click();
  await page.getByLabel("Find a toy").fill("");
  await pieces(page, "Music box").fill("1");
  assert.equal(await page.locator("#sum").textContent(), "3 pieces, €52.50");
  await page.getByRole("button", { name: "Send the letter" }).click();
  await page.waitForURL("**?done=sent");
  assert.equal(await page.getByRole("status").textContent(), "The letter is on its way.");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "The letter of Ole <b>& Liv</b>");
  assert.equal(await page.locator("#total").textContent(), "€52.50");
  const letter = new URL(page.url()).pathname;

  await page.getByRole("link", { name: "Spinning top" }).click();
  assert.match(await page.locator(".figures").textContent(), /€12.50.*To deliver\s*4/s);
  assert.equal(await page.getByRole("link", { name: "Ole <b>& Liv</b>" }).count(), 1);
  await page.getByRole("link", { name: "Change the price" }).click();
  await page.getByLabel("New price in euros").fill("19,90");
  await page.getByRole("button", { name: "Change the price" }).click();
  await page.waitForURL("**?done=repriced");

  await page.goto(letter);
  await page.getByRole("link", { name: "As it was received" }).click();
  assert.equal(await page.locator("#total").textContent(), "€52.50");
  assert.match(await page.locator("main").textContent(), /€19.90 today.*cost\s+€67.30\s+today/s);
  assert.match(
    await page.locator("footer").textContent(),
    /2 requests, 1.5 units: GetItem 0.5, BatchGetItem 1\./,
  );
  await page.screenshot({ path: `${SHOTS}story-phone-dark.png` });
  assert.deepEqual(faults, []);
});

test("S5: of two tabs that change one letter, the second is refused and hears what the first has done", async () => {
  const letter = `/letters/${await kofi()}`;
  const dark = { viewport: PHONE, colorScheme: "dark" };
  const [one, other] = await Promise.all([at(`${letter}/change`), at(`${letter}/change`, dark)]);
  await pieces(one, "Telescope").fill("3");
  await one.getByRole("button", { name: "Save the letter" }).click();
  await one.waitForURL("**?done=changed");

  await pieces(other, "Kite").fill("5");
  await other.getByRole("button", { name: "Save the letter" }).click();
  const alert = other.getByRole("alert");
  assert.match(
    await alert.textContent(),
    /Another elf has changed it.*Telescope: the letter has 3 now, you sent 1\./s,
  );
  assert.equal(await pieces(other, "Kite").inputValue(), "5", "what was typed is kept");
  assert.deepEqual(await other.evaluate(examined), []);
  await other.screenshot({ path: `${SHOTS}conflict-phone-dark.png` });
  await other.getByRole("button", { name: "Save the letter" }).click();
  await other.waitForURL("**?done=changed");
  assert.match(await other.locator("tbody").textContent(), /Kite.*5.*Telescope.*1/s);
});

test("S5: a price that changes while a letter is written is said before it is sent", async () => {
  const page = await at("/letters/new");
  await page.getByLabel("Your name").fill("Per");
  await page.getByLabel("Address").fill("Oslo");
  await pieces(page, "Sledge").fill("1");
  const repricing = {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: '{"seen":7900,"price":8100}',
  };
  await fetch(`${workshop.address}/api/toys/sledge/price`, repricing);
  await page.getByRole("button", { name: "Send the letter" }).click();
  assert.match(await page.getByRole("alert").textContent(), /The price of Sledge was changed/);
  assert.equal(await page.locator("#sum").textContent(), "1 piece, €81.00");
  await page.getByRole("button", { name: "Send the letter" }).click();
  await page.waitForURL("**?done=sent");
});

test("S6: forms that are refused say what is wrong, keep what was typed, and work without a script", async () => {
  const page = await at("/toys/new", { javaScriptEnabled: false });
  await page.getByLabel("Name").fill("Kite");
  await page.getByLabel("Description").fill("Another one.");
  await page.getByLabel("Price").fill("abc");
  const add = page.getByRole("button", { name: "Add the toy" });
  await add.click();
  assert.match(await page.getByRole("alert").textContent(), /The price is not an amount from 0\.01 to 10,000/);
  await page.getByRole("link", { name: "Go to the field" }).click();
  assert.equal(await page.getByLabel("Price").getAttribute("aria-invalid"), "true");
  await page.getByLabel("Price").fill("21.50");
  await add.click();
  assert.match(await page.getByRole("alert").textContent(), /There is a toy named Kite already/);
  await page.getByLabel("Name").fill("Box kite");
  await add.click();
  await page.waitForURL("**/toys/box-kite?done=created");

  await page.goto("/letters/new");
  assert.equal(await page.locator(".find,.step").locator("visible=true").count(), 0);
  await page.getByLabel("Your name").fill("Siri");
  await page.getByLabel("Address").fill("Bodø");
  await pieces(page, "Box kite").fill("2");
  await page.getByRole("button", { name: "Send the letter" }).click();
  await page.waitForURL("**?done=sent");
  assert.equal(await page.locator("#total").textContent(), "€43.00");
  // Sent again by the button for back, it is the same letter.
  await page.goBack();
  await page.getByRole("button", { name: "Send the letter" }).click();
  await page.waitForURL("**?done=sent");
  assert.equal((await json("/toys/box-kite")).wanted, 2);
  assert.deepEqual(faults, []);
});

test("of a catalogue of many toys a form has the first ones, and those of its letter", async (test) => {
  const many = await open({ connection: "memory:", cursorSecret: "a secret of the tests" });
  test.after(() => many.close());
  const toys = Array.from({ length: 520 }, (_, at) => {
    const toyId = `toy-${String(at).padStart(3, "0")}`;
    return { toyId, name: `Toy ${at}`, description: "One of many.", price: 100 + at };
  });
  while (toys.length > 0) await Promise.all(toys.splice(-40).map((toy) => many.santa.createToy(toy)));
  const page = async (path, form) => {
    const body = form && new URLSearchParams(form);
    const answer = await fetch(many.address + path, { method: body ? "POST" : "GET", body, redirect: "manual" });
    return { status: answer.status, text: await answer.text() };
  };
  const rows = (text) => [...text.matchAll(/name="price\.(toy-\d+)"/g)].map(([, toyId]) => toyId);
  const written = await page("/letters/new");
  assert.equal(written.status, 200);
  assert.equal(rows(written.text).length, 500);
  assert.match(written.text, /The first 500 toys are shown; there are more/);
  const letterId = /name="letterId" value="([^"]+)"/.exec(written.text)[1];
  // A toy that the form does not show is asked for by the API.
  const letter = { letterId, child: "Liv", address: "Bergen", wishes: [{ toyId: "toy-510", quantity: 2 }] };
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(letter) };
  assert.equal((await fetch(`${many.address}/api/letters`, sent)).status, 201);
  const changed = await page(`/letters/${letterId}/change`);
  assert.deepEqual([changed.status, rows(changed.text).length, rows(changed.text).at(-1)], [200, 501, "toy-510"]);
  // A form that is refused has its toys, too, whatever it names.
  const wishes = { "pieces.toy-511": "1", "pieces.nothing": "1" };
  const refused = await page("/letters", { letterId, child: "", address: "Bergen", ...wishes });
  assert.deepEqual([refused.status, rows(refused.text).length, rows(refused.text).at(-1)], [400, 501, "toy-511"]);
  const again = await page(`/letters/${letterId}/change`, { letterId, version: "9", address: "Bergen", ...wishes });
  assert.deepEqual([again.status, rows(again.text).length], [409, 502]);
});
