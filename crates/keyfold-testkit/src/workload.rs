//! Seeded random data that reaches edge cases.

use fastrand::Rng;
use keyfold_types::{Item, Number, Set, Value};

/// Texts with shared prefixes, mixed case, NUL and the highest bytes.
const TEXTS: &[&str] = &[
    "a",
    "A",
    "ab",
    "a\0",
    "a\0b",
    "user#",
    "USER#",
    "user#1",
    "user$",
    "z",
    "\u{10ffff}",
    "é",
    "~",
    "0",
    "00",
];

/// Numbers whose text order is not their order.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "9",
    "10",
    "-10",
    "0.5",
    "-0.5",
    "1E100",
    "-1E-100",
    "12345678901234567890123456789012345678",
    "100",
];

/// One of the texts, as a value.
fn text(rng: &mut Rng) -> Value {
    Value::from(rng.choice(TEXTS).copied().unwrap_or("a"))
}

/// One of the numbers, as a value.
pub fn number(rng: &mut Rng) -> Value {
    let text = rng.choice(NUMBERS).copied().unwrap_or("0");
    Value::N(text.parse().unwrap_or(Number::ZERO))
}

/// A value of any kind, nested up to `depth` levels.
fn value(rng: &mut Rng, depth: u32) -> Value {
    match rng.u8(..if depth == 0 { 7 } else { 9 }) {
        0 => Value::from(""),
        1 => text(rng),
        2 => number(rng),
        3 => Value::B(vec![0xff; rng.usize(..4)]),
        4 => Value::Bool(rng.bool()),
        5 => Value::Null,
        6 => Set::new(
            vec![text(rng)]
                .into_iter()
                .filter_map(|value| {
                    if let Value::S(text) = value {
                        Some(text)
                    } else {
                        None
                    }
                })
                .collect(),
        )
        .map_or(Value::Null, Value::Ss),
        7 => Value::L((0..rng.usize(..4)).map(|_| value(rng, depth - 1)).collect()),
        _ => Value::M(
            (0..rng.usize(..4))
                .map(|at| (format!("k{at}"), value(rng, depth - 1)))
                .collect(),
        ),
    }
}

/// A key of the attributes `pk` (text) and `sk` (text). There are few keys, so that they repeat.
pub fn key(rng: &mut Rng) -> Item {
    let partition = rng.choice(&TEXTS[..3]).copied().unwrap_or("a");
    [("pk", Value::from(partition)), ("sk", text(rng))]
        .into_iter()
        .collect()
}

/// An item with the index attributes `g` (text) and `n` (number), each sometimes missing.
pub fn item(rng: &mut Rng) -> Item {
    let mut item = key(rng);
    if rng.u8(..4) > 0 {
        let partition = rng.choice(&TEXTS[..2]).copied().unwrap_or("a");
        item.insert("g", partition);
    }
    if rng.u8(..4) > 0 {
        let value = number(rng);
        item.insert("n", value);
    }
    for name in ["x", "y"] {
        if rng.bool() {
            let value = value(rng, 2);
            item.insert(name, value);
        }
    }
    item
}
