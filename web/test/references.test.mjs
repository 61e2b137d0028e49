// The main pages as they were when a person has looked at them: each is compared with a picture that is kept, in blocks of pixels, and
// its parts with the places that they had. UPDATE_REFERENCES=1 makes pictures and places anew; look at them before they are checked in.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { difference } from "./compared.mjs";
import { closed, opened, started } from "./started.mjs";

const folder = new URL("./references/", import.meta.url).pathname;
const PLACES = join(folder, "places.json");
const MODEL = 'model own 1\ntable Own (PK, SK)\nentity A\n  id: string\n  key "A#{id}" "A"\npattern a(id) -> A?\n';

/** Blocks of so many pixels: about two lines of text, so that a line which another font moves stays nearly the same. */
const CELL = 32;
/** A block differs where its mean colour is further away than this, of 255. */
const FAR = 10;
/**
 * The part of the blocks that may differ. Another font changes up to a quarter of them, more than a panel that is missing: the pictures
 * find what changes the whole page, such as its colours, and the places of the parts find what is missing or moved.
 */
const TOLERATED = 0.3;

const WIDTHS = [["desktop", 1280, 860], ["phone", 390, 844]];
const COLOURS = ["light", "dark"];

/** A part may be elsewhere, or of another size, by so many pixels; by this part of its size, too. */
const [PIXELS, SHARE] = [40, 0.15];

/** The pages, with the parts whose places are compared. */
const PAGES = [
  { name: "design", path: "/?sample=shop#front=side", wait: "svg.map .item", parts: ["header", ".side", ".model"] },
  { name: "explore", path: "/?sample=shop#view=explore&table=Shop", wait: ".grid tbody .kind", parts: ["header", ".choices", ".grid", ".beside"] },
  { name: "write", path: "/?sample=shop#view=explore&pattern=user&a.userId=u1", wait: ".grid tbody .kind", parts: ["header", ".choices", ".edit"], act: write },
  { name: "operate", path: "/?sample=shop#view=operate", wait: '[aria-label="under way"]', parts: ["header", '[aria-label="table Shop"]', '[aria-label="jobs"]', '[aria-label="under way"]'] },
  { name: "learn", path: "/#view=learn", wait: ".designs a", parts: ["header", ".designs"] },
];

/** Opens the form of a change, and shows what it would write. */
async function write(own) {
  await own.locator(".grid tbody .kind").first().click();
  await own.getByRole("button", { name: "Change…" }).click();
  await own.getByLabel("name").fill("Ada Lovelace, Countess");
  await own.getByRole("button", { name: "Show what is written" }).click();
  await own.locator(".actions li").first().waitFor();
}

let workbench;
let cookies;
let judge;

before(async () => {
  workbench = await started({ "own.keyfold": MODEL });
  const first = await opened(workbench);
  cookies = await first.context.cookies();
  judge = first.page;
  await judge.goto("about:blank");
});

after(async () => {
  await closed();
  await workbench?.end();
});

async function shown({ path, wait, act }, [, width, height], colorScheme, look) {
  const url = `${workbench.origin}${path.split("#")[0]}`;
  const { page, faults, context } = await opened({ ...workbench, url }, { width, height, colorScheme, cookies, hash: `#${path.split("#")[1]}` });
  await page.locator(wait).first().waitFor();
  await act?.(page);
  await page.evaluate(() => document.activeElement?.blur());
  await page.mouse.move(0, 0);
  const picture = () => page.screenshot({ animations: "disabled", caret: "hide" });
  await look(page, picture);
  assert.deepEqual(faults, []);
  await context.close();
}

/** The places of the parts of a page: `[x, y, width, height]`; null for one that is not seen. */
const placesOf = (page, parts) =>
  page.evaluate((parts) => {
    const of = (part) => {
      const own = document.querySelector(part);
      if (own === null || own.getClientRects().length === 0 || getComputedStyle(own).visibility === "hidden") return null;
      const { x, y, width, height } = own.getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    };
    return Object.fromEntries(parts.map((part) => [part, of(part)]));
  }, parts);

