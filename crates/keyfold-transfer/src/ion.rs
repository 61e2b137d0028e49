//! Items as Amazon Ion: strings, decimals, blobs, lists and structs; sets are lists with an
//! annotation.
//!
//! ```text
//! $ion_1_0 {Item:{p:"a",n:103.,s:$dynamodb_SS::["x","y"]}}
//! ```

use crate::import::Source;
use ion_rs::{Decimal, Element, IonType, Struct};
use keyfold_types::{Item, Number, Set, Value};
use std::collections::BTreeMap;

const STRINGS: &str = "$dynamodb_SS";
const NUMBERS: &str = "$dynamodb_NS";
const BINARIES: &str = "$dynamodb_BS";

fn decimal(number: &Number) -> Element {
    let coefficient = number.coefficient() as i128;
    let signed = if number.is_negative() {
        -coefficient
    } else {
        coefficient
    };
    Element::from(Decimal::new(signed, i64::from(number.exponent())))
}

fn element(value: &Value) -> Element {
    let list = |members: Vec<Element>| Element::from(ion_rs::List::from(members));
    match value {
        Value::S(text) => Element::from(text.as_str()),
        Value::N(number) => decimal(number),
        Value::B(bytes) => Element::blob(bytes.as_slice()),
        Value::Bool(flag) => Element::from(*flag),
        Value::Null => Element::null(IonType::Null),
        Value::L(values) => list(values.iter().map(element).collect()),
        Value::M(map) => structure(map.iter()),
        Value::Ss(set) => list(
            set.members()
                .iter()
                .map(|text| Element::from(text.as_str()))
                .collect(),
        )
        .with_annotations([STRINGS]),
        Value::Ns(set) => {
            list(set.members().iter().map(decimal).collect()).with_annotations([NUMBERS])
        }
        Value::Bs(set) => list(
            set.members()
                .iter()
                .map(|bytes| Element::blob(bytes.as_slice()))
                .collect(),
        )
        .with_annotations([BINARIES]),
    }
}

fn structure<'v>(entries: impl Iterator<Item = (&'v String, &'v Value)>) -> Element {
    let mut builder = Struct::builder();
    for (name, value) in entries {
        builder = builder.with_field(name.as_str(), element(value));
    }
    Element::from(builder.build())
}

/// A line: `$ion_1_0 {Item:{...}}`, or other named items.
pub fn line(parts: &[(&str, Element)]) -> String {
    let mut builder = Struct::builder();
    for (name, part) in parts {
        builder = builder.with_field(*name, part.clone());
    }
    format!("$ion_1_0 {}\n", Element::from(builder.build()))
}

/// An item as a struct.
pub fn item(item: &Item) -> Element {
    structure(item.iter())
}

/// Levels of a value, above which it is refused before it is parsed: an item has 32, in a struct
/// that names it.
const DEPTH_MAX: usize = 40;
/// Bytes of a number, above which it is refused: one of an item has 38 digits.
const NUMBER_BYTES_MAX: usize = 400;
/// Bytes of a value, and of a binary object.
const VALUE_BYTES_MAX: usize = 4 * 1024 * 1024;
const BINARY_BYTES_MAX: usize = 64 * 1024 * 1024;
const BINARY_MARKER: [u8; 4] = [0xe0, 0x01, 0x00, 0xea];

/// The items of a text or binary stream, one after another; what is no item is told in words. A
/// text is cut into its values first, and each is measured before it is parsed, because the parser
/// calls itself for every level.
pub(crate) struct Values<S> {
    source: S,
    state: Stream,
    /// Symbol tables of a text, which belong to all values behind them.
    symbols: Vec<u8>,
}

enum Stream {
    Unknown,
    Text,
    Binary(std::vec::IntoIter<Result<Item, String>>),
}

impl Values<Source> {
    pub(crate) fn new(source: Source) -> Values<Source> {
        Values {
            source,
            state: Stream::Unknown,
            symbols: Vec::new(),
        }
    }

    pub(crate) fn source(&mut self) -> &mut Source {
        &mut self.source
    }

