/** The frame of all pages, and the pieces that several of them have. */

import { type Request, lineOf, sumOf } from "./cost.js";
import { Html, html, type Value } from "./html.js";
import type { Problem } from "./problem.js";

export interface Page {
  readonly title: string;
  /** The entry of the navigation that the page belongs to. */
  readonly at?: "toys" | "letters" | "write";
  readonly main: Html;
  /** Whether the page has a form of toys, which a script helps to fill in. */
  readonly script?: boolean;
}

/** The whole document of a page; without requests where they are not known. */
export function documentOf({ title, at, main, script = false }: Page, requests?: readonly Request[]): string {
  const entry = (name: Page["at"], path: string, text: string): Html =>
    html`<li><a href="${path}"${name === at ? new Html(' aria-current="true"') : ""}>${text}</a></li>`;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Santa’s Workshop</title>
<link rel="icon" href="/star.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
${script ? html`<script src="/wishes.js" type="module"></script>` : ""}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><div class="wide bar">
<a class="home" href="/toys"><img src="/star.svg" width="28" height="28" alt="">Santa’s Workshop</a>
<nav aria-label="Pages"><ul>
${entry("toys", "/toys", "Toys")}
${entry("letters", "/letters", "Letters")}
${entry("write", "/letters/new", "Write a letter")}
</ul></nav>
</div></header>
<main id="main" class="wide" tabindex="-1">
${main}
</main>
<footer><div class="wide">
<p>${requests === undefined ? "" : cost(requests)}
<a href="/api/openapi.json">API</a></p>
</div></footer>
</body>
</html>
`;
  return document.text;
}

function cost(requests: readonly Request[]): Html {
  if (requests.length === 0) return html`This page needed no request to the table.`;
  return html`This page took <span class="cost">${sumOf(requests)}</span>: ${lineOf(requests)}.`;
}

/** An amount of cents: `€12.50`. */
export function money(cents: number): string {
  return `€${(cents / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** The day of a moment: `3 December 2026`. */
export function day(moment: string): Html {
  return html`<time datetime="${moment}">${DAY.format(new Date(moment))}</time>`;
}

/** `1 piece`, `3 pieces`. */
export function counted(number: number, thing: string): string {
  return `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
}

/** A present in the colour of a toy. */
export function present(toyId: string): Html {
  let hue = 0;
  for (const sign of toyId) hue = (hue * 31 + (sign.codePointAt(0) ?? 0)) % 360;
  const fill = (saturation: number, light: number): string => `hsl(${hue} ${saturation}% ${light}%)`;
  return html`<svg class="present" viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
<rect x="5" y="16" width="30" height="20" rx="2" fill="${fill(38, 52)}"/>
<rect x="3" y="11" width="34" height="7" rx="2" fill="${fill(40, 44)}"/>
<path d="M18 11h4v25h-4z" fill="${fill(55, 84)}"/>
<path d="M20 11c-3-8-11-8-10-3 .5 2.5 5 3 10 3zm0 0c3-8 11-8 10-3-.5 2.5-5 3-10 3z" fill="none" stroke="${fill(45, 64)}" stroke-width="2.5"/>
</svg>`;
}

/** What went well, at the top of the page that follows. */
export function notice(text: string | undefined): Value {
  return text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`;
}

/** What stands in the way, at the top of a form, or of a page without one. Further lines say what is different
 * now. */
export function alert(
  problem: Problem | undefined,
  more: readonly Html[] = [],
  beside: "a form" | "no form" = "a form",
): Value {
  if (problem === undefined) return undefined;
  const { field, message } = problem;
  const link = field === undefined || beside === "no form" ? "" : html` <a href="#${field}">Go to the field</a>`;
  const list = more.length === 0 ? "" : html`<ul>${more.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<div class="alert" role="alert"><p>${message}${link}</p>${list}</div>`;
}

/** The attributes of the field that is wrong. */
export function marked(problem: Problem | undefined, field: string): Html {
  return new Html(problem?.field === field ? ' aria-invalid="true"' : "");
}

/** The links to the first and to the next page of a list. */
export function pager(path: string, after: string | undefined, next: string | undefined): Value {
  if (after === undefined && next === undefined) return undefined;
  return html`<nav class="pager" aria-label="Pages of the list">
${after === undefined ? "" : html`<a href="${path}">First page</a>`}
${next === undefined ? "" : html`<a href="${path}?after=${encodeURIComponent(next)}" rel="next">Next page</a>`}
</nav>`;
}
