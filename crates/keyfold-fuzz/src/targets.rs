//! The targets themselves.

use crate::places::{self, ask_json, item as sample, with_engine};
use bytes::Bytes;
use keyfold_api::Operation;
use keyfold_codec::{RawItem, RawValue};
use keyfold_sigv4::{Authorization, Query, SigningKey};
use keyfold_types::{Number, Value};
use serde_json::json;

/// A request's operation and body, with a space between: it is decoded and carried out. An answer
/// is JSON, and never an internal error.
pub(crate) fn body(input: &[u8]) {
    let Some(space) = input.iter().position(|byte| *byte == b' ') else {
        return;
    };
    let (name, body) = input.split_at(space);
    let Some(operation) = Operation::ALL
        .iter()
        .copied()
        .find(|known| known.name().as_bytes() == name)
    else {
        return;
    };
    // They write files of the machine.
    if matches!(
        operation,
        Operation::ExportTableToPointInTime | Operation::ImportTable
    ) {
        drop(keyfold_wire::decode(operation, body));
        return;
    }
    with_engine(|engine| {
        places::ask_known(engine, operation, body);
    });
}

/// An expression of each kind, with names and values for whatever placeholders it has.
pub(crate) fn expression(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let (mut names, mut values) = (serde_json::Map::new(), serde_json::Map::new());
    for word in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '#' | ':'))) {
        if word.len() > 1 && word.starts_with('#') {
            // The name itself, behind the sign.
            names.insert(word.to_owned(), word.trim_start_matches('#').into());
        }
        if word.len() > 1 && word.starts_with(':') {
            // The last letter tells the type.
            let value = match word.as_bytes().last() {
                Some(b'n') => json!({"N": "3"}),
                Some(b'l') => json!({"L": [{"S": "x"}]}),
                Some(b'm') => json!({"M": {"a": {"N": "1"}}}),
                Some(b's') => json!({"NS": ["1"]}),
                Some(b'b') => json!({"B": "AAEC"}),
                Some(b't') => json!({"BOOL": true}),
                _ => json!({"S": word.trim_start_matches(':')}),
            };
            values.insert(word.to_owned(), value);
        }
    }
    let with = |mut body: serde_json::Value| {
        if !names.is_empty() {
            body["ExpressionAttributeNames"] = names.clone().into();
        }
        if !values.is_empty() {
            body["ExpressionAttributeValues"] = values.clone().into();
        }
        body
    };
    let key = json!({"pk": {"S": "p"}, "sk": {"S": "s"}});
    with_engine(|engine| {
        let update = with(json!({"TableName": "Tab", "Key": key, "UpdateExpression": text}));
        ask_json(engine, Operation::UpdateItem, &update);
        ask_json(
            engine,
            Operation::PutItem,
            &json!({"TableName": "Tab", "Item": sample()}),
        );
        let put = with(json!({"TableName": "Tab", "Item": sample(), "ConditionExpression": text}));
        ask_json(engine, Operation::PutItem, &put);
        let scan = with(json!({"TableName": "Tab", "FilterExpression": text}));
        ask_json(engine, Operation::Scan, &scan);
        let query = with(json!({"TableName": "Tab", "KeyConditionExpression": text}));
        ask_json(engine, Operation::Query, &query);
        // A projection takes no values.
        let mut get = json!({"TableName": "Tab", "Key": key, "ProjectionExpression": text});
        if !names.is_empty() {
            get["ExpressionAttributeNames"] = names.clone().into();
        }
        ask_json(engine, Operation::GetItem, &get);
    });
}

/// A statement, with parameters for its question marks.
pub(crate) fn partiql(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let parameters = [
        json!({"S": "p"}),
        json!({"N": "1"}),
        json!({"L": [{"S": "s"}]}),
    ];
    let count = text.matches('?').count().min(50);
    let parameters: Vec<_> = parameters.iter().cycle().take(count).collect();
    let mut statement = json!({"Statement": text});
    if count > 0 {
        statement["Parameters"] = json!(parameters);
    }
    with_engine(|engine| {
        ask_json(engine, Operation::ExecuteStatement, &statement);
        ask_json(
            engine,
            Operation::BatchExecuteStatement,
            &json!({"Statements": [statement]}),
        );
        ask_json(
            engine,
            Operation::ExecuteTransaction,
            &json!({"TransactStatements": [statement]}),
        );
    });
}