/** The parts that are not where they were. */
function displaced(kept, now) {
  const isNear = (one, other, at) => Math.abs(one[at] - other[at]) <= PIXELS + (at < 2 ? 0 : SHARE * one[at]);
  const isSame = (one, other) => (one === null || other === null ? one === other : [0, 1, 2, 3].every((at) => isNear(one, other, at)));
  return Object.keys(kept).filter((part) => !isSame(kept[part], now[part] ?? null)).map((part) => `${part}: ${kept[part]} was, ${now[part]} is`);
}

const far = (one, two) => difference(judge, one, two, { cell: CELL, far: FAR });
const percent = (part) => `${Math.round(part * 1000) / 10} %`;

for (const one of PAGES) {
  for (const width of WIDTHS) {
    for (const colour of COLOURS) {
      const name = `${one.name}-${width[0]}-${colour}`;
      test(`${name} is as it was when somebody looked at it`, async () => {
        const file = join(folder, `${name}.png`);
        await shown(one, width, colour, async (page, picture) => {
          const now = await picture();
          const places = await placesOf(page, one.parts);
          if (process.env.UPDATE_REFERENCES === "1") {
            mkdirSync(folder, { recursive: true });
            writeFileSync(file, now);
            const all = existsSync(PLACES) ? JSON.parse(readFileSync(PLACES, "utf8")) : {};
            const sorted = Object.entries({ ...all, [name]: places }).sort(([one], [other]) => (one < other ? -1 : 1));
            writeFileSync(PLACES, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`);
          }
          assert.ok(existsSync(file), `there is no ${file}: UPDATE_REFERENCES=1 makes it`);
          const differs = await far(readFileSync(file), now);
          if (process.env.KEYFOLD_WEB_PICTURES) writeFileSync(join(process.env.KEYFOLD_WEB_PICTURES, `${name}.png`), now);
          assert.deepEqual(displaced(JSON.parse(readFileSync(PLACES, "utf8"))[name], places), [], name);
          assert.ok(differs <= TOLERATED, `${percent(differs)} of ${name} differ; UPDATE_REFERENCES=1 makes it anew, look at it then`);
        });
      });
    }
  }
}

/** The page with another font: text is narrower or wider, and some of its lines break elsewhere. */
function inAnotherFont() {
  document.body.style.fontFamily = "serif";
  document.documentElement.style.setProperty("--mono", "serif");
}

for (const one of PAGES) {
  test(`a part of ${one.name} that is missing or moved is seen, and another font is not`, async () => {
    await shown(one, WIDTHS[0], COLOURS[0], async (page, picture) => {
      const whole = await picture();
      const kept = await placesOf(page, one.parts);
      for (const part of one.parts) {
        const element = page.locator(part).first();
        const [missing, moved] = [{ visibility: "hidden" }, { translate: "0 90px" }];
        for (const style of [missing, moved]) {
          await element.evaluate((own, style) => Object.assign(own.style, style), style);
          const [differs, found] = [await far(whole, await picture()), displaced(kept, await placesOf(page, one.parts))];
          if (process.env.REFERENCES_SAY) console.log(`${one.name} ${part} ${JSON.stringify(style)}: ${percent(differs)}, ${found}`);
          assert.ok(found.some((sentence) => sentence.startsWith(`${part}:`)), `${part} of ${one.name}, ${JSON.stringify(style)}`);
          await element.evaluate((own, style) => Object.keys(style).forEach((name) => (own.style[name] = "")), style);
        }
      }
      assert.equal(await far(whole, await picture()), 0, "it is whole again");
      await page.evaluate(inAnotherFont);
      const [differs, found] = [await far(whole, await picture()), displaced(kept, await placesOf(page, one.parts))];
      if (process.env.REFERENCES_SAY) console.log(`${one.name} in another font: ${percent(differs)}, ${found}`);
      assert.deepEqual(found, [], `${one.name} in another font`);
      assert.ok(differs <= TOLERATED, `${percent(differs)} of ${one.name} differ in another font`);
      await page.emulateMedia({ colorScheme: "dark" });
      const dark = await far(whole, await picture());
      assert.ok(dark > TOLERATED, `${one.name} in other colours: only ${percent(dark)} differ`);
    });
  });
}
