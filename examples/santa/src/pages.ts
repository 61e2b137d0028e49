/** The routes of the pages. */

import { readFile } from "node:fs/promises";
import { costed, type Request } from "./cost.js";
import { type Answer, type Asked as Call, partOf, type Route } from "./http.js";
import { alert, documentOf, type Page } from "./layout.js";
import { html } from "./html.js";
import { letterForm, letterFormPage, seenDifferences, toysOf } from "./letter-form.js";
import { historyPage, letterPage, lettersPage } from "./letter-pages.js";
import * as letters from "./letters.js";
import { type Problem, problemOf } from "./problem.js";
import type { LetterId, SantaClient, ToyId } from "./santa.js";
import { cents, newToyPage, pricePage, toyPage, toysPage } from "./toy-pages.js";
import * as toys from "./toys.js";
import { newLetterId } from "./ulid.js";

/** A page, and its status where it is not 200; or the address to go to. */
type Shown = Page | { readonly page: Page; readonly status: number } | { readonly to: string };

/** The page of a problem. */
export function problemPage(problem: Problem): Answer {
  // The page has no form, and so no field to go to.
  const main = html`<h1>This did not work</h1>${alert(problem, [], "no form")}
<p class="actions"><a class="button" href="/toys">To the toys</a> <a class="button" href="/letters">To the letters</a></p>`;
  return pageAnswer(problem.status, { title: "This did not work", main });
}

function pageAnswer(status: number, page: Page, requests?: readonly Request[]): Answer {
  // The button for back shows the form that was sent, with its letter's id: sent again, it is the same letter.
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "private, no-cache" };
  return { status, headers, body: documentOf(page, requests) };
}

function route(method: string, path: string, show: (call: Call) => Promise<Shown>): Route {
  const answer = async (call: Call): Promise<Answer> => {
    const [shown, requests] = await costed(() => show(call));
    if ("to" in shown) return { status: 303, headers: { location: shown.to }, body: "" };
    return "page" in shown
      ? pageAnswer(shown.status, shown.page, requests)
      : pageAnswer(200, shown, requests);
  };
  return { method, path, answer };
}

const after = ({ query }: Call): string | undefined => query.get("after") ?? undefined;
const done = ({ query }: Call): string | undefined => query.get("done") ?? undefined;
const form = ({ body }: Call): URLSearchParams => new URLSearchParams(body);
const toyId = (call: Call): ToyId => toys.toyIdOf(partOf(call, "toyId"));
const letterId = (call: Call): LetterId => letters.letterIdOf(partOf(call, "letterId"));

/** Does what a form asks for. A problem of the form shows it again, as it was filled in. */
async function tried(act: () => Promise<string>, again: (problem: Problem) => Promise<Page>): Promise<Shown> {
  try {
    return { to: await act() };
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status === 404) throw problem;
    return { status: problem.status, page: await again(problem) };
  }
}

/** The routes of toys. */
export function toyRoutes(santa: SantaClient): Route[] {
  return [
    route("GET", "/", () => Promise.resolve({ to: "/toys" })),
    route("GET", "/toys", async (call) => toysPage(await toys.toys(santa, after(call)), after(call))),
    route("GET", "/toys/new", () => Promise.resolve(newToyPage())),
    route("POST", "/toys", (call) => {
      const given = form(call);
      const name = given.get("name") ?? "";
      const description = given.get("description") ?? "";
      return tried(
        async () => {
          const price = cents(given.get("price"));
          const id = await toys.createToy(santa, { name, description, price, filledIn: "euros" });
          return `/toys/${encodeURIComponent(id)}?done=created`;
        },
        (problem) => Promise.resolve(newToyPage(given, problem)),
      );
    }),
    route("GET", "/toys/{toyId}", async (call) => {
      const found = await toys.demand(santa, toyId(call), after(call));
      return toyPage(found, after(call), done(call));
    }),
    route("GET", "/toys/{toyId}/price", async (call) => pricePage(await toys.toy(santa, toyId(call)))),
    route("POST", "/toys/{toyId}/price", (call) => {
      const given = form(call);
      const id = toyId(call);
      return tried(
        async () => {
          await toys.reprice(santa, id, {
            seen: Number(given.get("seen")),
            price: cents(given.get("price")),
            filledIn: "euros",
          });
          return `/toys/${encodeURIComponent(id)}?done=repriced`;
        },
        async (problem) => pricePage(await toys.toy(santa, id), given, problem),
      );
    }),
  ];
}

/** The routes of letters. */
export function letterRoutes(santa: SantaClient): Route[] {
  return [
    route("GET", "/letters", async (call) =>
      lettersPage(await letters.letters(santa, after(call)), after(call)),
    ),
    route("GET", "/letters/new", async () =>
      letterFormPage({ letterId: newLetterId(), choice: await toys.choice(santa) }),
    ),
    route("POST", "/letters", (call) => {
      const given = letterForm(form(call));
      return tried(
        async () => {
          await letters.createLetter(santa, given);
          return `/letters/${given.letterId}?done=sent`;
        },
        async (problem) => {
          const choice = await toys.choice(santa, toysOf(given));
          return letterFormPage({ letterId: given.letterId, choice, given, problem });
        },
      );
    }),
    route("GET", "/letters/{letterId}", async (call) => {
      const found = await letters.prices(santa, letterId(call));
      return letterPage(found.letter, found.toys, done(call));
    }),
    route("GET", "/letters/{letterId}/change", async (call) => {
      const stored = await letters.letter(santa, letterId(call));
      const choice = await toys.choice(santa, toysOf(stored));
      return letterFormPage({ letterId: stored.letterId, choice, stored });
    }),
    route("POST", "/letters/{letterId}/change", (call) => {
      const given = { ...letterForm(form(call)), letterId: letterId(call) };
      return tried(
        async () => {
          await letters.changeLetter(santa, given);
          return `/letters/${given.letterId}?done=changed`;
        },
        async (problem) => {
          const stored = await letters.letter(santa, given.letterId, { strong: true });
          const differences = problem.code === "changed_meanwhile" ? seenDifferences(given, stored) : [];
          return letterFormPage({
            letterId: given.letterId,
            choice: await toys.choice(santa, toysOf(stored, given)),
            stored,
            given,
            problem,
            differences,
          });
        },
      );
    }),
    route("GET", "/letters/{letterId}/history", async (call) => {
      const found = await letters.history(santa, letterId(call));
      return historyPage(found, await letters.today(santa, found.toys));
    }),
  ];
}

/** The files beside the pages. */
export async function fileRoutes(): Promise<Route[]> {
  const files = [
    ["style.css", "text/css; charset=utf-8"],
    ["wishes.js", "text/javascript; charset=utf-8"],
    ["star.svg", "image/svg+xml"],
  ] as const;
  return Promise.all(
    files.map(async ([name, type]) => {
      const body = await readFile(new URL(`../public/${name}`, import.meta.url));
      const headers = { "content-type": type, "cache-control": "max-age=60" };
      return {
        method: "GET",
        path: `/${name}`,
        answer: () => Promise.resolve({ status: 200, headers, body }),
      };
    }),
  );
}