/// A model file: it compiles or is diagnosed, with places that are in the text; what is formatted
/// once stays as it is, and means the same.
pub(crate) fn model(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let compiled = keyfold_model::compile(text);
    for diagnostic in &compiled.diagnostics {
        for span in diagnostic
            .labels
            .iter()
            .map(|(span, _)| span)
            .chain(diagnostic.repair.iter().map(|edit| &edit.span))
        {
            assert!(
                text.get(span.start..span.end).is_some(),
                "{span:?} is no place of {text:?}"
            );
        }
    }
    let formatted = keyfold_model::format(text);
    assert_eq!(
        keyfold_model::format(&formatted),
        formatted,
        "formatting twice is formatting once"
    );
    let written = |text: &str| text.replace(|c: char| c.is_whitespace() || c == '\u{feff}', "");
    assert_eq!(
        written(&formatted),
        written(text),
        "formatting changes nothing but space"
    );
    let said = |compiled: &keyfold_model::Compiled| -> Vec<_> {
        let mut said: Vec<_> = compiled
            .diagnostics
            .iter()
            .map(|one| (one.code, one.message.clone()))
            .collect();
        // Said in the order of places, which formatting changes.
        said.sort();
        said
    };
    assert_eq!(
        said(&compiled),
        said(&keyfold_model::compile(&formatted)),
        "formatting changes no meaning"
    );
}

/// Two key values: their bytes are ordered as they are, and neither is the beginning of the other.
pub(crate) fn key(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    // A number of an encoding is the number that was encoded.
    if let Some(number) = keyfold_codec::number::decode(rest) {
        let mut bytes = Vec::new();
        keyfold_codec::number::encode(&mut bytes, &number);
        assert_eq!(keyfold_codec::number::decode(&bytes), Some(number));
    }
    let (one, other) = rest.split_at(rest.len() / 2);
    let value = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok();
        match first % 3 {
            0 => Some(Value::B(bytes.to_vec())),
            1 => text.map(Value::from),
            _ => text
                .and_then(|text| text.parse::<Number>().ok())
                .map(Value::N),
        }
    };
    let (Some(one), Some(other)) = (value(one), value(other)) else {
        return;
    };
    let encoded = |value: &Value| {
        let mut out = Vec::new();
        keyfold_codec::key::encode_value(&mut out, value).expect("S, N and B are key values");
        out
    };
    let (a, b) = (encoded(&one), encoded(&other));
    let order = match (&one, &other) {
        (Value::B(one), Value::B(other)) => one.cmp(other),
        (Value::S(one), Value::S(other)) => one.as_bytes().cmp(other.as_bytes()),
        (Value::N(one), Value::N(other)) => one.cmp(other),
        _ => return,
    };
    assert_eq!(a.cmp(&b), order, "{one:?} and {other:?}");
    assert!(
        one == other || !(a.starts_with(&b) || b.starts_with(&a)),
        "{one:?} and {other:?}"
    );
}

/// An item's bytes with the checksum they should have: they are refused, or they are an item, which
/// is the same when it is encoded again.
pub(crate) fn item(input: &[u8]) {
    let mut bytes = input.to_vec();
    bytes.extend_from_slice(&crc32fast::hash(input).to_le_bytes());
    let Ok(raw) = RawItem::open(Bytes::from(bytes)) else {
        return;
    };
    // What has the right checksum was written by us, and may be trusted; it must not do harm all
    // the same.
    let item = raw.to_item();
    for (name, value) in raw.attributes() {
        std::hint::black_box((name.len(), walk(&value, 0)));
    }
    let again = RawItem::encode(&item);
    assert_eq!(again.to_item(), item);
    assert_eq!(again.size_bytes(), item.size_bytes());
}

fn walk(value: &RawValue<'_>, depth: usize) -> usize {
    if depth > 64 {
        return 0;
    }
    let elements: usize = value
        .elements()
        .take(1000)
        .map(|value| walk(&value, depth + 1))
        .sum();
    let entries: usize = value
        .entries()
        .take(1000)
        .map(|(_, value)| walk(&value, depth + 1))
        .sum();
    elements + entries + value.members().take(1000).count()
}

