// A request as a text to copy: for the AWS CLI, for Python, JavaScript and Rust.

import { rust } from "./copy-rust.js";

const HIDDEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const escaped = (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON in which no character is hidden; languages read it alike. */
const literal = (value, indent) => JSON.stringify(value, null, indent).replace(HIDDEN, escaped);

/** `BatchGetItem` as `batch-get-item`. */
const dashed = (operation) => operation.replace(/(?<!^)[A-Z]/g, "-$&").toLowerCase();
const underscored = (operation) => dashed(operation).replaceAll("-", "_");

/** A text as one word of a POSIX shell. */
const word = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function cli({ operation, request }, place) {
  const endpoint = place.url === null ? "" : ` --endpoint-url ${word(place.url)}`;
  const region = place.region === null ? "" : ` --region ${word(place.region)}`;
  return `aws dynamodb ${dashed(operation)}${endpoint}${region} --no-paginate --cli-input-json ${word(literal(request))}`;
}

/** Whether an object is a value of this type, and no map with such a name in it: only values stand where values are. */
const isValue = (one, type) => Object.keys(one).length === 1 && (type === "B" ? typeof one.B === "string" : Array.isArray(one.BS) && one.BS.every((each) => typeof each === "string"));

/** A literal of a language: `words` has true, false, null and how bytes are made. */
function written(one, words, depth) {
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  if (one === null || typeof one === "boolean") return words[String(one)];
  if (typeof one !== "object") return literal(one);
  if (Array.isArray(one)) return one.length === 0 ? "[]" : `[\n${one.map((each) => `${inner}${written(each, words, depth + 1)},\n`).join("")}${outer}]`;
  if (isValue(one, "B")) return `{"B": ${words.bytes(literal(one.B))}}`;
  if (isValue(one, "BS")) return `{"BS": [${one.BS.map((each) => words.bytes(literal(each))).join(", ")}]}`;
  const members = Object.entries(one).map(([name, each]) => `${inner}${literal(name)}: ${written(each, words, depth + 1)},\n`);
  return members.length === 0 ? "{}" : `{\n${members.join("")}${outer}}`;
}

const PYTHON = { true: "True", false: "False", null: "None", bytes: (text) => `base64.b64decode(${text})` };
const JAVASCRIPT = { true: "true", false: "false", null: "null", bytes: (text) => `Buffer.from(${text}, "base64")` };

function boto3({ operation, request }, place) {
  const settings = [["endpoint_url", place.url], ["region_name", place.region]].filter(([, value]) => value !== null);
  const given = settings.map(([name, value]) => `, ${name}=${literal(value)}`).join("");
  return `import base64\n\nimport boto3\n\nclient = boto3.client("dynamodb"${given})\nanswer = client.${underscored(operation)}(**${written(request, PYTHON, 0)})\nprint(answer)\n`;
}

function javascript({ operation, request }, place) {
  const settings = [["endpoint", place.url], ["region", place.region]].filter(([, value]) => value !== null);
  const given = settings.map(([name, value]) => `${name}: ${literal(value)}`).join(", ");
  return `import { DynamoDBClient, ${operation}Command } from "@aws-sdk/client-dynamodb";\n\nconst client = new DynamoDBClient({ ${given} });\nconst answer = await client.send(new ${operation}Command(${written(request, JAVASCRIPT, 0)}));\nconsole.log(answer);\n`;
}

export const FORMS = {
  json: { name: "JSON", of: ({ request }) => literal(request, 2) },
  cli: { name: "AWS CLI", of: cli },
  boto3: { name: "boto3", of: boto3 },
  javascript: { name: "SDK for JavaScript", of: javascript },
  rust: { name: "SDK for Rust", of: (one, place) => rust(one, place, literal) },
};
