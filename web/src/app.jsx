// The page: the model, and beside it what it becomes.

import { render } from "preact";
import { Editor, goTo } from "./editor.jsx";
import { begin, intoAddress } from "./explore/data.js";
import { Deployed } from "./deployed.jsx";
import { Difference } from "./difference.jsx";
import { Entities } from "./entities.jsx";
import { Explore } from "./explore/explore.jsx";
import { TableMap } from "./map.jsx";
import { Learn } from "./learn.jsx";
import { Operate } from "./operate.jsx";
import { Palette, togglePalette } from "./palette.jsx";
import { PatternTable } from "./patterns.jsx";
import { Proof } from "./proof.jsx";
import { connect } from "./server.js";
import { connected, current, design, file, files, findings, front, isChanged, keepAddress, load, nameOf, notice, place, rule, sample, save, side, texts, theme, view } from "./state.js";
import "./style.css";

const THEMES = { system: "light", light: "dark", dark: "system" };

const NAMES = { design: "Design", explore: "Explore", operate: "Operate", learn: "Learn" };

/** Leads from the model to the data and back, where the page has a place. */
function Views() {
  const all = [files.value.length > 0 && "design", place.value !== null && "explore", place.value !== null && "operate", "learn"].filter(Boolean);
  return all.map((one) => (
    <button class="tab" aria-pressed={view.value === one} onClick={() => (view.value = one)}>
      {NAMES[one]}
    </button>
  ));
}

function Model() {
  const name = (one, at) => (one.text === texts.value[at] ? nameOf(one) : `${nameOf(one)} •`);
  if (files.value.length === 0) return null;
  return (
    <>
      <select aria-label="model" value={file.value} onChange={(event) => (file.value = Number(event.target.value))}>
        {files.value.map((one, at) => (
          <option value={at}>{name(one, at)}</option>
        ))}
      </select>
      <button class="main" disabled={!isChanged.value} onClick={save}>Save</button>
    </>
  );
}

function Header() {
  return (
    <header>
      <h1>Keyfold</h1>
      <Model />
      <Views />
      {sample !== null && <a class="leave" href="/">Leave the design</a>}
      <span class="grow" />
      <button onClick={togglePalette} aria-keyshortcuts="Control+K">
        Commands <kbd>Ctrl K</kbd>
      </button>
      <button class="theme" onClick={() => (theme.value = THEMES[theme.value])}>Colours: {theme.value}</button>
    </header>
  );
}

function Tabs() {
  const tab = (name, title, narrow) => {
    const isOn = narrow ? front.value === "model" : side.value === name;
    const isFront = narrow ? front.value === "model" : isOn && front.value === "side";
    const choose = () => {
      if (narrow) front.value = "model";
      else [side.value, front.value] = [name, "side"];
    };
    return (
      <button class={`tab ${narrow ? "narrow" : ""} ${isFront ? "front" : ""}`} aria-pressed={isOn} onClick={choose}>
        {title}
      </button>
    );
  };
  return (
    <nav aria-label="views">
      {tab("model", "Model", true)}
      {tab("map", "Table map")}
      {tab("entities", "Entities")}
      {tab("patterns", "Patterns")}
      {tab("difference", "Difference")}
      {tab("proof", "Proof")}
      <span class="grow" />
      <State />
    </nav>
  );
}

/** How far what is drawn is behind the text. */
function State() {
  if (!connected.value) return <span class="state bad">not connected</span>;
  if (design.value === null) return <span class="state bad">the model has errors</span>;
  return design.value.isCurrent ? <span class="state good">compiles</span> : <span class="state bad">errors: the last version without them</span>;
}

function Findings() {
  if (findings.value.length === 0) return null;
  return (
    <section class="findings" aria-label="findings" tabIndex={0}>
      <ul>
        {findings.value.map((one) => (
          <li class={one.severity}>
            <button class="link" onClick={() => goTo(one.from)}>
              {one.source} line {one.line}
            </button>
            <span class="message">{one.message}</span>
            {one.source && <button class="link" aria-label={`why ${one.source}`} onClick={() => ([rule.value, view.value] = [one.source, "learn"])}>why?</button>}
            {one.actions.map((action) => (
              <button onClick={action.apply}>{action.name}</button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Notice() {
  const one = notice.value;
  return (
    <div class="notice" role="status">
      {one && (
        <p class={one.kind}>
          {one.text} <button class="link" aria-label="close the message" onClick={() => (notice.value = null)}>×</button>
        </p>
      )}
    </div>
  );
}

function Page() {
  return (
    <>
      <Header />
      {view.value === "explore" ? <Explore /> : view.value === "operate" ? <Operate /> : view.value === "learn" ? <Learn /> : <Design />}
      <Notice />
      <Palette />
    </>
  );
}

const SHOWN = { map: TableMap, entities: Entities, patterns: PatternTable, proof: Proof };

function Side() {
  const Shown = SHOWN[side.value];
  if (Shown !== undefined) return <Shown />;
  return (
    <>
      <Difference />
      <Deployed />
    </>
  );
}

function Design() {
  return (
    <main class={`design show-${front.value}`}>
      <Tabs />
      <section class="model" aria-label="model">
        <Editor />
        <Findings />
      </section>
      <section class="side" aria-label={side.value === "map" ? "table map" : side.value} tabIndex={0}>
        <Side />
      </section>
    </main>
  );
}

// Before the editor, whose keys are others.
const onKeyDown = (event) => {
  const isAsked = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  if (isAsked || (event.key === "F1" && !event.altKey)) {
    togglePalette();
    event.preventDefault();
    event.stopPropagation();
  } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
    save();
    event.preventDefault();
  }
};
addEventListener("keydown", onKeyDown, { capture: true });

const root = document.getElementById("page");
load().then(
  () => {
    connect();
    keepAddress(intoAddress);
    begin();
    render(<Page />, root);
    document.title = `${current.value ? nameOf(current.value) : place.value.shown} · Keyfold workbench`;
  },
  (error) => {
    root.textContent = error.message;
  },
);