/// A stream's iterator: as it is, behind the name of the stream that there is, and made of the
/// bytes as the engine makes it.
pub(crate) fn iterator(input: &[u8]) {
    with_engine(|engine| {
        let text = String::from_utf8_lossy(input);
        let arn = places::stream(engine);
        let made = format!("{arn}|1|{}", places::base64(input));
        for told in [&*text, &format!("{arn}{text}"), &made] {
            ask_json(
                engine,
                Operation::GetRecords,
                &json!({"ShardIterator": told}),
            );
        }
        let shard = places::shard(engine, &arn);
        for kind in ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"] {
            let at = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind, "SequenceNumber": text});
            if let Some(answer) = ask_json(engine, Operation::GetShardIterator, &at) {
                let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
                ask_json(
                    engine,
                    Operation::GetRecords,
                    &json!({"ShardIterator": answer["ShardIterator"]}),
                );
            }
        }
        ask_json(
            engine,
            Operation::DescribeStream,
            &json!({"StreamArn": text}),
        );
        ask_json(
            engine,
            Operation::DescribeStream,
            &json!({"StreamArn": arn, "ExclusiveStartShardId": text}),
        );
    });
}

/// An `Authorization` header or a query, and behind each line's end the value of a header that it
/// may name. Whatever it is, it is not accepted; and what is signed with a key is, until a byte is
/// changed.
pub(crate) fn signature(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut lines = text.split('\n');
    let header = lines.next().unwrap_or_default();
    let values: Vec<&str> = lines.collect();
    let value = |at: usize, otherwise| values.get(at).copied().unwrap_or(otherwise);
    let given = [
        ("host", value(0, "localhost:8000")),
        ("x-amz-date", value(1, "20260101T000000Z")),
        ("x-amz-target", value(2, "DynamoDB_20120810.GetItem")),
        ("x-amz-security-token", value(3, "token")),
    ];
    let body = value(4, "{}").as_bytes();
    fn lookup<'h>(given: &[(&str, &'h str)], name: &str) -> Option<&'h str> {
        given
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }
    if let Ok(told) = Authorization::parse(header) {
        let outcome = told.verify(
            "secret",
            &Query::default(),
            |name| lookup(&given, name),
            given.iter().map(|(name, _)| *name),
            body,
        );
        assert!(outcome.is_err(), "nobody guesses a signature");
    }
    if let Ok(query) = Query::parse(header)
        && let Ok(Some(told)) = query.authorization()
    {
        let names = given.iter().map(|(name, _)| *name);
        assert!(
            told.verify("secret", &query, |name| lookup(&given, name), names, body)
                .is_err()
        );
    }
    let date = given[1].1;
    let is_date = date.len() == 16 && date.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_date || given.iter().any(|(_, value)| value.trim() != *value) {
        return;
    }
    let key = SigningKey {
        access_key: "key",
        secret: "secret",
        region: "eu-west-1",
    };
    let signed = keyfold_sigv4::sign(key, date, &given, body);
    let told = Authorization::parse(&signed).expect("what is signed can be read");
    let names = || given.iter().map(|(name, _)| *name);
    assert_eq!(
        told.verify(
            "secret",
            &Query::default(),
            |name| lookup(&given, name),
            names(),
            body
        ),
        Ok(())
    );
    let mut other = body.to_vec();
    other.push(b' ');
    assert!(
        told.verify(
            "secret",
            &Query::default(),
            |name| lookup(&given, name),
            names(),
            &other
        )
        .is_err()
    );
    assert!(
        told.verify(
            "other",
            &Query::default(),
            |name| lookup(&given, name),
            names(),
            body
        )
        .is_err()
    );
    let parameters = [("X-Amz-Target", header)];
    let query = keyfold_sigv4::presign(key, date, 60, &parameters, &given, body);
    let query = Query::parse(&query).expect("what is signed can be read");
    let told = query
        .authorization()
        .expect("and is whole")
        .expect("and there");
    assert_eq!(query.get("x-amz-target"), Some(header));
    assert_eq!(
        told.verify("secret", &query, |name| lookup(&given, name), names(), body),
        Ok(())
    );
    assert!(
        told.verify("other", &query, |name| lookup(&given, name), names(), body)
            .is_err()
    );
}
