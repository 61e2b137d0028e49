//! Random values at the edges: texts that are prefixes of each other, 9 beside 10, both cases, times
//! within one second. Most references point at existing rows.

use crate::expect;
use crate::rows::Rows;
use crate::wishes::Wishes;
use keyfold_client::arguments::Values;
use keyfold_model::schema::{Attribute, KeyPair, Record, Unique};
use keyfold_model::{Entity, Format, Model, Part, Type, Unit, value};
use keyfold_types::{Number, Set, Value};
use std::collections::BTreeMap;

/// Words that keys confuse if they do not separate them properly.
const WORDS: [&str; 19] = [
    "a#b",
    "ORDER#a",
    "-",
    "a",
    "ab",
    "abc",
    "A",
    "Ab",
    "sent",
    "sent-back",
    "z",
    "z~",
    "order",
    "ORDER",
    "x y",
    "a, b",
    "b, c",
    "0",
    "10",
];
/// Texts for attributes that are in no key, or escaped in it.
const WILD: [&str; 8] = [
    "a#b",
    "100%",
    "",
    "é#",
    "tab\tand \"quote\"",
    "#",
    "a, b",
    "\u{10ffff}",
];
const DAY_MS: i64 = 24 * 3_600 * 1_000;
/// A time of expiry that never comes: the year 2096.
const FAR_MS: i64 = 3_976_214_400_000;

/// The generator of random values.
pub(crate) struct Generator<'m> {
    model: &'m Model,
    pub(crate) rng: fastrand::Rng,
    /// The present moment. Most times lie before it.
    now_ms: i64,
    /// The range of times before the present moment.
    window_ms: i64,
    /// The number of different identifiers.
    identifiers: usize,
    pub(crate) wishes: Wishes<'m>,
}

