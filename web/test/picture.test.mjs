// The picture in the README is one of this page: a test makes it, and says when the page looks otherwise.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { closed, opened, started } from "./started.mjs";

const picture = new URL("../../docs/workbench.png", import.meta.url);
const shop = readFileSync(new URL("../../models/shop.keyfold", import.meta.url), "utf8");
/** Pictures are compared in cells of so many pixels, whose colours hardly depend on the fonts of a machine. */
const CELL = 8;
/** A cell differs where a colour of it is further away than this, of 255. */
const FAR = 28;
/** The part of the cells that may differ. */
const TOLERATED = 0.03;

after(closed);

/** The part of the cells in which two pictures differ; 1 where they have different sizes. */
async function difference(page, one, two) {
  const urls = [one, two].map((bytes) => `data:image/png;base64,${bytes.toString("base64")}`);
  return page.evaluate(
    async ([urls, cell, far]) => {
      const images = await Promise.all(urls.map(async (src) => Object.assign(new Image(), { src }).decode().then(() => src)));
      const shown = await Promise.all(images.map((src) => new Promise((done) => { const image = new Image(); image.onload = () => done(image); image.src = src; })));
      if (shown[0].width !== shown[1].width || shown[0].height !== shown[1].height) return 1;
      const [width, height] = [shown[0].width / cell, shown[0].height / cell];
      const [first, second] = shown.map((image) => {
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const context = canvas.getContext("2d");
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
      });
      let cells = 0;
      for (let at = 0; at < first.length; at += 4) {
        if ([0, 1, 2].some((colour) => Math.abs(first[at + colour] - second[at + colour]) > far)) cells += 1;
      }
      return cells / (first.length / 4);
    },
    [urls, CELL, FAR],
  );
}

test("the README shows the page as it is", async () => {
  const workbench = await started({ "shop.keyfold": shop });
  try {
    const { page, faults, context } = await opened(workbench, { width: 1280, height: 720 });
    await page.locator("svg").first().waitFor();
    const shown = await page.screenshot({ animations: "disabled", caret: "hide" });
    if (process.env.UPDATE_PICTURE === "1") writeFileSync(picture, shown);
    const blank = await context.newPage();
    const differs = await difference(blank, readFileSync(picture), shown);
    assert.ok(differs <= TOLERATED, `${Math.round(differs * 1000) / 10} % of the picture differ; UPDATE_PICTURE=1 makes it anew, look at it then`);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await page.screenshot({ animations: "disabled", caret: "hide" });
    assert.ok((await difference(blank, shown, dark)) > TOLERATED, "a page of other colours differs");
    assert.deepEqual(faults, []);
  } finally {
    await workbench.end();
  }
});
