//! The targets for requests, models and stored bytes.

use crate::engine::{self, TABLE, ask_json, item as sample, with_engine};
use bytes::Bytes;
use keyfold_api::Operation;
use keyfold_codec::{RawItem, RawValue};
use keyfold_types::{Number, Value};
use serde_json::json;

/// A request's operation and body, with a space between. The request is decoded and carried out;
/// the answer is JSON, and no internal error.
pub(crate) fn body(input: &[u8]) {
    let Some(space) = input.iter().position(|byte| *byte == b' ') else {
        return;
    };
    let (name, body) = input.split_at(space);
    let name = std::str::from_utf8(name).unwrap_or_default();
    let Some(operation) = engine::operation(name) else {
        return;
    };
    if engine::writes_files(operation) {
        drop(keyfold_wire::decode(operation, body));
        return;
    }
    with_engine(|engine| {
        engine::ask_known(engine, operation, body);
    });
}

/// A text as an expression of each kind, with names and values for its placeholders.
pub(crate) fn expression(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let placeholders = Placeholders::of(text);
    let with = |mut body: serde_json::Value| {
        placeholders.add_names(&mut body);
        placeholders.add_values(&mut body);
        body
    };
    let key = json!({"pk": {"S": "p"}, "sk": {"S": "s"}});
    with_engine(|engine| {
        let update = with(json!({"TableName": TABLE, "Key": key, "UpdateExpression": text}));
        ask_json(engine, Operation::UpdateItem, &update);
        ask_json(
            engine,
            Operation::PutItem,
            &json!({"TableName": TABLE, "Item": sample()}),
        );
        let put = with(json!({"TableName": TABLE, "Item": sample(), "ConditionExpression": text}));
        ask_json(engine, Operation::PutItem, &put);
        let scan = with(json!({"TableName": TABLE, "FilterExpression": text}));
        ask_json(engine, Operation::Scan, &scan);
        let query = with(json!({"TableName": TABLE, "KeyConditionExpression": text}));
        ask_json(engine, Operation::Query, &query);
        // A projection takes no values.
        let mut get = json!({"TableName": TABLE, "Key": key, "ProjectionExpression": text});
        placeholders.add_names(&mut get);
        ask_json(engine, Operation::GetItem, &get);
    });
}

/// Names and values for the placeholders of an expression.
struct Placeholders {
    names: serde_json::Map<String, serde_json::Value>,
    values: serde_json::Map<String, serde_json::Value>,
}

impl Placeholders {
    fn of(text: &str) -> Placeholders {
        let (mut names, mut values) = (serde_json::Map::new(), serde_json::Map::new());
        let is_sign = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '#' | ':'));
        for word in text.split(is_sign).filter(|word| word.len() > 1) {
            if word.starts_with('#') {
                // The name is the text behind the sign.
                names.insert(word.to_owned(), word.trim_start_matches('#').into());
            }
            if word.starts_with(':') {
                // The last letter names the type.
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
        Placeholders { names, values }
    }

    fn add_names(&self, body: &mut serde_json::Value) {
        if !self.names.is_empty() {
            body["ExpressionAttributeNames"] = self.names.clone().into();
        }
    }

    fn add_values(&self, body: &mut serde_json::Value) {
        if !self.values.is_empty() {
            body["ExpressionAttributeValues"] = self.values.clone().into();
        }
    }
}

/// A PartiQL statement, with parameters for its question marks.
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

