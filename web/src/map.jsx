// The table map: the tiles as the language server has placed them.

import { useEffect, useRef } from "preact/hooks";
import { drawIn } from "./server.js";
import { design } from "./state.js";

function Drawing({ map }) {
  return (
    <svg class="map" width={map.width} height={map.height} role="img" aria-label={map.label}>
      {map.tiles.map((tile) => (
        <g class={tile.class}>
          <rect x={tile.x} y={tile.y} width={tile.width} height={tile.height} rx="5" />
          {tile.lines.map((line) => (
            <text class={line.class} x={line.x} y={line.y} textLength={line.width}>
              {line.text}
              {line.whole && <title>{line.whole}</title>}
            </text>
          ))}
        </g>
      ))}
    </svg>
  );
}

function Index({ index }) {
  return (
    <section class="index">
      <h3>
        {index.name} <small>{index.kind} index on ({index.key}), read by {index.patterns.length === 0 ? "no pattern" : index.patterns.join(", ")}</small>
      </h3>
      {index.map.tiles.length === 0 ? <p class="empty">No entity is in this index.</p> : <Drawing map={index.map} />}
    </section>
  );
}

export function TableMap() {
  const place = useRef(null);
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => contentRect.width > 0 && drawIn(Math.floor(contentRect.width)));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="maps" ref={place}>
      {design.value?.tables.map((table) => (
        <section>
          <h2>
            {table.name} <small>table with the key ({table.key})</small>
          </h2>
          {table.map.tiles.length === 0 ? <p class="empty">No entity is in this table yet.</p> : <Drawing map={table.map} />}
          {table.indexes.map((index) => (
            <Index index={index} />
          ))}
        </section>
      ))}
    </div>
  );
}
