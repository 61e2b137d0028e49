/** Writes the description of the API beside the sources, or says that it is another one with `--check`. */

import { readFile, writeFile } from "node:fs/promises";
import { apiOf, describe } from "./api.js";
import { ShopClient } from "./shop.js";

const file = new URL("../openapi.json", import.meta.url);
// A client connects when it is first asked for something.
const text = `${JSON.stringify(describe(apiOf(new ShopClient("http://localhost"))), null, 2)}\n`;

if (!process.argv.includes("--check")) await writeFile(file, text);
else if ((await readFile(file, "utf8")) !== text) {
  console.error("openapi.json is that of other routes: npm run describe");
  process.exitCode = 1;
}
