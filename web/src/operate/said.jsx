// What the place says of one thing, and its numbers as people read them.

import { visible } from "../explore/values.js";

export const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
export const sizeOf = (bytes) => (bytes < 1e4 ? `${bytes} bytes` : bytes < 1e7 ? `${Math.round(bytes / 1e3)} kB` : `${Math.round(bytes / 1e6)} MB`);
/** A span of time: the largest unit of which there are two. */
export const spanOf = (ms) => (ms < 120_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s` : ms < 7_200_000 ? `${Math.floor(ms / 60_000)} min` : `${Math.floor(ms / 3_600_000)} h`);
/** A time; one that no calendar has, as its number of seconds. */
export const timeOf = (seconds) => {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? `${seconds} s since 1970` : time.toISOString().replace(/\.\d+Z$/, "Z");
};

/** What is said of one thing; a refusal is the sentence of the place. */
export function Said({ name, said, children }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{said?.error ? <span class="soft">not said here: {visible(said.error)}</span> : children}</dd>
    </>
  );
}
