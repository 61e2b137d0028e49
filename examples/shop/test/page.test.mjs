/** The page in a headless Chromium: on a phone and on a desk, in the light and in the dark. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { open } from "../dist/server.js";
import { launch } from "./browser.mjs";
import { examined } from "./examined.mjs";
import { isLight } from "./weighed.mjs";

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const SHOTS = new URL("../screenshots/made/", import.meta.url).pathname;

let shop, browser;
const faults = [];

before(async () => {
  mkdirSync(SHOTS, { recursive: true });
  [shop, browser] = await Promise.all([
    open({ connection: "memory:", cursorSecret: "a secret of the tests", seeded: true }),
    launch(),
  ]);
});
after(async () => {
  await browser?.close();
  await shop?.close();
});

/** A new page of the browser, at an address. Whatever it complains of is a fault. */
async function at(hash, options) {
  const page = await browser.open({ baseURL: shop.address, ...options });
  page.on("console", (message) => {
    // The browser itself says so of each answer that is a problem.
    if (!/status of 4\d\d/.test(message.text())) faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error}`));
  await page.goto(`/${hash}`);
  await page.locator("#content h1").waitFor();
  return page;
}

const stock = (page, name) => page.locator(".card", { hasText: name }).locator(".stock");

async function fill(page, name, email) {
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("E-mail").fill(email);
}

test("E1 E3 E5: a person takes what is in stock, and orders it", async () => {
  const page = await at("", { viewport: PHONE, colorScheme: "dark" });
  const other = await at("#/writing");
  await page.getByLabel("One Fountain pen more").click();
  await page.getByLabel("One Fountain pen more").click();
  await page.getByLabel("One Blue-black ink more").click();
  assert.equal(await page.locator("#sum").textContent(), "3 pieces, €110.50");
  await fill(page, "Ole <b>& Liv</b>", "ole@example.com");
  const before = Number.parseInt(await stock(page, "Fountain pen").textContent(), 10);
  await page.getByRole("button", { name: "Order" }).click();
  await page.waitForURL("**/#/orders/*");
  assert.equal(await page.locator("#said").textContent(), "Thank you. The order is placed.");
  assert.equal(await page.locator("#total").textContent(), "€110.50");
  assert.match(await page.locator("tbody").textContent(), /Blue-black ink.*€12.50.*Fountain pen.*€98.00/s);
  // The names are the products', also of one who comes by the address and has seen none.
  const again = await at(new URL(page.url()).hash);
  await again.locator("tbody").waitFor();
  assert.match(await again.locator("tbody").textContent(), /Blue-black ink.*Fountain pen/s);
  // Whoever looks at the shop sees what is left, without asking for it.
  await other.locator(".stock", { hasText: `${before - 2} in stock` }).waitFor();
  await page.screenshot({ path: `${SHOTS}order-phone-dark.png` });
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("The order is paid.").waitFor();
  await page.getByRole("button", { name: "Ship" }).click();
  await page.getByText("The order is shipped.").waitFor();
  // The page reads the order again after it has said so.
  await page.locator("#status", { hasText: /^shipped$/ }).waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
  assert.deepEqual(await page.evaluate(examined), []);
  assert.deepEqual(faults, []);
});

test("E3 E5: of two people who want the last pieces, the second is refused and hears it, and keeps the basket", async () => {
  const [one, other] = [await at("#/desk"), await at("#/desk", { viewport: PHONE, colorScheme: "dark" })];
  for (const [page, name] of [
    [one, "Ada"],
    [other, "Grace"],
  ]) {
    for (let n = 0; n < 3; n += 1) await page.getByLabel("One Lamp of brass more").click();
    await fill(page, name, `${name}@example.com`);
  }
  await one.getByRole("button", { name: "Order" }).click();
  await one.waitForURL("**/#/orders/*");
  await other.getByRole("button", { name: "Order" }).click();
  const stocked = Number(/\d+/.exec(await other.locator("#said", { hasText: "can be had now" }).textContent())[0]);
  assert.ok(stocked > 0 && stocked < 3, `${stocked} in stock`);
  assert.match(await other.locator("#said").textContent(), /^Only \d pieces? of “Lamp of brass” can be had now. The basket has 3. Take fewer.$/);
  const { y } = await other.locator("#said p").boundingBox();
  assert.ok(y >= 0 && y < PHONE.height, `the message is at ${y}`);
  assert.match(await other.locator("#sum").textContent(), /^3 pieces/);
  assert.deepEqual(await other.evaluate(examined), []);
  await other.screenshot({ path: `${SHOTS}refused-phone-dark.png` });
  await other.getByLabel("One Lamp of brass less").click();
  await other.getByRole("button", { name: "Order" }).click();
  await other.waitForURL("**/#/orders/*");
  await one.goto("/#/desk");
  const soldOut = one.locator(".card", { has: one.locator(".stock", { hasText: "Sold out" }) });
  await soldOut.waitFor();
  // Nothing that is not there goes into the basket.
  await one.getByLabel("One Lamp of brass more").click({ force: true });
  await one.getByText("“Lamp of brass” is sold out.").waitFor();
  assert.deepEqual([await soldOut.locator("output").textContent(), await one.locator("#sum").textContent()], ["0", "The basket is empty"]);
  assert.deepEqual(faults, []);
});

test("E5: a basket takes no more than there is, and nobody was faster", async () => {
  const page = await at("#/desk");
  const card = page.locator(".card", { hasText: "Letter opener" });
  const there = Number.parseInt(await card.locator(".stock").textContent(), 10);
  const more = page.getByLabel("One Letter opener more");
  for (let n = 0; n < there + 2; n += 1) await more.click({ force: true });
  assert.equal(await card.locator("output").textContent(), String(there));
  assert.equal(await more.getAttribute("aria-disabled"), "true");
  assert.equal(await page.locator("#said").textContent(), `The basket has all of “Letter opener” that there is: ${there} pieces.`);
  assert.deepEqual(await page.evaluate(examined), []);
  await page.getByLabel("One Letter opener less").click();
  assert.equal(await more.getAttribute("aria-disabled"), "false");
  assert.equal(await page.locator("#said").textContent(), "");
  assert.deepEqual(faults, []);
});

test("an order's address that is none is said", async () => {
  const page = await at("#/orders/%ff");
  await page.locator("#said p").waitFor();
  assert.deepEqual(faults, []);
});

test("the page fits a phone and a desk, in the light and in the dark", async () => {
  for (const viewport of [PHONE, DESK]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await at("#/paper", { viewport, colorScheme });
      await page.locator(".card").first().waitFor();
      assert.deepEqual(await page.evaluate(examined), [], `${colorScheme} ${viewport.width}`);
      const name = `${viewport === PHONE ? "phone" : "desktop"}-${colorScheme}`;
      await page.screenshot({ path: `${SHOTS}products-${name}.png` });
      await page.goto("/#/orders/00000000-0000-4000-8000-000000000000");
      await page.getByText("There is no such order.").waitFor();
      assert.deepEqual(await page.evaluate(examined), [], name);
      await page.context().close();
    }
  }
  assert.deepEqual(faults, []);
});

test("a first view takes few requests and few bytes", async () => {
  for (const path of ["/", "/#/paper", "/#/writing"]) {
    const page = await browser.open({ baseURL: shop.address });
    await isLight(page, path, () => page.locator(".card").first().waitFor());
    await page.context().close();
  }
});

test("the keyboard reaches everything in the order of the page", async () => {
  const page = await at("#/desk");
  await page.locator(".card").nth(3).waitFor();
  const seen = [];
  for (let n = 0; n < 16; n += 1) {
    await page.keyboard.press("Tab");
    seen.push(
      await page.evaluate(() => {
        const one = document.activeElement;
        const isSeen = getComputedStyle(one).outlineStyle !== "none" || one.matches(".skip");
        const name = one.name || one.getAttribute("aria-label") || one.textContent.trim();
        return isSeen ? name : `${name} is not seen`;
      }),
    );
  }
  const bar = ["Skip to the content", "Shop", "Writing", "Paper", "Desk"];
  const first = ["One Letter opener less", "One Letter opener more"];
  assert.deepEqual(seen.slice(0, 7), [...bar, ...first]);
  assert.deepEqual(seen.slice(-3), ["name", "email", "Order"]);
});

test("a shop that is gone is said", async () => {
  const page = await at("#/writing");
  await page.route("**/api/**", (route) => route.abort());
  await page.goto("/#/desk");
  await page.getByText("The shop cannot be reached").waitFor();
});
