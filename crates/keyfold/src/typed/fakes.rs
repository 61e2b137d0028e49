//! Entities for tests: random by a seed, and valid for their model.
//!
//! Values have the forms that keys demand: texts without the characters that a key excludes, numbers
//! with as many digits as one has room for. Each text, moment and number of a key is another one, so
//! that entities do not meet, and says its seed, so that those of two seeds do not meet either: as far
//! as its type has room. What a write would fill in, identifiers, moments and defaults, is there; what
//! the model keeps, counts and versions, is not.

use super::members::{Held, OfMembers};
use keyfold_model::schema::guard_parts;
use keyfold_model::{Attribute, DefaultValue, Entity, Format, Model, Part, Type, value};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The first moment, of the 1st of January 2024: those that follow are a minute later each. Expiry lies
/// far behind it.
const START_MS: i64 = 1_704_067_200_000;
const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: u64 = 24 * 60;
/// The minutes between the first moments of two seeds, and the seeds that have moments of their own.
const SEED_MINUTES: u64 = 4 * DAY_MINUTES;
const SEED_MOMENTS: u64 = 4096;
/// The days between the first dates of two seeds, and the seeds that have dates of their own.
const SEED_DAYS: u64 = 200;
const SEED_DATES: u64 = 128;
/// The numbers between the first ones of two seeds.
const SEED_NUMBERS: u64 = 100_003;
const EXPIRY_YEAR: &str = "2099";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HEX: &[u8; 16] = b"0123456789abcdef";
/// The most digits of a number that is no key's, and of one that is.
const DIGITS: u32 = 4;
const KEY_DIGITS: u32 = 9;

/// Makes entities of a model. The same seed makes the same ones.
#[derive(Clone)]
pub struct Fakes {
    model: Arc<Model>,
    seed: u64,
    state: u64,
    count: u64,
}

/// What keys demand of the values of an attribute.
#[derive(Clone)]
struct Demand {
    /// Characters that its texts must not have.
    excluded: Vec<char>,
    whole: u32,
    decimals: u32,
    is_in_key: bool,
}

impl Demand {
    /// That of a value which is in no key.
    fn free() -> Demand {
        Demand {
            excluded: Vec::new(),
            whole: KEY_DIGITS,
            decimals: 2,
            is_in_key: false,
        }
    }

    /// What the keys of an entity demand of an attribute.
    fn of(model: &Model, entity: &Entity, name: &str) -> Demand {
        let templates = entity.keys().flat_map(|key| key.templates());
        let mut parts: Vec<Part> = templates.flat_map(|one| one.parts.clone()).collect();
        if let Some(table) = model.tables.get(entity.table) {
            let uniques = entity.uniques.iter();
            parts.extend(uniques.flat_map(|one| guard_parts(entity, one, &table.delimiters)));
        }
        let mut demand = Demand::free();
        demand.add(&parts, name);
        demand
    }

    fn add(&mut self, parts: &[Part], wanted: &str) {
        for part in parts {
            match part {
                Part::Shard { of, .. } => self.add(of, wanted),
                Part::Field {
                    name,
                    format,
                    excluded,
                    ..
                } if name == wanted => {
                    self.is_in_key = true;
                    self.add_format(*format, excluded);
                }
                Part::Field { .. } | Part::Text(_) | Part::Chunk | Part::Break => {}
            }
        }
    }

    fn add_format(&mut self, format: Format, excluded: &[char]) {
        // An escaped text has any character.
        if format != Format::Escaped {
            self.excluded.extend(excluded);
        }
        if let Format::Padded {
            whole, decimals, ..
        } = format
        {
            let digits = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            self.whole = self.whole.min(digits(whole));
            self.decimals = self.decimals.min(digits(decimals));
        }
    }
}

impl Fakes {
    pub(super) fn new(model: &Arc<Model>, seed: u64) -> Fakes {
        Fakes {
            model: Arc::clone(model),
            seed,
            state: seed,
            count: 0,
        }
    }