/// The text of a model: it compiles, or has diagnostics with places inside the text. Formatting
/// changes no meaning, and formatting twice is formatting once.
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
            .chain(diagnostic.edits().iter().map(|edit| &edit.span))
        {
            assert!(
                text.get(span.start..span.end).is_some(),
                "{span:?} is no place of {text:?}"
            );
        }
    }
    model_files(text);
    let formatted = keyfold_model::format(text);
    assert_eq!(
        keyfold_model::format(&formatted),
        formatted,
        "formatting twice is formatting once"
    );
    let without_space =
        |text: &str| text.replace(|c: char| c.is_whitespace() || c == '\u{feff}', "");
    assert_eq!(
        without_space(&formatted),
        without_space(text),
        "formatting changes nothing but space"
    );
    let messages = |compiled: &keyfold_model::Compiled| -> Vec<_> {
        let mut messages: Vec<_> = compiled
            .diagnostics
            .iter()
            .map(|one| (one.code, one.message.clone()))
            .collect();
        // Diagnostics come in the order of their places, which formatting changes.
        messages.sort();
        messages
    };
    assert_eq!(
        messages(&compiled),
        messages(&keyfold_model::compile(&formatted)),
        "formatting changes no meaning"
    );
}

/// A model of several files, which start at lines `# orders.keyfold:`. Findings have places inside
/// one file each.
fn model_files(text: &str) {
    let mut files = vec![("model.keyfold", String::new())];
    for line in text.split_inclusive('\n') {
        let name = line
            .strip_prefix("# ")
            .and_then(|line| line.trim_end().strip_suffix(':'));
        match name.filter(|name| name.ends_with(".keyfold")) {
            Some(name) => files.push((name, String::new())),
            None => {
                let last = files.last_mut();
                last.into_iter().for_each(|(_, text)| text.push_str(line));
            }
        }
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let sources = keyfold_model::Sources::of_texts(&files);
    for diagnostic in keyfold_model::compile_sources(&sources).diagnostics {
        let repairs = diagnostic.edits().iter().map(|edit| edit.span);
        for span in diagnostic
            .labels
            .iter()
            .map(|(span, _)| *span)
            .chain(repairs)
        {
            let file = sources.file_at(span.start).map(|file| file.span());
            let is_inside =
                file.is_some_and(|file| file.start <= span.start && span.end <= file.end);
            assert!(is_inside, "{span:?} is no place of a file of {files:?}");
        }
        assert!(!diagnostic.render_in(&sources, false).is_empty());
        let edited = sources.edited(diagnostic.edits());
        assert_eq!(edited.files().len(), sources.files().len());
    }
}

/// Two key values: their bytes have the order of the values, and neither is a prefix of the other.
pub(crate) fn key(input: &[u8]) {
    let Some((first, rest)) = input.split_first() else {
        return;
    };
    // A decoded number survives encoding.
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
        _ => unreachable!("both values have one type"),
    };
    assert_eq!(a.cmp(&b), order, "{one:?} and {other:?}");
    assert!(
        one == other || !(a.starts_with(&b) || b.starts_with(&a)),
        "{one:?} and {other:?}"
    );
}

/// An item's bytes, to which the right checksum is added: they are refused, or they are an item
/// that survives encoding.
pub(crate) fn item(input: &[u8]) {
    let mut bytes = input.to_vec();
    bytes.extend_from_slice(&crc32fast::hash(input).to_le_bytes());
    let Ok(raw) = RawItem::open(Bytes::from(bytes)) else {
        return;
    };
    // Only our own writes have the right checksum; forged bytes must not panic either.
    let item = raw.to_item();
    for (name, value) in raw.attributes() {
        std::hint::black_box((name.len(), walk(&value, 0)));
    }
    let again = RawItem::encode(&item);
    assert_eq!(again.to_item(), item);
    assert_eq!(again.size_bytes(), item.size_bytes());
}

/// Visits a value with its elements, and counts them.
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

/// A stream's iterator: the text itself, the text behind the ARN of the stream, and the bytes in
/// the form that the engine gives to iterators.
pub(crate) fn iterator(input: &[u8]) {
    with_engine(|engine| {
        let text = String::from_utf8_lossy(input);
        let arn = engine::stream(engine);
        let made = format!("{arn}|1|{}", engine::base64(input));
        for iterator in [&*text, &format!("{arn}{text}"), &made] {
            ask_json(
                engine,
                Operation::GetRecords,
                &json!({"ShardIterator": iterator}),
            );
        }
        let shard = engine::shard(engine, &arn);
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
