// Programs that are copied hold the request exactly. The Rust of these was compiled beside the SDK when it was written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS } from "../src/explore/copy.js";

const PLACE = { url: "http://127.0.0.1:8000", region: "eu-west-1" };
const rust = (operation, request, place = PLACE) => FORMS.rust.of({ operation, request }, place);

test("a query as Rust has each member, each type of value, and nothing hidden", () => {
  const values = { S: { S: 'a"\\\n\u202e\u0000\b\f{x}' }, N: { N: "12345678901234567890.5" }, B: { B: "AAH/" }, T: { BOOL: true }, Z: { NULL: true }, L: { L: [{ S: "x" }, { M: { "a'": { N: "1" } } }] }, SS: { SS: ["a", "b"] }, NS: { NS: ["1"] }, BS: { BS: ["AQ=="] } };
  const request = {
    TableName: "Shop", IndexName: "GSI1", KeyConditionExpression: "#k = :S", ExpressionAttributeNames: { "#k": "PK" }, ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, one]) => [`:${name}`, one])),
    Limit: 50, ScanIndexForward: false, ReturnConsumedCapacity: "TOTAL", ExclusiveStartKey: { PK: { S: "a" } },
  };
  const text = rust("Query", request);
  const wanted = String.raw`        .query()
        .table_name("Shop")
        .index_name("GSI1")
        .key_condition_expression("#k = :S")
        .expression_attribute_names("#k", "PK")
        .expression_attribute_values(":S", AttributeValue::S("a\"\\\n\u{202e}\u{0000}\u{8}\u{c}{x}".into()))
        .expression_attribute_values(":N", AttributeValue::N("12345678901234567890.5".into()))
        .expression_attribute_values(":B", AttributeValue::B(aws_sdk_dynamodb::primitives::Blob::new([0u8, 1u8, 255u8])))
        .expression_attribute_values(":T", AttributeValue::Bool(true))
        .expression_attribute_values(":Z", AttributeValue::Null(true))
        .expression_attribute_values(":L", AttributeValue::L(vec![AttributeValue::S("x".into()), AttributeValue::M(std::collections::HashMap::from([("a'".into(), AttributeValue::N("1".into()))]))]))
        .expression_attribute_values(":SS", AttributeValue::Ss(vec!["a".into(), "b".into()]))
        .expression_attribute_values(":NS", AttributeValue::Ns(vec!["1".into()]))
        .expression_attribute_values(":BS", AttributeValue::Bs(vec![aws_sdk_dynamodb::primitives::Blob::new([1u8])]))
        .limit(50)
        .scan_index_forward(false)
        .return_consumed_capacity(aws_sdk_dynamodb::types::ReturnConsumedCapacity::from("TOTAL"))
        .exclusive_start_key("PK", AttributeValue::S("a".into()))
        .send()
        .await?;
`;
  assert.ok(text.includes(wanted), text);
  assert.ok(text.includes('.endpoint_url("http://127.0.0.1:8000")') && text.includes('.region(aws_config::Region::new("eu-west-1"))'));
  assert.ok(!/[\u202e\u0000]/.test(text));
});

test("reads of many items as Rust are their builders, and a place without an address has none", () => {
  const batch = rust("BatchGetItem", { RequestItems: { Shop: { Keys: [{ PK: { S: "a" } }], ConsistentRead: true } } }, { url: null, region: null });
  assert.match(batch, /\.request_items\("Shop", aws_sdk_dynamodb::types::KeysAndAttributes::builder\(\)\s+\.keys\(std::collections::HashMap::from\(\[\("PK"\.into\(\), AttributeValue::S\("a"\.into\(\)\)\)\]\)\)\s+\.consistent_read\(true\)\s+\.build\(\)\?\)/);
  assert.ok(!batch.includes("endpoint_url") && !batch.includes("region"));
  const many = rust("TransactGetItems", { TransactItems: [{ Get: { TableName: "Shop", Key: { PK: { S: "a" } } } }] });
  assert.match(many, /\.transact_items\(aws_sdk_dynamodb::types::TransactGetItem::builder\(\)\.get\(aws_sdk_dynamodb::types::Get::builder\(\)\s+\.table_name\("Shop"\)\s+\.key\("PK", AttributeValue::S\("a"\.into\(\)\)\)\s+\.build\(\)\?\)\.build\(\)\)/);
});