    /// A new entity of a name. An attribute that refers to another entity has a value of its own; the
    /// first of an entity that refers to its own kind refers to itself.
    ///
    /// # Panics
    /// When the model has no such entity: generated clients ask for those that it has.
    pub fn make<T: OfMembers>(&mut self, name: &str) -> T {
        let model = Arc::clone(&self.model);
        let entity = model.entity(name).expect("the model has the entity");
        let members = self.members(&model, entity);
        let held = Held::of_value(Value::M(members));
        let made = held.and_then(|mut held| T::of_members(&mut held));
        made.unwrap_or_else(|fault| panic!("what is made of {name} is of its types: {fault}"))
    }

    fn members(&mut self, model: &Model, entity: &Entity) -> BTreeMap<String, Value> {
        self.count += 1;
        let mut made = BTreeMap::new();
        for attribute in &entity.attributes {
            let may_lack = attribute.optional && attribute.default.is_none();
            if attribute.is_kept || (may_lack && self.below(2) == 0) {
                continue;
            }
            let own = attribute.refers.as_ref();
            let own = own.filter(|(other, _)| *other == entity.name);
            let value = match own.and_then(|(_, other)| made.get(other).cloned()) {
                Some(value) => value,
                None => self.attribute(model, entity, attribute),
            };
            made.insert(attribute.name.clone(), value);
        }
        made
    }

    fn attribute(&mut self, model: &Model, entity: &Entity, attribute: &Attribute) -> Value {
        if let Some(DefaultValue::Value(fixed)) = &attribute.default {
            return fixed.clone();
        }
        let name = &attribute.name;
        let demand = Demand::of(model, entity, name);
        let value = self.value(name, &attribute.kind, &demand);
        let Value::S(text) = &value else {
            return value;
        };
        if entity.ttl.as_ref() != Some(name) {
            return value;
        }
        let rest: String = text.chars().skip(EXPIRY_YEAR.len()).collect();
        Value::S(format!("{EXPIRY_YEAR}{rest}"))
    }

    fn value(&mut self, name: &str, kind: &Type, demand: &Demand) -> Value {
        let many = 1 + self.below(3);
        match kind {
            Type::Words(words) => self.word_of(words),
            Type::List(of) => Value::L(
                (0..many)
                    .map(|_| self.value(name, of, &Demand::free()))
                    .collect(),
            ),
            Type::Map(of) => {
                let each = (0..many).map(|at| {
                    let held = self.value(name, of, &Demand::free());
                    (format!("key{at}"), held)
                });
                Value::M(each.collect())
            }
            Type::Set(of) => self.set(name, of, many),
            Type::Record(record) => {
                let mut fields = BTreeMap::new();
                for (field, kind, optional) in &record.fields {
                    if !optional || self.below(2) == 0 {
                        fields.insert(field.clone(), self.value(field, kind, &Demand::free()));
                    }
                }
                Value::M(fields)
            }
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid => self.scalar(name, kind, demand),
        }
    }

    /// The elements of a set, each of which is another one.
    fn set(&mut self, name: &str, of: &Type, many: u64) -> Value {
        let many = usize::try_from(many).unwrap_or(1);
        if let Type::Words(words) = of {
            let words = words.iter().take(many);
            return Value::L(words.map(|word| Value::from(word.as_str())).collect());
        }
        let apart = Demand {
            is_in_key: true,
            ..Demand::free()
        };
        Value::L((0..many).map(|_| self.scalar(name, of, &apart)).collect())
    }

