// The entity-relationship chart: an entity above those that refer to it, each reference as a line.

import { useEffect, useRef, useState } from "preact/hooks";
import { goToDeclaration } from "./editor.jsx";
import { design } from "./state.js";

const [LINE, GAP, DROP, CHARACTER, SHOWN] = [18, 24, 54, 7.3, 10];

const refersOf = (entities) => entities.flatMap((one) => one.attributes.filter(({ refers }) => refers !== null).map(({ name, isOptional, isKey, refers: [to, of] }) => ({ from: one.name, name, isOptional, isKey, to, of })));

/** How far below the entities without references one is. A circle ends where it began. */
function levels(entities, refers) {
  const known = new Map();
  const level = (name, above) => {
    if (known.has(name)) return known.get(name);
    const to = refers.filter((one) => one.from === name && !above.has(one.to)).map((one) => one.to);
    const own = to.reduce((most, one) => Math.max(most, level(one, new Set([...above, one])) + 1), 0);
    known.set(name, own);
    return own;
  };
  return new Map(entities.map(({ name }) => [name, level(name, new Set([name]))]));
}

/** The attributes that a box shows: those of the key, those that refer, then others. */
function shown(entity) {
  const rank = (one) => (one.isKey ? 0 : one.refers !== null ? 1 : 2);
  const all = [...entity.attributes].sort((a, b) => rank(a) - rank(b));
  return { all: all.slice(0, SHOWN), more: Math.max(0, all.length - SHOWN) };
}

/** The boxes with their places, row by row in a width. Entities without references come last: nothing leads past them. */
export function laidOut(entities, width) {
  const refers = refersOf(entities);
  const level = levels(entities, refers);
  const isAlone = ({ name }) => !refers.some((one) => one.from === name || one.to === name);
  const last = Math.max(0, ...level.values()) + 1;
  for (const one of entities.filter(isAlone)) level.set(one.name, last);
  const wide = Math.max(150, Math.min(230, width - GAP));
  const columns = Math.max(1, Math.floor(width / (wide + GAP)));
  const boxes = [];
  let [y, number] = [0, 0];
  for (let own = 0; own <= last; own += 1) {
    const row = entities.filter(({ name }) => level.get(name) === own);
    for (let at = 0; at < row.length; at += columns) {
      const some = row.slice(at, at + columns);
      const tall = some.map((one) => (shown(one).all.length + (shown(one).more > 0 ? 2 : 1)) * LINE + 16);
      some.forEach((entity, column) => boxes.push({ entity, number, x: column * (wide + GAP), y, width: wide, height: tall[column] }));
      y += Math.max(...tall) + DROP;
      number += 1;
    }
  }
  return { boxes, refers, width, height: Math.max(0, y - DROP) + 2 };
}

function cut(text, width) {
  const most = Math.floor(width / CHARACTER);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function Box({ box: { entity, x, y, width, height }, hue }) {
  const { all, more } = shown(entity);
  const line = (at) => y + 20 + at * LINE;
  return (
    <g class={`entity hue${hue % 10}`}>
      <rect x={x + 1} y={y + 1} width={width - 2} height={height} rx="5" />
      <text class="name" x={x + 10} y={line(0)}>{cut(entity.name + (entity.isView ? " (view)" : ""), width - 24)}</text>
      {all.map((one, at) => {
        const text = `${one.name}: ${one.refers === null ? one.kind : one.refers.join(".")}${one.isOptional ? "?" : ""}`;
        return (
          <text class={one.isKey ? "key" : undefined} x={x + 10} y={line(at + 1)}>
            {cut(text, width - 20)}
            <title>{text}</title>
          </text>
        );
      })}
      {more > 0 && <text x={x + 10} y={line(all.length + 1)}>… {more} more</text>}
    </g>
  );
}

/** The line of a reference, from the box that refers up to the one that it means. */
function Reference({ refer, boxes }) {
  const find = (name) => boxes.find(({ entity }) => entity.name === name);
  const [from, to] = [find(refer.from), find(refer.to)];
  if (from === undefined || to === undefined) return null;
  const others = boxes.indexOf(from) % 5;
  // Past the boxes of rows in between, beside the column of the upper one.
  const beside = to.x + to.width + GAP / 2 + others * 3 - 6;
  const [x1, y1, x2, y2] = [from.x + from.width / 2 + others * 6 - 12, from.y + 1, to.x + to.width / 2 + others * 6 - 12, to.y + to.height + 1];
  const way = from === to ? `M${from.x + from.width - 30} ${y1}c0 -24 24 -24 24 0` : from.number - to.number === 1 ? `M${x1} ${y1}C${x1} ${y1 - DROP / 2} ${x2} ${y2 + DROP / 2} ${x2} ${y2}` : `M${x1} ${y1}V${y1 - 16 - others * 4}H${beside}V${y2 + 10 + others * 4}H${x2}V${y2}`;
  return (
    <g class={refer.isOptional ? "refers optional" : "refers"}>
      <path d={way} />
      {from !== to && <path d={`M${x1 - 5} ${y1}L${x1} ${y1 - 9}L${x1 + 5} ${y1}`} />}
      <title>{`${refer.from}.${refer.name} refers to ${refer.to}.${refer.of}`}</title>
    </g>
  );
}

export function Entities() {
  const place = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => contentRect.width > 0 && setWidth(Math.floor(contentRect.width)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const entities = design.value?.entities ?? [];
  const { boxes, refers, height } = laidOut(entities, width);
  return (
    <div ref={place} class="entities">
      {design.value !== null && entities.length === 0 && <p class="empty">The model has no entity yet.</p>}
      {width > 0 && entities.length > 0 && (
        <svg class="chart" width={width} height={height} role="img" aria-label={`${entities.length} entities with ${refers.length} references`}>
          {refers.map((one) => <Reference refer={one} boxes={boxes} />)}
          {boxes.map((box) => <Box box={box} hue={entities.indexOf(box.entity)} />)}
        </svg>
      )}
      {refers.length > 0 && <h2>References</h2>}
      <ul>
        {refers.map((one) => (
          <li>
            <button class="link" onClick={() => goToDeclaration("(?:entity|view)", one.from)}>{one.from}.{one.name}</button> {one.isOptional ? "may refer" : "refers"} to <b>{one.to}.{one.of}</b>: {one.isKey && entities.find(({ name }) => name === one.from).attributes.filter(({ isKey }) => isKey).length === 1 ? "one" : "many"} {one.from} to one {one.to}
          </li>
        ))}
      </ul>
      {entities.length > 1 && refers.length === 0 && <p class="empty">No entity refers to another one: <code>userId: User.userId</code> says so.</p>}
    </div>
  );
}
