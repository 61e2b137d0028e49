// What the edited model changes beside the stored one, and what that means for data.

import { useEffect, useState } from "preact/hooks";
import { differenceOf } from "./server.js";
import { design, files } from "./state.js";

/** What a kind of work does with data that is there, from the least to the most. */
const WORK = {
  nothing: "Stored data stays as it is.",
  definition: "The tables' definition changes: an index is built or dropped, or a table is made.",
  backfill: "Every item of an entity gets something more.",
  rewrite: "Every item of an entity is written again, under another key or in another form.",
  delete: "Items are deleted.",
};

function Change({ one }) {
  return (
    <li>
      <b>{one.what}</b>: {one.how}
      {one.migration !== "nothing" && (
        <div class="warn">
          {one.migration}{one.todo && `: ${one.todo}`}
        </div>
      )}
    </li>
  );
}

export function Difference() {
  const [said, setSaid] = useState(undefined);
  const [shown, stored] = [design.value, files.value];
  useEffect(() => {
    let isOver = false;
    differenceOf().then((one) => isOver || setSaid(one));
    return () => (isOver = true);
  }, [shown, stored]);
  if (said === undefined || said === null) return <p class="empty">There is nothing to compare yet.</p>;
  if (!said.isStoredWhole) return <p class="empty">The stored model has errors: there is nothing to compare with.</p>;
  if (said.changes.length === 0) return <p class="empty">The model says what is stored: there is no difference.</p>;
  return (
    <>
      <h2>Beside the stored file</h2>
      <p class={said.migration === "nothing" ? "good" : "warn"}>{WORK[said.migration]}</p>
      <ul class="difference">
        {said.changes.map((one) => (
          <Change one={one} />
        ))}
      </ul>
    </>
  );
}
