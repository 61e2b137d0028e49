//! Whether an answer of status 200 is DynamoDB's: a proxy may answer in its place, in JSON too.
//!
//! Not here: the answer's decoding (`keyfold_wire`), and what follows (`exchange`).

use keyfold_api::Operation;

/// The members of the answers of the operations on items, and whether an answer may have none: it says
/// that a write is done, or that there is no item. A query and a scan always say what they found.
const ANSWERS: [(Operation, &[&str], bool); 10] = [
    (Operation::Query, &["Items", "Count"], false),
    (Operation::Scan, &["Items", "Count"], false),
    (Operation::GetItem, &["ConsumedCapacity", "Item"], true),
    (Operation::PutItem, &CHANGED, true),
    (Operation::UpdateItem, &CHANGED, true),
    (Operation::DeleteItem, &CHANGED, true),
    (
        Operation::TransactWriteItems,
        &["ConsumedCapacity", "ItemCollectionMetrics"],
        true,
    ),
    (
        Operation::TransactGetItems,
        &["Responses", "ConsumedCapacity"],
        true,
    ),
    (
        Operation::BatchGetItem,
        &["Responses", "UnprocessedKeys", "ConsumedCapacity"],
        true,
    ),
    (
        Operation::BatchWriteItem,
        &[
            "UnprocessedItems",
            "ConsumedCapacity",
            "ItemCollectionMetrics",
        ],
        true,
    ),
];
const CHANGED: [&str; 3] = ["ConsumedCapacity", "Attributes", "ItemCollectionMetrics"];

/// Whether a body may be the answer of an operation. Answers of operations that are not on items are
/// known by their decoding.
pub(super) fn is_of(operation: Operation, body: &[u8]) -> bool {
    let Some((_, members, may_be_empty)) = ANSWERS.iter().find(|(one, ..)| *one == operation)
    else {
        return true;
    };
    let is_empty = || {
        let written = body.iter().filter(|byte| !byte.is_ascii_whitespace());
        written.eq(b"{}")
    };
    members.iter().any(|name| has(body, name)) || (*may_be_empty && is_empty())
}

/// Whether a body has a member of a name, in any depth: those of the first level are among the first
/// bytes of most answers.
fn has(body: &[u8], name: &str) -> bool {
    body.windows(name.len() + 2)
        .any(|part| matches!(part, [b'"', within @ .., b'"'] if within == name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_member_of_its_operation() {
        for (operation, body, is_own) in [
            (Operation::PutItem, r#"{"status":"ok"}"#, false),
            (Operation::PutItem, " {\n} ", true),
            (Operation::PutItem, r#"{"ConsumedCapacity":{}}"#, true),
            (Operation::GetItem, r#"{"Item":{"a":{"S":"b"}}}"#, true),
            (Operation::GetItem, r#"{"status":"ok"}"#, false),
            (Operation::Query, "{}", false),
            (Operation::Query, r#"{"Count":0,"ScannedCount":0}"#, true),
            (Operation::Scan, r#"{"ConsumedCapacity":{}}"#, false),
            (Operation::TransactWriteItems, "{}", true),
            (Operation::TransactWriteItems, r#"{"ok":true}"#, false),
            (
                Operation::BatchWriteItem,
                r#"{"UnprocessedItems":{}}"#,
                true,
            ),
            (Operation::BatchWriteItem, r#"{"error":"x"}"#, false),
            (Operation::DescribeTable, r#"{"Table":{}}"#, true),
        ] {
            assert_eq!(
                is_of(operation, body.as_bytes()),
                is_own,
                "{} {body}",
                operation.name()
            );
        }
    }
}
