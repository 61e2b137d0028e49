// A request as a program for the AWS SDK for Rust.

const snake = (name) => name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();

/** A text as a literal of Rust, with nothing hidden in it. `json` writes it as one of JSON. */
function text(one, json) {
  return json(one).replace(/\\(u[0-9a-f]{4}|.)/g, (all, what) => (what.startsWith("u") ? `\\u{${what.slice(1)}}` : { b: "\\u{8}", f: "\\u{c}" }[what] ?? all));
}

const bytes = (base64) => `aws_sdk_dynamodb::primitives::Blob::new([${[...atob(base64)].map((one) => `${one.charCodeAt(0)}u8`).join(", ")}])`;

/** An attribute's value. */
function value(one, json) {
  const [[type, held]] = Object.entries(one);
  const all = (some, of) => `vec![${some.map(of).join(", ")}]`;
  const word = (word) => `${text(word, json)}.into()`;
  const inner = {
    S: () => word(held),
    N: () => word(held),
    B: () => bytes(held),
    BOOL: () => String(held),
    NULL: () => "true",
    L: () => all(held, (each) => value(each, json)),
    M: () => `std::collections::HashMap::from([${Object.entries(held).map(([name, each]) => `(${word(name)}, ${value(each, json)})`).join(", ")}])`,
    SS: () => all(held, word),
    NS: () => all(held, word),
    BS: () => all(held, bytes),
  }[type]();
  const variant = { BOOL: "Bool", NULL: "Null", SS: "Ss", NS: "Ns", BS: "Bs" }[type] ?? type;
  return `AttributeValue::${variant}(${inner})`;
}

/** Members whose words are those of an enum. */
const WORDS = ["ReturnConsumedCapacity", "ReturnItemCollectionMetrics", "ReturnValues", "ReturnValuesOnConditionCheckFailure", "Select"];
const VALUES = ["ExclusiveStartKey", "ExpressionAttributeValues", "Item", "Key"];

/** The calls of a builder for the members of a request. */
function calls(request, json, indent) {
  const pad = "    ".repeat(indent);
  const lines = Object.entries(request).flatMap(([name, held]) => {
    const call = (...given) => `.${snake(name)}(${given.join(", ")})`;
    const nested = (type, inner) => `aws_sdk_dynamodb::types::${type}::builder()${calls(inner, json, indent + 1)}\n${pad}    .build()`;
    if (held === null) return [];
    if (WORDS.includes(name)) return call(`aws_sdk_dynamodb::types::${name}::from(${text(held, json)})`);
    if (VALUES.includes(name)) return Object.entries(held).map(([key, one]) => call(text(key, json), value(one, json)));
    if (name === "ExpressionAttributeNames") return Object.entries(held).map(([key, one]) => call(text(key, json), text(one, json)));
    if (name === "Parameters") return held.map((one) => call(value(one, json)));
    if (name === "Keys") return held.map((one) => call(`std::collections::HashMap::from([${Object.entries(one).map(([key, each]) => `(${text(key, json)}.into(), ${value(each, json)})`).join(", ")}])`));
    if (name === "RequestItems") return Object.entries(held).map(([key, one]) => call(text(key, json), `${nested("KeysAndAttributes", one)}?`));
    if (name === "TransactItems") return held.map((one) => call(`aws_sdk_dynamodb::types::TransactGetItem::builder().get(${nested("Get", one.Get)}?).build()`));
    return call(typeof held === "string" ? text(held, json) : String(held));
  });
  return lines.map((line) => `\n${pad}${line}`).join("");
}

/** The program. Its crates are named at its beginning. */
export function rust({ operation, request }, place, json) {
  const settings = [["endpoint_url", place.url === null ? null : text(place.url, json)], ["region", place.region === null ? null : `aws_config::Region::new(${text(place.region, json)})`]];
  const given = settings.filter(([, one]) => one !== null).map(([name, one]) => `\n        .${name}(${one})`).join("");
  const uses = /AttributeValue::/.test(calls(request, json, 0)) ? "use aws_sdk_dynamodb::types::AttributeValue;\n\n" : "";
  return `// cargo add aws-config aws-sdk-dynamodb tokio --features aws-config/behavior-version-latest,tokio/full\n${uses}#[tokio::main]\nasync fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let config = aws_config::from_env()${given}\n        .load()\n        .await;\n    let client = aws_sdk_dynamodb::Client::new(&config);\n    let answer = client\n        .${snake(operation)}()${calls(request, json, 2)}\n        .send()\n        .await?;\n    println!("{answer:#?}");\n    Ok(())\n}\n`;
}