    pub(crate) fn next_item(&mut self) -> Option<Result<Item, String>> {
        if let Stream::Unknown = self.state {
            self.state = match self.source.ahead().starts_with(&BINARY_MARKER) {
                false => Stream::Text,
                true => Stream::Binary(self.binary().into_iter()),
            };
        }
        if let Stream::Binary(items) = &mut self.state {
            return items.next();
        }
        loop {
            let mut scanner = Scanner::default();
            loop {
                let ahead = self.source.ahead();
                if ahead.is_empty() {
                    break;
                }
                let (count, is_over) = scanner.scan(ahead);
                self.source.take(count);
                if is_over {
                    break;
                }
            }
            let value = scanner.value.trim_ascii();
            if let Some(fault) = scanner.fault {
                return Some(Err(fault.to_owned()));
            }
            if value.is_empty() {
                return None;
            }
            if value.windows(SYMBOLS.len()).any(|part| part == SYMBOLS) {
                self.symbols = value.to_vec();
                self.symbols.push(b'\n');
                continue;
            }
            let whole = [self.symbols.as_slice(), value].concat();
            match Element::read_all(whole) {
                Err(error) => return Some(Err(format!("the file is no Ion: {error}"))),
                // A version marker alone.
                Ok(elements) if elements.is_empty() => {}
                Ok(elements) => return elements.iter().last().map(top),
            }
        }
    }

    fn binary(&mut self) -> Vec<Result<Item, String>> {
        let mut bytes = Vec::new();
        loop {
            let ahead = self.source.ahead();
            let count = ahead.len();
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(ahead);
            self.source.take(count);
            if bytes.len() > BINARY_BYTES_MAX {
                return vec![Err(format!(
                    "a binary object has more than {BINARY_BYTES_MAX} bytes"
                ))];
            }
        }
        if let Err(fault) = measure_binary(&bytes) {
            return vec![Err(fault.to_owned())];
        }
        match Element::read_all(bytes) {
            Err(error) => vec![Err(format!("the file is no Ion: {error}"))],
            Ok(elements) => elements.iter().map(top).collect(),
        }
    }
}

const SYMBOLS: &[u8] = b"$ion_symbol_table";
const TOO_DEEP: &str = "a value is nested too deep to be an item";
const TOO_LONG: &str = "a value is too long to be an item";
const NUMBER_TOO_LONG: &str = "a number has too many digits";

/// Where in a text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Plain,
    Text,
    Symbol,
    LongText,
    Blob,
    LineComment,
    BlockComment,
}

/// Finds the end of one value of a text: the bracket that closes what opened first.
#[derive(Default)]
struct Scanner {
    value: Vec<u8>,
    inside: Inside,
    is_escaped: bool,
    depth: usize,
    /// Bytes of the word or number under way, and whether it is a number.
    word: usize,
    is_number: bool,
    fault: Option<&'static str>,
}

impl Scanner {
    /// Looks at some bytes; returns how many belong to the value, and whether it ends there.
    fn scan(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (at, byte) in bytes.iter().enumerate() {
            // What is too long is passed over, and its end still found.
            if self.value.len() < VALUE_BYTES_MAX {
                self.value.push(*byte);
            } else {
                self.fault = self.fault.or(Some(TOO_LONG));
                let kept = self.value.len() - 3;
                self.value.copy_within(kept + 1.., kept);
                if let Some(last) = self.value.last_mut() {
                    *last = *byte;
                }
            }
            if self.step(*byte) {
                return (at + 1, true);
            }
        }
        (bytes.len(), false)
    }

    fn ends_with(&self, text: &[u8]) -> bool {
        self.value.ends_with(text)
    }

    /// One byte further; true at the end of the value.
    fn step(&mut self, byte: u8) -> bool {
        match self.inside {
            Inside::Plain => return self.plain(byte),
            Inside::Text | Inside::Symbol | Inside::LongText if self.is_escaped => {
                self.is_escaped = false
            }
            Inside::Text | Inside::Symbol | Inside::LongText if byte == b'\\' => {
                self.is_escaped = true
            }
            Inside::Text if byte == b'"' => self.inside = Inside::Plain,
            Inside::Symbol if byte == b'\'' => self.inside = Inside::Plain,
            Inside::LongText if self.ends_with(b"'''") => self.inside = Inside::Plain,
            Inside::Blob if byte == b'}' && self.ends_with(b"}}") => {
                self.inside = Inside::Plain;
                self.depth -= 1;
                return self.depth == 0;
            }
            Inside::LineComment if byte == b'\n' => self.inside = Inside::Plain,
            Inside::BlockComment if self.ends_with(b"*/") => self.inside = Inside::Plain,
            _ => {}
        }
        false
    }