    fn scalar(&mut self, name: &str, kind: &Type, demand: &Demand) -> Value {
        if demand.is_in_key {
            self.count += 1;
        }
        match kind {
            Type::Int | Type::Number => Value::N(self.number(kind, demand)),
            Type::Time(_) | Type::Date => self.moment(kind),
            Type::Bool => Value::Bool(self.below(2) == 1),
            Type::Binary => Value::B(self.bytes()),
            Type::Ulid => Value::S(self.ulid()),
            Type::Uuid => Value::S(self.uuid()),
            Type::Words(words) => self.word_of(words),
            Type::String
            | Type::Period(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::Set(_)
            | Type::Record(_) => Value::S(self.text(name, &demand.excluded)),
        }
    }

    fn word_of(&mut self, words: &[String]) -> Value {
        let at = self.below(words.len() as u64);
        let word = usize::try_from(at).ok().and_then(|at| words.get(at));
        Value::S(word.cloned().unwrap_or_default())
    }

    /// A moment or a date of the seed's own.
    fn moment(&self, kind: &Type) -> Value {
        let minutes = if *kind == Type::Date {
            (self.seed % SEED_DATES * SEED_DAYS + self.count) * DAY_MINUTES
        } else {
            self.seed % SEED_MOMENTS * SEED_MINUTES + self.count
        };
        let minutes = i64::try_from(minutes).unwrap_or_default();
        let moment = value::time_of_epoch_ms(kind, START_MS + minutes * MINUTE_MS);
        moment.unwrap_or(Value::Null)
    }

    /// A text that begins with the attribute's name and ends with the seed and a number, as far as its
    /// characters may.
    fn text(&self, name: &str, excluded: &[char]) -> String {
        let is_free = |sign: &char| !excluded.contains(sign);
        let letters: Vec<char> = LETTERS.chars().filter(is_free).collect();
        if ('0'..='9').all(|digit| is_free(&digit)) {
            let between = Some('-').filter(is_free).or(letters.first().copied());
            let between: String = between.into_iter().collect();
            let start: String = name.chars().filter(is_free).collect();
            return format!("{start}{between}{}{between}{}", self.seed, self.count);
        }
        let Some((between, digits)) = letters.split_first() else {
            return String::new();
        };
        let spelled = |number: u64| {
            let base = digits.len().max(1) as u64;
            let (mut text, mut rest) = (String::new(), number);
            while text.is_empty() || rest > 0 {
                let at = usize::try_from(rest % base).unwrap_or_default();
                text.extend(digits.get(at));
                rest = if base > 1 { rest / base } else { 0 };
            }
            text
        };
        format!("{}{between}{}", spelled(self.seed), spelled(self.count))
    }

    fn number(&mut self, kind: &Type, demand: &Demand) -> Number {
        let digits = if demand.is_in_key { KEY_DIGITS } else { DIGITS };
        let most = 10_u64.pow(demand.whole.min(digits));
        let size = if demand.is_in_key {
            let own = self.seed.wrapping_mul(SEED_NUMBERS);
            own.wrapping_add(self.count) % most
        } else {
            self.below(most)
        };
        let places = demand.decimals.min(2);
        let text = if *kind == Type::Int || places == 0 {
            size.to_string()
        } else {
            let part = self.below(10_u64.pow(places));
            format!("{size}.{part:0width$}", width = places as usize)
        };
        text.parse().unwrap_or_else(|_| Number::from(0_i64))
    }

    /// Bytes of the seed's own.
    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = self.seed.to_be_bytes().to_vec();
        bytes.extend(self.count.to_be_bytes());
        bytes.push(u8::try_from(self.below(256)).unwrap_or_default());
        bytes
    }

    /// A ULID that begins with the seed.
    fn ulid(&mut self) -> String {
        let drawn = u128::from(self.drawn());
        let bits = (u128::from(self.seed) << 61) | (drawn & ((1 << 61) - 1));
        let digit = |place: u32| {
            let at = usize::try_from((bits >> (5 * place)) & 31).unwrap_or_default();
            CROCKFORD.get(at).copied().map_or('0', char::from)
        };
        (0..26).rev().map(digit).collect()
    }

    /// A UUID that begins with the seed.
    fn uuid(&mut self) -> String {
        let seed = format!("{:016x}", self.seed);
        let start: String = seed.chars().skip(4).collect();
        let (head, tail) = start.split_at(8);
        let (three, other, last) = (self.hex(3), self.hex(3), self.hex(12));
        format!("{head}-{tail}-4{three}-8{other}-{last}")
    }

    fn hex(&mut self, length: usize) -> String {
        let digit = |at: u64| HEX.get(usize::try_from(at).unwrap_or_default()).copied();
        let drawn = (0..length).map(|_| self.below(16)).collect::<Vec<_>>();
        let digits = drawn.into_iter().filter_map(digit);
        digits.map(char::from).collect()
    }

    /// The next random number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.drawn() % most.max(1)
    }

    /// The next random number: SplitMix64.
    fn drawn(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

impl std::fmt::Debug for Fakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fakes")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
