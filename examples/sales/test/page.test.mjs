/** The page in Chromium. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, pressOn } from "../../web/test/browser.mjs";
import { started } from "../../web/test/started.mjs";

let sales, browser;

before(async () => {
  sales = await started("sales", [], { SALES_CONNECTION: "memory:" });
  assert.ok(sales.address, sales.said());
  await fetch(`${sales.address}/api/selling`, { method: "POST", body: '{"ordersASecond":0}' });
  browser = await launch(sales.address, new URL("../screenshots/made", import.meta.url).pathname);
});
after(async () => {
  await browser?.close();
  assert.equal(await sales?.end(), 0);
});

const opened = async (look) => {
  const page = await browser.at("/", look);
  page.setDefaultTimeout(60_000);
  await page.waitForFunction(() => /DailySales/.test(document.body.textContent) && !/none yet/.test(document.body.textContent));
  const press = (name) => pressOn(page, page.getByRole("button", { name, exact: true }));
  const sell = async (orders) => {
    await page.getByLabel("Orders a second").fill(String(orders));
    await press("Sell");
    await page.getByText(orders === 0 ? "Nothing is sold." : `${orders} orders a second are placed.`).waitFor();
  };
  const shown = async (place, name) => {
    await page.locator(place).evaluate((element) => element.scrollIntoView());
    await browser.seen(page, name, look);
  };
  return { page, press, sell, shown };
};

test("N5: on a phone in the dark, by keyboard: sales, a worker that is killed, a new name, SQL", async () => {
  const { page, press, sell, shown } = await opened("phone-dark");
  await sell(8);
  await press("Kill worker 2");
  await page.getByText("Worker 2 was killed. The other one").waitFor();
  await page.getByText(/^process \d+/).nth(1).waitFor();
  await page.getByText("Kills: 1.").waitFor();
  await page.waitForTimeout(2500);
  await shown("#figures", "views");
  await page.getByRole("combobox", { name: /^Product/ }).selectOption("bottle");
  await page.getByLabel("New name").fill("Bottle of steel");
  await pressOn(page, page.getByLabel("New name"));
  await page.locator("#daily").getByText("Bottle of steel").waitFor();
  await press("Compare with SQL");
  await page.getByText("All rows are what SQL makes of the orders.").waitFor();
  await sell(0);
  await shown("#workers", "proof");
  await shown("#daily", "tables");
  await page.context().close();
  assert.deepEqual(browser.faults, []);
});

test("N5: on a desk in the light: rebuilt to the same numbers, while a worker is killed now and then", async () => {
  const { page, press, sell, shown } = await opened("desktop-light");
  await sell(2);
  await press("Kill one now and then");
  await page.getByText("A worker is killed every few seconds.").waitFor();
  await press("Rebuild");
  await page.getByText("Generation 2 has the same numbers as the one before.").waitFor();
  await press("Leave them alone");
  await page.getByRole("button", { name: "Kill one now and then", exact: true }).waitFor();
  await sell(0);
  await page.waitForFunction(() => !/generation/.test(document.querySelector("#views tbody").textContent));
  await shown("#figures", "views");
  await shown("#views", "proof");
  await shown("#daily", "tables");
  await page.context().close();
  assert.deepEqual(browser.faults, []);
});

test("a first view takes few requests and few bytes", async () => {
  await browser.light("/", (page) => page.locator("#views tbody tr"));
  assert.deepEqual(browser.faults, []);
});