    fn plain(&mut self, byte: u8) -> bool {
        let is_in_word = byte.is_ascii_alphanumeric() || b"_.+-$".contains(&byte);
        if !is_in_word {
            self.word = 0;
        } else {
            self.is_number = if self.word == 0 {
                byte.is_ascii_digit() || byte == b'-'
            } else {
                self.is_number
            };
            self.word += 1;
            if self.is_number && self.word > NUMBER_BYTES_MAX {
                self.fault = self.fault.or(Some(NUMBER_TOO_LONG));
            }
        }
        match byte {
            b'"' => self.inside = Inside::Text,
            // Two quotes are an empty symbol; with the third they begin a long text.
            b'\'' if self.ends_with(b"'''") => self.inside = Inside::LongText,
            b'\'' => self.inside = Inside::Symbol,
            b'/' if self.ends_with(b"//") => self.inside = Inside::LineComment,
            b'*' if self.ends_with(b"/*") => self.inside = Inside::BlockComment,
            b'{' if self.ends_with(b"{{") && !self.ends_with(b"{{{") => self.inside = Inside::Blob,
            b'{' | b'[' | b'(' => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    self.fault = self.fault.or(Some(TOO_DEEP));
                }
            }
            b'}' | b']' | b')' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

/// Refuses binary Ion that is nested too deep or has too long numbers, without calling itself.
fn measure_binary(bytes: &[u8]) -> Result<(), &'static str> {
    const BROKEN: &str = "the file is no Ion: a value is longer than what it is in";
    // Where the values end that it is in, and whether they are structs, whose values have names.
    let mut around: Vec<(usize, bool)> = vec![(bytes.len(), false)];
    let mut at = 0;
    while let Some((end, is_struct)) = around.last().copied() {
        if at >= end {
            around.pop();
            continue;
        }
        if around.len() == 1 && bytes.get(at..at + 4) == Some(&BINARY_MARKER) {
            at += 4;
            continue;
        }
        if is_struct {
            variable(bytes, &mut at).ok_or(BROKEN)?;
        }
        let descriptor = bytes.get(at).copied().ok_or(BROKEN)?;
        at += 1;
        let (kind, low) = (descriptor >> 4, usize::from(descriptor & 0xf));
        let length = match (kind, low) {
            (_, 15) | (1, _) => 0,
            (0xd, 1) | (_, 14) => variable(bytes, &mut at).ok_or(BROKEN)?,
            _ => low,
        };
        let value_end = at
            .checked_add(length)
            .filter(|value_end| *value_end <= end)
            .ok_or(BROKEN)?;
        if (2..=5).contains(&kind) && length > NUMBER_BYTES_MAX {
            return Err(NUMBER_TOO_LONG);
        }
        if !(0xb..=0xe).contains(&kind) {
            at = value_end;
            continue;
        }
        if around.len() > DEPTH_MAX {
            return Err(TOO_DEEP);
        }
        if kind == 0xe {
            let names = variable(bytes, &mut at).ok_or(BROKEN)?;
            at = at
                .checked_add(names)
                .filter(|start| *start <= value_end)
                .ok_or(BROKEN)?;
        }
        around.push((value_end, kind == 0xd));
    }
    Ok(())
}

/// A number of seven bits a byte, the last with its highest bit set.
fn variable(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut number = 0usize;
    for _ in 0..5 {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number = number.checked_shl(7)? | usize::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            return Some(number);
        }
    }
    None
}

fn top(element: &Element) -> Result<Item, String> {
    let found = element
        .as_struct()
        .and_then(|outer| outer.get("Item"))
        .and_then(Element::as_struct);
    match found.map(map_of) {
        Some(map) => map.map(Item::from),
        None => Err("a value is no struct with an Item".to_owned()),
    }
}

fn map_of(structure: &Struct) -> Result<BTreeMap<String, Value>, String> {
    let entry = |(name, element): (&ion_rs::Symbol, &Element)| {
        let name = name.text().ok_or("a name has no text")?;
        Ok((name.to_owned(), value(element)?))
    };
    structure.fields().map(entry).collect()
}

fn number(element: &Element) -> Result<Number, String> {
    let text = if let Some(decimal) = element.as_decimal() {
        decimal.to_string().replace('d', "e")
    } else if let Some(float) = element.as_float() {
        format!("{float:e}")
    } else {
        element.to_string()
    };
    text.parse()
        .map_err(|error| format!("{text} is no number that can be stored: {error}"))
}

fn value(element: &Element) -> Result<Value, String> {
    if element.is_null() {
        return Ok(Value::Null);
    }
    let wrong = || format!("{} is no value of an item", element.ion_type());
    match element.ion_type() {
        IonType::Bool => element.as_bool().map(Value::Bool).ok_or_else(wrong),
        IonType::Int | IonType::Decimal | IonType::Float => number(element).map(Value::N),
        IonType::String | IonType::Symbol => element.as_text().map(Value::from).ok_or_else(wrong),
        IonType::Blob | IonType::Clob => element
            .as_lob()
            .map(|bytes| Value::B(bytes.to_vec()))
            .ok_or_else(wrong),
        IonType::Struct => Ok(Value::M(map_of(element.as_struct().ok_or_else(wrong)?)?)),
        IonType::List | IonType::SExp => list(element),
        IonType::Null | IonType::Timestamp => Err(wrong()),
    }
}

