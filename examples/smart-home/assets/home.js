/** The home: its polling as it goes, bursts of activity, readings over months. */

import { call, chart, complain, figures, h, number } from "/page.js";

const by = (id) => document.getElementById(id);
const DAY = 24 * 60 * 60 * 1000;
/** The points of a chart at most. */
const POINTS_MAX = 1000;

/** What a form does with its fields when it is sent, and what is said then. */
function onSubmit(form, work) {
  by(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      by("done").textContent = await work(Object.fromEntries(new FormData(event.target)));
      complain(by("problem"));
    } catch (error) {
      complain(by("problem"), error);
    }
  });
}

onSubmit("polling", async ({ polls }) => {
  const { pollsASecond } = await call("/api/polling", { pollsASecond: Number(polls) });
  return pollsASecond === 0 ? "Nothing is polled." : `${number(pollsASecond)} polls a second are wanted.`;
});
onSubmit("burst", async ({ events }) => {
  const burst = await call("/api/burst", { events: Number(events) });
  return `${number(burst.events)} events were written in ${number(burst.milliseconds)} ms, for ${number(burst.units)} units.`;
});

const day = (time) => new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** The readings from a moment on: an answer has some thousands, and says from when on the others are. */
async function allReadings(sensor, from, to) {
  const list = [];
  for (let next = from; next !== null; ) {
    const times = new URLSearchParams({ from: next, to });
    const found = await call(`/api/sensors/${encodeURIComponent(sensor)}/readings?${times}`);
    for (const reading of found.readings) list.push(reading);
    next = found.next;
  }
  return list;
}

/** As many values as a chart can show: of many, the lowest and the highest of each part. */
function thinned(values) {
  if (values.length <= POINTS_MAX) return values;
  const part = Math.ceil(values.length / (POINTS_MAX / 2));
  const parts = Array.from({ length: Math.ceil(values.length / part) }, (_, at) => values.slice(at * part, (at + 1) * part));
  return parts.flatMap((some) => {
    const [low, high] = [Math.min(...some), Math.max(...some)];
    return some.indexOf(low) < some.indexOf(high) ? [low, high] : [high, low];
  });
}

async function readings({ sensor, days }) {
  const to = Date.now();
  const list = await allReadings(sensor, new Date(to - days * DAY).toISOString(), new Date(to).toISOString());
  if (list.length === 0) {
    by("chart").replaceChildren(h("p", { class: "quiet" }, "There is no reading in this time."));
    return "";
  }
  const points = thinned(list.map(({ value }) => value));
  const months = new Set(list.map(({ at }) => at.slice(0, 7)));
  const readings = list.length === 1 ? "1 reading" : `${number(list.length)} readings`;
  const tables = months.size === 1 ? "the table of the month" : `${months.size} tables, one for each month`;
  const caption = `${readings} from ${tables}: from ${Math.min(...points)} to ${Math.max(...points)} °C`;
  const labels = [day(list[0].at), day(list.at(-1).at)];
  by("chart").replaceChildren(chart([{ points, kind: "warm" }], { title: `The temperature in the ${sensor}. ${caption}`, labels, caption }));
  return "";
}
onSubmit("readings", readings);

function show({ wanted, polled, throttled, seconds }) {
  const last = seconds.at(-1) ?? { polled: 0, throttled: 0 };
  const list = [
    ["Wanted a second", number(wanted)],
    ["Polled last second", number(last.polled)],
    ["Refused last second", number(last.throttled), last.throttled > 0 ? "bad" : "good"],
    ["Polled", number(polled)],
    ["Refused", number(throttled)],
  ];
  by("figures").replaceChildren(figures(list));
  const lines = [{ points: seconds.map((one) => one.polled) }, { points: seconds.map((one) => one.throttled), kind: "warm" }];
  const caption = [h("span", { class: "key" }, "polled"), " ", h("span", { class: "key warm" }, "refused for lack of capacity")];
  const title = `Polls in each of the last ${seconds.length} seconds: ${last.polled} in the last one, ${last.throttled} refused`;
  by("polls").replaceChildren(chart(lines, { title, labels: [`${seconds.length} s ago`, "now"], caption }));
}

const events = new EventSource("/api/events");
events.onmessage = ({ data }) => show(JSON.parse(data));
events.onerror = () => {
  by("problem").textContent = "The connection is lost. It is tried again.";
};
events.onopen = () => {
  by("problem").textContent = "";
};
readings({ sensor: "kitchen", days: 30 }).catch((error) => complain(by("problem"), error));
