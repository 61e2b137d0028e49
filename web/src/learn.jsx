// Designs to open with their data, a tour of tasks, and the rules of the compiler with their reasons.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, rule, sample } from "./state.js";

/** `{ samples, rules }`; null before they have come. */
const learned = signal(null);
const fault = signal(null);

const shop = (hash) => `/?sample=shop#${hash}`;

/** The tasks of the tour: what to do, where, and what to see. All of them are about the design of a shop. */
const TOUR = [
  ["See where each kind of item lies", shop("side=map"), "One collection holds a user and the copies of their orders."],
  ["See what refers to what", shop("side=entities"), "An order belongs to one user; an item of it to one product."],
  ["See what each question costs", shop("side=patterns"), "Every pattern is one request. Press why? to see the keys that do not serve."],
  ["Make a mistake, and mend it", shop("front=model"), "Write #{oderId} in a key: the finding offers the repair."],
  ["Change a key, and see what it means", shop("side=difference"), "Another prefix means that every item is written again."],
  ["Prove the model", shop("side=proof"), "Its answers are compared with those of SQL."],
  ["Look at a table", shop("view=explore&table=Shop"), "Items by entity; a copy has a dashed border. Press a kind to take its keys apart."],
  ["Run a pattern", shop("view=explore&pattern=orders_of_user&a.userId=u1"), "The request and its units are beside the answer, to copy."],
  ["Read an index", shop("view=explore&table=Shop&index=GSI1"), "It holds users by their address, and orders by their status."],
  ["Build a request of your own", shop("view=explore&table=Shop"), "Press Build a request…: a Scan says what it costs before it is run."],
  ["Change an order", shop("view=explore&pattern=orders_by_status&a.status=pending"), "Press the kind, then Change…: the copy below the user follows in one transaction."],
  ["Take it back", shop("view=explore&pattern=orders_by_status&a.status=pending"), "Undo… is offered where the change was carried out."],
  ["Place an order", shop("view=explore"), "Choose create_order under Writes: order, copy and items are written together, or not at all."],
  ["Import lines", shop("view=explore"), "Choose Import…: each line says what it would write, or why it is refused."],
  ["See the tables as a whole", shop("view=operate"), "Sizes, indexes, streams, expiry, backups."],
];

/** Text in which words between backticks and stars are marked. */
function Marked({ text }) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
    return part.startsWith("**") ? <b>{part.slice(2, -2)}</b> : part;
  });
}

function Rule({ one }) {
  return (
    <article aria-label={`rule ${one.code}`}>
      <h2>
        {one.code} {one.name} <small>{one.isWarning ? "warning" : "error"}</small>
        <span class="grow" />
        <button class="link" onClick={() => (rule.value = null)}>All rules</button>
      </h2>
      <p><b><Marked text={one.summary} /></b></p>
      <p><Marked text={one.why} /></p>
      <h3>This breaks it</h3>
      <pre tabIndex={0}>{one.failing}</pre>
      <h3>This does not</h3>
      <pre tabIndex={0}>{one.repaired}</pre>
    </article>
  );
}

function Designs({ all }) {
  return (
    <>
      <h2>Designs</h2>
      <p class="soft">Each opens with some data in memory. What you change there is gone when the workbench ends, and touches nothing else.</p>
      <ul class="designs">
        {all.map(({ name, about }) => (
          <li>
            <a href={`/?sample=${name}`} aria-current={name === sample ? "page" : undefined}>{name}</a> <Marked text={about} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Tour() {
  return (
    <>
      <h2>Fifteen tasks</h2>
      <ol class="tour">
        {TOUR.map(([task, href, hint]) => (
          <li>
            <a href={href}>{task}</a> <span class="soft">{hint}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Rules({ all }) {
  return (
    <>
      <h2>Rules</h2>
      <ul class="rules">
        {all.map((one) => (
          <li>
            <button class="link" onClick={() => (rule.value = one.code)}>{one.code} {one.name}</button> <Marked text={one.summary} />
          </li>
        ))}
      </ul>
    </>
  );
}

export function Learn() {
  useEffect(() => {
    ask("/learn").then((said) => (learned.value = said), (error) => (fault.value = error.message));
  }, []);
  const all = learned.value;
  const one = all?.rules.find(({ code }) => code === rule.value);
  return (
    <main class="learn" tabIndex={0}>
      {fault.value !== null && <p class="bad fault" role="alert">{fault.value}</p>}
      {rule.value !== null && all !== null && one === undefined && <p class="bad">There is no rule {rule.value}.</p>}
      {one !== undefined ? <Rule one={one} /> : all !== null && (
        <>
          <Tour />
          <Designs all={all.samples} />
          <Rules all={all.rules} />
        </>
      )}
    </main>
  );
}
