// The colours of the model language, which are those of a text; names and plans come from the language server.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const DECLARED = /^(shared|model|owner|use|record|table|entity|view|pattern|write)\b/;
const MEMBER =
  /^(key|id|gsi|lsi|copy|unique|ttl|version|count|sum|max|split|compress|unstored|expect|from|capacity|stream|point|deletion|class|tags|create|put|update|delete|check)\b(?!\s*:)/;
const TYPE = /^(string|int|number|bool|time|date|binary|ulid|uuid|list|map|set|now|new|always|true|false)\b/;
const WORD =
  /^(type|join|left|per|project|min|average|distinct|top|all|keys|on|demand|read|then|in|of|by|only|where|sparse|when|shard|bucket|hour|day|month|year|items|bytes|writes|a|second|was|starts|contains|filter|newest|oldest|highest|lowest|ascending|descending|page|strong|scan|batch|as|fetch|set|else|remove|for|each|and|or|not|exists|missing|size)\b/;

function token(stream, state) {
  if (stream.sol()) state.isText = false;
  if (state.isText) {
    if (stream.match(/^\{[^}"]*\}/)) return "variableName.special";
    if (stream.eat('"')) {
      state.isText = false;
      return "string";
    }
    stream.match(/^[^{"]+/) || stream.next();
    return "string";
  }
  const atStart = stream.sol();
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.eat('"')) {
    state.isText = true;
    return "string";
  }
  if (atStart && stream.match(DECLARED)) return "keyword";
  const isFirst = stream.string.slice(0, stream.start).trim() === "";
  if (isFirst && stream.match(MEMBER)) return "keyword";
  if (stream.match(/^[A-Za-z_]\w*(?=\s*:)/)) return "propertyName";
  if (stream.match(TYPE)) return "typeName";
  if (stream.match(WORD)) return "modifier";
  if (stream.match(/^[A-Z]\w*/)) return "className";
  if (stream.match(/^[0-9][0-9_]*(\.[0-9]+)?/)) return "number";
  if (stream.match(/^(->|\[\]|\.\.|[<>]=?|[=?|+-])/)) return "operator";
  stream.match(/^[A-Za-z_]\w*/) || stream.next();
  return null;
}

const language = StreamLanguage.define({
  name: "keyfold",
  startState: () => ({ isText: false }),
  token,
  languageData: { commentTokens: { line: "#" } },
});

// Classes, whose colours are in the style sheet: they follow light and dark.
const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "t-keyword" },
  { tag: tags.modifier, class: "t-word" },
  { tag: tags.typeName, class: "t-type" },
  { tag: tags.className, class: "t-name" },
  { tag: tags.propertyName, class: "t-attribute" },
  { tag: tags.special(tags.variableName), class: "t-field" },
  { tag: tags.string, class: "t-text" },
  { tag: tags.comment, class: "t-comment" },
  { tag: tags.number, class: "t-number" },
  { tag: tags.operator, class: "t-operator" },
]);

export const keyfold = [language, syntaxHighlighting(colours)];
