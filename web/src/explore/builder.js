// A Query, a Scan or a statement as a form holds it, and the input that it becomes.

export const TYPES = { S: "text", N: "number", BOOL: "true or false", B: "bytes in base64", NULL: "null" };
/** How an attribute is compared, with the number of values. */
export const COMPARISONS = { "=": 1, "<>": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, between: 2, begins_with: 1, contains: 1, exists: 0, "does not exist": 0 };
/** How a sort key is. */
export const RANGES = { any: 0, "=": 1, "<": 1, "<=": 1, ">": 1, ">=": 1, between: 2, begins_with: 1 };

/** The indexes of a table, as it is described. */
export const indexesOf = (table) => [...(table?.GlobalSecondaryIndexes ?? []), ...(table?.LocalSecondaryIndexes ?? [])];

/** The key attributes of a table or an index: `[{ name, type, isHash }]`. */
export function keysOf(table, index) {
  const schema = indexesOf(table).find((one) => one.IndexName === index)?.KeySchema ?? table?.KeySchema ?? [];
  const typeOf = (name) => table.AttributeDefinitions?.find((one) => one.AttributeName === name)?.AttributeType ?? "S";
  return schema.map(({ AttributeName, KeyType }) => ({ name: AttributeName, type: typeOf(AttributeName), isHash: KeyType === "HASH" }));
}

export const first = (table, index = null) => ({ operation: "Query", table, index, keys: [], filters: [], backward: false, strong: false, limit: 50, statement: "" });

function typed(type, text) {
  if (type === "BOOL") return { BOOL: text.trim() !== "false" };
  if (type === "NULL") return { NULL: true };
  return { [type]: type === "S" ? text : text.trim() };
}

/** Comparisons as an expression, whose names and values are added to a request. */
function expression(all, letter, into) {
  const one = ({ name, type, how, value, to }, at) => {
    const place = `#${letter}${at}`;
    into.names[place] = name;
    const given = [value, to].slice(0, COMPARISONS[how]).map((text, number) => {
      const mark = `:${letter}${at}${number === 0 ? "" : "b"}`;
      into.values[mark] = typed(type, text ?? "");
      return mark;
    });
    if (how === "exists") return `attribute_exists(${place})`;
    if (how === "does not exist") return `attribute_not_exists(${place})`;
    if (how === "between") return `${place} BETWEEN ${given.join(" AND ")}`;
    return how === "begins_with" || how === "contains" ? `${how}(${place}, ${given[0]})` : `${place} ${how} ${given[0]}`;
  };
  return all.map(one).join(" AND ");
}

const isNamed = (one) => one.name !== "";

/** The input of a form, for the page behind `after`. */
export function inputOf(raw, after) {
  if (raw.operation === "ExecuteStatement") return { Statement: raw.statement, ...(raw.limit ? { Limit: raw.limit } : {}), ...(after ? { NextToken: after } : {}), ReturnConsumedCapacity: "TOTAL" };
  const into = { names: {}, values: {} };
  const request = { TableName: raw.table };
  if (raw.index) request.IndexName = raw.index;
  if (raw.operation === "Query") request.KeyConditionExpression = expression(raw.keys.filter((one) => one.how !== "any"), "k", into);
  const filters = raw.filters.filter(isNamed);
  if (filters.length > 0) request.FilterExpression = expression(filters, "f", into);
  if (Object.keys(into.names).length > 0) request.ExpressionAttributeNames = into.names;
  if (Object.keys(into.values).length > 0) request.ExpressionAttributeValues = into.values;
  if (raw.operation === "Query" && raw.backward) request.ScanIndexForward = false;
  if (raw.strong) request.ConsistentRead = true;
  if (raw.limit) request.Limit = raw.limit;
  if (after) request.ExclusiveStartKey = after;
  return { ...request, ReturnConsumedCapacity: "TOTAL" };
}

/** The table whose items come: that of a statement follows its FROM. */
export const tableOf = (raw) => (raw.operation === "ExecuteStatement" ? (/\bfrom\s+"?([\w.-]+)"?/i.exec(raw.statement)?.[1] ?? "") : raw.table);

/** Whether a form says enough to be asked. */
export const isWhole = (raw) => (raw.operation === "ExecuteStatement" ? raw.statement.trim() !== "" : raw.operation === "Scan" || raw.keys.some((one) => one.value));

/** The cost of reading everything: `{ items, bytes, units }`. A read unit is 4 KB, or 8 KB where reads may be late. */
export function costOf(about, index, strong) {
  const own = index === null ? about : indexesOf(about).find((one) => one.IndexName === index);
  const bytes = (index === null ? about?.TableSizeBytes : own?.IndexSizeBytes) ?? 0;
  return { items: own?.ItemCount ?? 0, bytes, units: Math.ceil(bytes / 4096) / (strong ? 1 : 2) };
}
