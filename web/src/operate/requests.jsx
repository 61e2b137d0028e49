// The requests that a server answers, while they come: how many a second, how fast, and which are refused.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { visible } from "../explore/values.js";
import { ask } from "../state.js";
import { counted } from "./said.jsx";

const PAUSE_MS = 2000;
/** The looks whose rates are drawn: two minutes. */
const KEPT = 60;
const THROTTLES = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];

/** What has come between the last two looks: `{ rates, connections }`; null before there are two, `{ why }` where nobody counts. */
const shown = signal(null);
const requestsFault = signal(null);
/** Requests a second, look by look. */
const drawn = signal([]);

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** The time that a share of the requests took at the most, in ms: the bound of a bucket. Infinite beyond the last one. */
function within(buckets, share) {
  const all = buckets.at(-1)?.[1] ?? 0;
  const [bound] = buckets.find(([, count]) => count >= all * share) ?? [null];
  return bound === null ? Infinity : bound * 1000;
}

/** The buckets of an operation without what they held before. */
const since = (now, before) => now.map(([bound, count], at) => [bound, count - (before?.[at]?.[1] ?? 0)]);

/** What each operation has had between two answers; null where the server has begun anew in between. */
function between(before, now, seconds) {
  const known = new Map(before.operations.map((one) => [one.name, one]));
  const rates = now.operations.map(({ name, outcomes, within: buckets }) => {
    const old = known.get(name);
    const came = Object.entries(outcomes).map(([outcome, count]) => [outcome, count - (old?.outcomes[outcome] ?? 0)]);
    return { name, came: came.filter(([, count]) => count !== 0), buckets: since(buckets, old?.within), rate: sum(came.map(([, count]) => count)) / seconds };
  });
  if (rates.some(({ came }) => came.some(([, count]) => count < 0))) return null;
  return rates.filter(({ came }) => came.length > 0).sort((one, other) => other.rate - one.rate || (one.name < other.name ? -1 : 1));
}

const number = (rate) => (rate >= 100 ? Math.round(rate).toLocaleString("en") : rate.toFixed(rate >= 10 ? 0 : 1));
const bound = (ms) => (ms === Infinity ? "over 5 s" : ms < 1000 ? `≤ ${ms} ms` : `≤ ${ms / 1000} s`);

function Row({ one: { name, came, buckets, rate } }) {
  const refused = came.filter(([outcome]) => outcome !== "ok");
  return (
    <tr>
      <th scope="row">{visible(name)}</th>
      <td class="number" data-head="a second">{number(rate)}</td>
      <td class="number" data-head="half within">{bound(within(buckets, 0.5))}</td>
      <td class="number" data-head="99 of 100 within">{bound(within(buckets, 0.99))}</td>
      <td data-head="refused">
        {refused.length === 0 ? "none" : refused.map(([outcome, count]) => (
          <div class={THROTTLES.includes(outcome) ? "warn" : "bad"}>{count.toLocaleString("en")} {visible(outcome)}{THROTTLES.includes(outcome) ? ": throttled" : ""}</div>
        ))}
      </td>
    </tr>
  );
}

/** A bar for each look, as high as its rate beside the highest. */
function Drawn() {
  const rates = drawn.value;
  const most = Math.max(...rates, 0);
  return (
    <svg class="drawn" viewBox={`0 0 ${KEPT * 5} 40`} preserveAspectRatio="none" role="img" aria-label={`requests a second in the last two minutes, ${number(most)} at the most`}>
      {rates.map((rate, at) => {
        const height = most === 0 ? 0 : (38 * rate) / most;
        return <rect key={at} x={(KEPT - rates.length + at) * 5} y={40 - height} width="4" height={height} />;
      })}
    </svg>
  );
}

/** Watches the requests of the server while it is shown. */
export function Requests() {
  useEffect(() => {
    let isOver = false;
    [shown.value, requestsFault.value, drawn.value] = [null, null, []];
    let before = null;
    const step = async () => {
      const said = await ask("/explore/requests", {}).catch((error) => ({ error: error.message }));
      if (isOver) return;
      const at = performance.now();
      requestsFault.value = said.error ?? null;
      if (said.why) {
        shown.value = said;
        return;
      }
      if (!said.error) {
        const rates = before && between(before.said, said, (at - before.at) / 1000);
        if (rates) {
          shown.value = { rates, connections: said.connections };
          drawn.value = [...drawn.value, sum(rates.map((one) => one.rate))].slice(-KEPT);
        }
        before = { said, at };
      }
      setTimeout(() => isOver || step(), PAUSE_MS);
    };
    step();
    return () => (isOver = true);
  }, []);
  const { rates, connections, why } = shown.value ?? {};
  return (
    <section class="state-of" aria-label="requests">
      <h2>Requests <small>of everybody, in the last two seconds</small></h2>
      {requestsFault.value && <p class="bad fault" role="alert">{visible(requestsFault.value)}</p>}
      {why && <p class="soft">{visible(why)}</p>}
      {!why && !rates && !requestsFault.value && <p class="soft">Counting…</p>}
      {rates && (
        <>
          <p>{number(sum(rates.map((one) => one.rate)))} a second{connections === null ? "" : `, ${counted(connections, "open connection")}`}</p>
          <Drawn />
          {rates.length === 0 ? <p class="soft">Nobody asks just now.</p> : (
            <table class="patterns">
              <thead>
                <tr><th scope="col">operation</th><th scope="col" class="number">a second</th><th scope="col" class="number">half within</th><th scope="col" class="number">99 of 100 within</th><th scope="col">refused</th></tr>
              </thead>
              <tbody>{rates.map((one) => <Row key={one.name} one={one} />)}</tbody>
            </table>
          )}
        </>
      )}
    </section>
  );
}