fn list(element: &Element) -> Result<Value, String> {
    let members: Vec<Value> = element
        .as_sequence()
        .map(|sequence| sequence.elements().map(value).collect::<Result<_, _>>())
        .transpose()?
        .unwrap_or_default();
    let annotation = element.annotations().first();
    let mixed = || "the members of a set are not of its type".to_owned();
    let wrong = |error: keyfold_types::SetError| error.to_string();
    match annotation {
        Some(STRINGS) => {
            let texts: Option<Vec<String>> = members
                .into_iter()
                .map(|one| {
                    if let Value::S(text) = one {
                        Some(text)
                    } else {
                        None
                    }
                })
                .collect();
            Set::new(texts.ok_or_else(mixed)?)
                .map(Value::Ss)
                .map_err(wrong)
        }
        Some(NUMBERS) => {
            let numbers: Option<Vec<Number>> = members
                .into_iter()
                .map(|one| {
                    if let Value::N(number) = one {
                        Some(number)
                    } else {
                        None
                    }
                })
                .collect();
            Set::new(numbers.ok_or_else(mixed)?)
                .map(Value::Ns)
                .map_err(wrong)
        }
        Some(BINARIES) => {
            let bytes: Option<Vec<Vec<u8>>> = members
                .into_iter()
                .map(|one| {
                    if let Value::B(bytes) = one {
                        Some(bytes)
                    } else {
                        None
                    }
                })
                .collect();
            Set::new(bytes.ok_or_else(mixed)?)
                .map(Value::Bs)
                .map_err(wrong)
        }
        _ => Ok(Value::L(members)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<Item, String>> {
        let mut values = Values::new(Source::of(bytes.to_vec()));
        std::iter::from_fn(|| values.next_item()).collect()
    }

    fn binary(text: &str) -> Vec<u8> {
        let element = Element::read_one(text).unwrap();
        let bytes: Vec<u8> = element.encode_as(ion_rs::v1_0::Binary).unwrap();
        bytes
    }

    #[test]
    fn values_are_found_whatever_their_texts_hold() {
        let text = r#"$ion_1_0 {Item:{p:"a}\"{",'q}':"x",l:[1,{m:(b)}],b:{{aGVsbG8=}}}} // {
            /* } */ {Item:{p:'''long } 'text' '''}}
            $ion_1_0 {Item:{n:-1.50}}"#;
        let items: Vec<Item> = read(text.as_bytes())
            .into_iter()
            .map(|item| item.unwrap())
            .collect();
        assert_eq!(items.len(), 3, "{items:?}");
        assert_eq!(items[0].get("p"), Some(&Value::from("a}\"{")));
        assert_eq!(items[1].get("p"), Some(&Value::from("long } 'text' ")));
        assert_eq!(items[2].get("n"), Some(&Value::n("-1.5").unwrap()));
    }

    #[test]
    fn what_is_nested_too_deep_or_too_long_is_refused_and_what_follows_is_read() {
        let deep =
            |count: usize| format!("{{Item:{{p:{}1{}}}}}", "[".repeat(count), "]".repeat(count));
        let long = format!("{{Item:{{p:{}}}}}", "1".repeat(100_000));
        let huge = format!("{{Item:{{p:\"{}\"}}}}", "x".repeat(VALUE_BYTES_MAX));
        let text = [&deep(1_500), &long, &huge, &deep(20)]
            .map(String::as_str)
            .join("\n");
        let rows = read(text.as_bytes());
        let told: Vec<String> = rows
            .iter()
            .map(|row| row.clone().map_or_else(|fault| fault, |_| "item".into()))
            .collect();
        assert_eq!(told, [TOO_DEEP, NUMBER_TOO_LONG, TOO_LONG, "item"]);
        assert_eq!(read(&binary(&deep(20))).len(), 1);
        assert!(read(&binary(&deep(20)))[0].is_ok());
        for hostile in [deep(60), long] {
            assert!(read(&binary(&hostile))[0].is_err());
        }
    }

    #[test]
    fn any_bytes_are_read_to_an_end() {
        let mut random = 7u64;
        let whole = binary("{Item:{p:\"a\",l:[1,2,{m:3}],n:12345678901234567890}}");
        for _ in 0..20_000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut changed = whole.clone();
            let at = 4 + (random >> 33) as usize % (whole.len() - 4);
            changed[at] = (random >> 20) as u8;
            read(&changed);
            let text: Vec<u8> = random
                .to_le_bytes()
                .iter()
                .map(|byte| b"{}[]()'\"\\/*a1"[*byte as usize % 13])
                .collect();
            read(&text.repeat(3));
        }
    }
}