impl<'m> Generator<'m> {
    pub(crate) fn new(model: &'m Model, seed: u64, now_ms: i64, items: usize) -> Generator<'m> {
        // Few periods where each takes a table or a request.
        let finest = model.tables.iter().filter_map(|table| table.period).min();
        let bucketed = model.entities.iter().flat_map(keys_of).filter_map(|part| {
            if let Part::Field {
                format: Format::Truncated(unit),
                ..
            } = part
            {
                Some(*unit)
            } else {
                None
            }
        });
        let window_ms = match finest.into_iter().chain(bucketed).min() {
            Some(Unit::Hour) => DAY_MS / 2,
            Some(Unit::Day) => 9 * DAY_MS,
            Some(Unit::Month) => 100 * DAY_MS,
            Some(Unit::Year) => 900 * DAY_MS,
            None => 40 * DAY_MS,
        };
        Generator {
            model,
            rng: fastrand::Rng::with_seed(seed),
            now_ms,
            window_ms,
            identifiers: items.max(4),
            wishes: Wishes::of(model),
        }
    }

    /// The attributes of a new row, without those that the model keeps.
    pub(crate) fn row(&mut self, entity: &'m Entity, rows: &Rows<'m>) -> Values {
        let references = self.references(entity, rows);
        let mut values = Values::new();
        for attribute in entity
            .attributes
            .iter()
            .filter(|attribute| !attribute.is_kept)
        {
            if attribute.optional && self.rng.u8(..4) == 0 {
                continue;
            }
            let referred = references.get(&attribute.name).cloned();
            let value = referred.unwrap_or_else(|| self.attribute(entity, attribute));
            values.insert(attribute.name.clone(), value);
        }
        if self.rng.u8(..3) == 0 {
            self.fulfil(rows.place(entity), entity, &mut values);
        }
        if self.rng.u8(..24) == 0 {
            self.lengthen(entity, &mut values);
        }
        values
    }

    /// Gives a row a text with which one of its keys has exactly the most bytes, or one more.
    fn lengthen(&mut self, entity: &'m Entity, row: &mut Values) {
        let texts = entity.attributes.iter().filter(|one| {
            let is_free = !one.is_kept && one.refers.is_none();
            is_free && one.kind == Type::String && row.contains_key(&one.name)
        });
        let texts: Vec<&Attribute> = texts.collect();
        let Some(attribute) = texts.get(self.rng.usize(..texts.len().max(1))) else {
            return;
        };
        // Letters of one and of two bytes.
        let letter = if self.rng.bool() { "l" } else { "é" };
        let mut bytes_with = |count: usize| {
            row.insert(attribute.name.clone(), Value::S(letter.repeat(count)));
            expect::key_bytes(self.model, entity, row)
        };
        let (one, two) = (bytes_with(1), bytes_with(2));
        let more = self.rng.usize(..2);
        let keys = one.into_iter().zip(two);
        let counts = keys.filter_map(|(one, two)| {
            let ((one, most), (two, _)) = (one?, two?);
            let each = two.checked_sub(one).filter(|each| *each > 0)?;
            let missing = (most + more).checked_sub(one)?;
            (missing % each == 0).then(|| missing / each + 1)
        });
        let counts: Vec<usize> = counts.collect();
        let count = counts.get(self.rng.usize(..counts.len().max(1)));
        let text = letter.repeat(count.copied().unwrap_or(1));
        row.insert(attribute.name.clone(), Value::S(text));
    }

    /// The values of an entity's references. References to several attributes of one entity point at
    /// the same row; a second reference to the same attribute points at another row.
    fn references(&mut self, entity: &Entity, rows: &Rows<'m>) -> BTreeMap<String, Value> {
        let mut picked: BTreeMap<(&str, usize), Option<Values>> = BTreeMap::new();
        let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut references = BTreeMap::new();
        for attribute in &entity.attributes {
            let Some((parent, target)) = &attribute.refers else {
                continue;
            };
            let time = times.entry((parent, target)).or_default();
            // Some references point at no row.
            let row = picked.entry((parent, *time)).or_insert_with(|| {
                rows.pick(parent, &mut self.rng)
                    .filter(|_| self.rng.u8(..20) > 0)
            });
            *time += 1;
            if let Some(value) = row.as_ref().and_then(|row| row.get(target)) {
                references.insert(attribute.name.clone(), value.clone());
            }
        }
        references
    }

    /// A value of an attribute. Its keys accept most of them.
    pub(crate) fn attribute(&mut self, entity: &Entity, attribute: &Attribute) -> Value {
        if entity.ttl.as_ref() == Some(&attribute.name) {
            let later = FAR_MS + self.rng.i64(0..DAY_MS);
            return value::time_of_epoch_ms(&attribute.kind, later).unwrap_or(Value::Null);
        }
        // A key may refuse this value.
        if self.rng.u8(..48) == 0
            && let Some(strange) = self.strange(&attribute.kind)
        {
            return strange;
        }
        let formats = formats_of(self.model, entity, &attribute.name);
        let padded = formats.iter().filter_map(|format| {
            if let Format::Padded {
                whole,
                decimals,
                signed,
                reversed: _,
            } = format
            {
                Some((*whole, *decimals, *signed))
            } else {
                None
            }
        });
        let padded: Vec<(usize, usize, bool)> = padded.collect();
        if let Some((whole, decimals, _)) = padded.iter().min() {
            let number = self.padded(*whole, (*decimals).min(2));
            let is_negative = padded.iter().all(|(_, _, signed)| *signed) && self.rng.bool();
            return Value::N(if is_negative {
                number.negated()
            } else {
                number
            });
        }
        if attribute.kind == Type::String {
            self.string(entity, attribute, &formats)
        } else {
            self.of_type(&attribute.kind)
        }
    }

    /// A value at the edge of a type: negative, wide, empty, long, with delimiters.
    fn strange(&mut self, kind: &Type) -> Option<Value> {
        if matches!(kind, Type::Int | Type::Number) {
            Some(self.far_number(kind))
        } else if *kind == Type::String {
            Some(self.far_text())
        } else {
            None
        }
    }

    /// A number that few keys accept.
    pub(crate) fn far_number(&mut self, kind: &Type) -> Value {
        let all: &[&str] = if *kind == Type::Int {
            &["-1", "-120", "99999", "123456789012", "0"]
        } else {
            &["-1", "-0.5", "99999.99", "123456789012", "0.125", "7.999"]
        };
        all[self.rng.usize(..all.len())]
            .parse()
            .map_or(Value::from(-1), Value::N)
    }

    /// A text that few keys accept.
    pub(crate) fn far_text(&mut self) -> Value {
        match self.rng.u8(..4) {
            0 => Value::S("l".repeat(1100)),
            1 => Value::S("L".repeat(2100)),
            _ => Value::from(WILD[self.rng.usize(..WILD.len())]),
        }
    }

    /// A number that fits a padded format.
    fn padded(&mut self, whole: usize, decimals: usize) -> Number {
        let most = 10_u64.saturating_pow(u32::try_from(whole.min(9)).unwrap_or(9)) - 1;
        // Half of the numbers are small, so that they have different numbers of digits.
        let whole_part = if self.rng.bool() {
            self.rng.u64(0..=most.min(120))
        } else {
            self.rng.u64(0..=most)
        };
        let text = match decimals {
            0 => whole_part.to_string(),
            _ => format!("{whole_part}.{:02}", self.rng.u8(0..100)),
        };
        text.parse().unwrap_or(Number::from(0_i64))
    }

    /// A text that the formats of its keys accept.
    fn string(&mut self, entity: &Entity, attribute: &Attribute, formats: &[Format]) -> Value {
        let in_own_key = entity.key.fields().any(|field| field == attribute.name);
        let is_free = formats
            .iter()
            .all(|format| matches!(format, Format::Escaped | Format::Hash));
        if in_own_key && attribute.refers.is_none() && self.rng.u8(..3) > 0 {
            let number = self.rng.usize(0..self.identifiers * 2);
            // Half of the ids start with `x`, so that entities share them.
            let first = attribute
                .name
                .chars()
                .next()
                .filter(|_| self.rng.bool())
                .unwrap_or('x');
            // Some ids contain a delimiter of another key.
            let mut signs = self.model.tables.iter().flat_map(|table| &table.delimiters);
            let sign = signs.find(|sign| !excludes(entity, attribute, **sign));
            return Value::S(match sign {
                Some(sign) if self.rng.u8(..5) == 0 => format!("{first}{sign}{number}"),
                Some(_) | None => format!("{first}{number}"),
            });
        }
        let is_bare = formats.contains(&Format::Bare);
        if is_free && !is_bare && self.rng.u8(..4) == 0 {
            return Value::from(WILD[self.rng.usize(..WILD.len())]);
        }
        let word = WORDS[self.rng.usize(..WORDS.len())];
        let is_excluded = |c: char| excludes(entity, attribute, c);
        if formats.is_empty() || is_free || !word.contains(is_excluded) {
            Value::from(word)
        } else {
            Value::from("ab")
        }
    }

    /// A value of a type.
    pub(crate) fn of_type(&mut self, kind: &Type) -> Value {
        match kind {
            Type::String => Value::from(WORDS[self.rng.usize(..WORDS.len())]),
            Type::Int => Value::from(self.rng.i64(0..130)),
            Type::Number => {
                let text = format!("{}.{:02}", self.rng.u16(0..200), self.rng.u8(0..100));
                text.parse().map_or(Value::from(1), Value::N)
            }
            Type::Bool => Value::Bool(self.rng.bool()),
            Type::Time(_) | Type::Date => {
                // Few different moments, in steps of twenty minutes, so that rows share them.
                let steps = self.window_ms / 1_200_000;
                let back = self.rng.i64(0..steps.max(1)) * 1_200_000 + self.rng.i64(0..3) * 7;
                // Some times lie in the future.
                let back = if self.rng.u8(..16) == 0 {
                    -back / 4
                } else {
                    back
                };
                value::time_of_epoch_ms(kind, self.now_ms - back).unwrap_or(Value::Null)
            }
            Type::Period(unit) => {
                let time = self.of_type(&Type::Time(keyfold_model::Precision::Millis));
                Value::S(unit.of(&value::display(&time)).to_owned())
            }
            Type::Binary => {
                let length = self.rng.usize(1..12);
                Value::B((0..length).map(|_| self.rng.u8(..)).collect::<Vec<u8>>())
            }
            Type::Ulid => {
                let digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".as_bytes();
                let rest: String = (0..25)
                    .map(|_| char::from(digits[self.rng.usize(..32)]))
                    .collect();
                Value::S(format!("0{rest}"))
            }
            Type::Uuid => {
                let text = format!("{:032x}", self.rng.u128(..));
                let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
                Value::S(
                    [
                        piece(0, 8),
                        piece(8, 12),
                        piece(12, 16),
                        piece(16, 20),
                        piece(20, 32),
                    ]
                    .join("-"),
                )
            }
            Type::Words(words) => Value::S(words[self.rng.usize(..words.len())].clone()),
            Type::List(of) => {
                let length = self.rng.usize(0..14);
                Value::L((0..length).map(|_| self.of_type(of)).collect())
            }
            Type::Map(of) => {
                let length = self.rng.usize(0..4);
                Value::M(
                    (0..length)
                        .map(|at| (format!("k{at}"), self.of_type(of)))
                        .collect(),
                )
            }
            Type::Set(of) => self.set(of),
            Type::Record(record) => self.record(record),
        }
    }

    fn record(&mut self, record: &Record) -> Value {
        let mut fields = BTreeMap::new();
        for (name, kind, optional) in &record.fields {
            if !optional || self.rng.bool() {
                fields.insert(name.clone(), self.of_type(kind));
            }
        }
        Value::M(fields)
    }

    fn set(&mut self, of: &Type) -> Value {
        let mut members: Vec<Value> = Vec::new();
        for _ in 0..self.rng.usize(1..5) {
            let one = self.of_type(of);
            if !members.contains(&one) {
                members.push(one);
            }
        }
        set_of(members).unwrap_or(Value::Null)
    }
}

/// The set of these elements, which are of one type; `None` when there are none.
pub(crate) fn set_of(elements: Vec<Value>) -> Option<Value> {
    let (mut texts, mut numbers, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for one in elements {
        match one {
            Value::S(text) => texts.push(text),
            Value::N(number) => numbers.push(number),
            Value::B(some) => bytes.push(some),
            Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => {}
        }
    }
    let texts = Set::new(texts).ok().map(Value::Ss);
    texts
        .or_else(|| Set::new(numbers).ok().map(Value::Ns))
        .or_else(|| Set::new(bytes).ok().map(Value::Bs))
}

/// All parts of an entity's keys.
pub(crate) fn keys_of(entity: &Entity) -> impl Iterator<Item = &Part> {
    let templates = entity.keys().flat_map(KeyPair::templates);
    templates.flat_map(|template| &template.parts)
}

/// The formats of an attribute in keys: those of its entity, and of entities that refer to it.
fn formats_of(model: &Model, entity: &Entity, name: &str) -> Vec<Format> {
    let mut formats: Vec<Format> = Vec::new();
    let mut add = |entity: &Entity, name: &str| {
        for part in keys_of(entity) {
            if let Part::Field {
                name: field,
                format,
                ..
            } = part
                && field == name
            {
                formats.push(*format);
            }
        }
        if entity
            .uniques
            .iter()
            .flat_map(Unique::attributes)
            .any(|unique| unique == name)
        {
            formats.push(Format::Escaped);
        }
    };
    add(entity, name);
    for other in &model.entities {
        for attribute in &other.attributes {
            if attribute
                .refers
                .as_ref()
                .is_some_and(|(e, a)| *e == entity.name && a == name)
            {
                add(other, &attribute.name);
            }
        }
    }
    formats
}

/// Whether an attribute of an entity must not contain a character.
fn excludes(entity: &Entity, attribute: &Attribute, character: char) -> bool {
    let mut excluded = entity.excluded.iter();
    excluded.any(|one| one.attribute == attribute.name && one.character == character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_of_exactly_the_most_bytes_are_drawn() {
        let source = "model e 1\ntable Tab (PK, SK)\n  gsi GSI1 (A, B)\nentity A\n  id: string, name: string, city: string, mail: string\n  key \"A#{id}\" \"NAME#{name}\"\n  GSI1 \"C#{city:escape}\" \"{name}#{id}\"\n  unique mail\n";
        let compiled = keyfold_model::compile(source);
        let shown = compiled.diagnostics.iter();
        let shown: Vec<String> = shown.map(|one| one.render(source, "e", false)).collect();
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("{}", shown.join("\n")));
        let rows = Rows::new(&model, 0).unwrap();
        let mut generator = Generator::new(&model, 1, 1_768_473_000_123, 60);
        let entity = model.entities.first().unwrap();
        let mut drawn: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); 5];
        for _ in 0..6_000 {
            let row = generator.row(entity, &rows);
            let keys = expect::key_bytes(&model, entity, &row);
            for (bytes, key) in drawn.iter_mut().zip(keys) {
                bytes.extend(key.map(|(bytes, _)| bytes));
            }
        }
        for (bytes, most) in drawn.iter().zip([2048, 1024, 2048, 1024, 2048]) {
            assert!(
                bytes.contains(&most) && bytes.contains(&(most + 1)),
                "{most}: {bytes:?}"
            );
        }
    }
}
