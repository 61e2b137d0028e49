//! An encoded value, read in place.
//!
//! ```text
//! S, B            tag  length  bytes
//! N               tag  length  number bytes
//! BOOL, NULL      tag
//! L               tag  body length  count  value ...
//! M               tag  body length  count  (name length  name  value) ...
//! SS, NS, BS      tag  body length  count  (length  bytes) ...
//! ```
//!
//! Lengths and counts are varints. Map names and set members ascend, numbers are canonical: equal
//! values have equal bytes. Reading never panics; bytes that are no encoding read as empty. An
//! item's checksum excludes them.

use crate::{number, varint};
use keyfold_types::{Number, Set, Value, ValueKind};
use std::cmp::Ordering;
use std::collections::BTreeMap;

const S: u8 = 1;
const N: u8 = 2;
const B: u8 = 3;
const FALSE: u8 = 4;
const TRUE: u8 = 5;
const NULL: u8 = 6;
const L: u8 = 7;
const M: u8 = 8;
const SS: u8 = 9;
const NS: u8 = 10;
const BS: u8 = 11;

/// Appends the encoding of `value`. Lengths precede their bodies, so all are computed first; then
/// every byte is written once, at any depth.
pub fn encode(out: &mut Vec<u8>, value: &Value) {
    let mut bodies = Vec::new();
    out.reserve(measure(value, &mut bodies));
    write(out, value, &mut bodies.into_iter());
}

/// The length of a value's encoding. Appends the lengths of the bodies inside it to `bodies`, in the
/// order in which they are written.
fn measure(value: &Value, bodies: &mut Vec<usize>) -> usize {
    let chunk = |length: usize| varint::length(length as u64) + length;
    match value {
        Value::S(text) => 1 + chunk(text.len()),
        Value::B(bytes) => 1 + chunk(bytes.len()),
        Value::N(n) => 2 + number::length(n),
        Value::Bool(_) | Value::Null => 1,
        Value::L(values) => measure_body(values.len(), bodies, |bodies| {
            values.iter().map(|value| measure(value, bodies)).sum()
        }),
        Value::M(map) => measure_body(map.len(), bodies, |bodies| {
            map.iter()
                .map(|(name, value)| chunk(name.len()) + measure(value, bodies))
                .sum()
        }),
        Value::Ss(set) => measure_body(set.members().len(), bodies, |_| {
            set.members().iter().map(|text| chunk(text.len())).sum()
        }),
        Value::Ns(set) => measure_body(set.members().len(), bodies, |_| {
            set.members().iter().map(|n| 1 + number::length(n)).sum()
        }),
        Value::Bs(set) => measure_body(set.members().len(), bodies, |_| {
            set.members().iter().map(|bytes| chunk(bytes.len())).sum()
        }),
    }
}

/// The length of a list, map or set: its tag, and its body, whose length is put into `bodies`.
fn measure_body(
    count: usize,
    bodies: &mut Vec<usize>,
    members: impl FnOnce(&mut Vec<usize>) -> usize,
) -> usize {
    let index = bodies.len();
    bodies.push(0);
    let body = varint::length(count as u64) + members(bodies);
    if let Some(slot) = bodies.get_mut(index) {
        *slot = body;
    }
    1 + varint::length(body as u64) + body
}

/// Appends the encoding of `value`; `bodies` are the lengths of [`measure`].
fn write(out: &mut Vec<u8>, value: &Value, bodies: &mut std::vec::IntoIter<usize>) {
    let mut begin = |out: &mut Vec<u8>, tag: u8, count: usize| {
        out.push(tag);
        varint::put(out, bodies.next().unwrap_or_default() as u64);
        varint::put(out, count as u64);
    };
    match value {
        Value::S(text) => put_chunk(out, S, text.as_bytes()),
        Value::N(n) => {
            out.push(N);
            put_number(out, n);
        }
        Value::B(bytes) => put_chunk(out, B, bytes),
        Value::Bool(value) => out.push(if *value { TRUE } else { FALSE }),
        Value::Null => out.push(NULL),
        Value::L(values) => {
            begin(out, L, values.len());
            for value in values {
                write(out, value, bodies);
            }
        }
        Value::M(map) => {
            begin(out, M, map.len());
            for (name, value) in map {
                put_bytes(out, name.as_bytes());
                write(out, value, bodies);
            }
        }
        Value::Ss(set) => {
            begin(out, SS, set.members().len());
            set.members()
                .iter()
                .for_each(|text| put_bytes(out, text.as_bytes()));
        }
        Value::Ns(set) => {
            begin(out, NS, set.members().len());
            set.members().iter().for_each(|n| put_number(out, n));
        }
        Value::Bs(set) => {
            begin(out, BS, set.members().len());
            set.members().iter().for_each(|bytes| put_bytes(out, bytes));
        }
    }
}

fn put_chunk(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    put_bytes(out, bytes);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_number(out: &mut Vec<u8>, n: &Number) {
    out.push(number::length(n) as u8);
    number::encode(out, n);
}

/// One encoded value inside an item or an expression. Cheap to copy; equality is that of the
/// values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawValue<'a> {
    bytes: &'a [u8],
}

impl<'a> RawValue<'a> {
    /// The value encoded in `bytes`, which [`encode`] made.
    pub fn new(bytes: &'a [u8]) -> RawValue<'a> {
        RawValue { bytes }
    }

    /// Takes one value from the front of `bytes`.
    pub(crate) fn take(bytes: &mut &'a [u8]) -> Option<RawValue<'a>> {
        let start = *bytes;
        let (&tag, rest) = start.split_first()?;
        *bytes = rest;
        match tag {
            FALSE | TRUE | NULL => {}
            S | N | B | L | M | SS | NS | BS => {
                varint::take_chunk(bytes)?;
            }
            _ => return None,
        }
        start.get(..start.len() - bytes.len()).map(RawValue::new)
    }

    /// The encoded bytes, to copy into another item.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The value's type.
    pub fn kind(&self) -> ValueKind {
        match self.bytes.first() {
            Some(&S) => ValueKind::S,
            Some(&N) => ValueKind::N,
            Some(&B) => ValueKind::B,
            Some(&FALSE | &TRUE) => ValueKind::Bool,
            Some(&L) => ValueKind::L,
            Some(&M) => ValueKind::M,
            Some(&SS) => ValueKind::Ss,
            Some(&NS) => ValueKind::Ns,
            Some(&BS) => ValueKind::Bs,
            Some(_) | None => ValueKind::Null,
        }
    }

    /// The bytes behind the tag and the length.
    fn payload(&self) -> &'a [u8] {
        let mut rest = self.bytes.get(1..).unwrap_or_default();
        varint::take_chunk(&mut rest).unwrap_or_default()
    }

    /// The bytes of a string, a binary, or a number's ordered encoding; empty for other kinds.
    pub fn scalar_bytes(&self) -> &'a [u8] {
        if self.kind().is_ordered() {
            self.payload()
        } else {
            &[]
        }
    }

    /// The text of a string; empty for other kinds.
    pub fn as_str(&self) -> &'a str {
        if self.kind() == ValueKind::S {
            std::str::from_utf8(self.payload()).unwrap_or_default()
        } else {
            ""
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        if self.kind() == ValueKind::N {
            number::decode(self.payload())
        } else {
            None
        }
    }

    /// Whether it is the boolean true.
    pub fn is_true(&self) -> bool {
        self.bytes.first() == Some(&TRUE)
    }

    /// Order of two values of one ordered kind (S, N, B); none otherwise.
    pub fn compare(&self, other: &RawValue<'_>) -> Option<Ordering> {
        (self.kind() == other.kind() && self.kind().is_ordered())
            .then(|| self.scalar_bytes().cmp(other.scalar_bytes()))
    }

    /// The count of a body, and the bytes behind it.
    fn counted(&self) -> (usize, &'a [u8]) {
        let mut rest = self.payload();
        let count = varint::take(&mut rest).unwrap_or(0);
        (usize::try_from(count).unwrap_or(0), rest)
    }

    /// The number of elements, entries or members; 0 for scalars.
    pub fn count(&self) -> usize {
        match self.kind() {
            ValueKind::L | ValueKind::M | ValueKind::Ss | ValueKind::Ns | ValueKind::Bs => {
                self.counted().0
            }
            ValueKind::S | ValueKind::N | ValueKind::B | ValueKind::Bool | ValueKind::Null => 0,
        }
    }

    /// The elements of a list, in order; nothing for other kinds.
    pub fn elements(&self) -> impl Iterator<Item = RawValue<'a>> + use<'a> {
        let mut rest = if self.kind() == ValueKind::L {
            self.counted().1
        } else {
            &[]
        };
        std::iter::from_fn(move || RawValue::take(&mut rest))
    }

    /// The entries of a map, in name order; nothing for other kinds.
    pub fn entries(&self) -> Entries<'a> {
        Entries {
            rest: if self.kind() == ValueKind::M {
                self.counted().1
            } else {
                &[]
            },
        }
    }

    /// The members of a set as scalar values' bytes, ascending; nothing for other kinds.
    pub fn members(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = if self.kind().is_set() {
            self.counted().1
        } else {
            &[]
        };
        std::iter::from_fn(move || {
            if rest.is_empty() {
                None
            } else {
                varint::take_chunk(&mut rest)
            }
        })
    }

    /// The value of an entry of a map, by name.
    pub fn entry(&self, name: &str) -> Option<RawValue<'a>> {
        self.entries().find(name)
    }

    /// The element of a list at an index.
    pub fn element(&self, index: usize) -> Option<RawValue<'a>> {
        self.elements().nth(index)
    }

    /// The value as a tree.
    pub fn to_value(&self) -> Value {
        match self.kind() {
            ValueKind::S => Value::S(self.as_str().to_owned()),
            ValueKind::N => Value::N(self.as_number().unwrap_or(Number::ZERO)),
            ValueKind::B => Value::B(self.payload().to_vec()),
            ValueKind::Bool => Value::Bool(self.is_true()),
            ValueKind::Null => Value::Null,
            ValueKind::L => Value::L(self.elements().map(|element| element.to_value()).collect()),
            ValueKind::M => Value::M(
                self.entries()
                    .map(|(name, value)| (name.to_owned(), value.to_value()))
                    .collect::<BTreeMap<_, _>>(),
            ),
            ValueKind::Ss => set_or_null(
                self.members()
                    .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
                    .collect(),
                Value::Ss,
            ),
            ValueKind::Ns => set_or_null(
                self.members()
                    .map(|b| number::decode(b).unwrap_or(Number::ZERO))
                    .collect(),
                Value::Ns,
            ),
            ValueKind::Bs => set_or_null(self.members().map(<[u8]>::to_vec).collect(), Value::Bs),
        }
    }
}

fn set_or_null<T: Ord>(members: Vec<T>, wrap: fn(Set<T>) -> Value) -> Value {
    Set::new(members).map_or(Value::Null, wrap)
}

/// Names and values of a map or an item, in name order.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Entries<'a> {
    /// The value of `name`. Stops at the first name above it.
    pub fn find(self, name: &str) -> Option<RawValue<'a>> {
        for (found, value) in self {
            match found.cmp(name) {
                Ordering::Less => {}
                Ordering::Equal => return Some(value),
                Ordering::Greater => return None,
            }
        }
        None
    }

    fn next_pair(&mut self) -> Option<(&'a [u8], RawValue<'a>)> {
        Some((
            varint::take_chunk(&mut self.rest)?,
            RawValue::take(&mut self.rest)?,
        ))
    }

    /// The entries with names as bytes, for callers that only write them: names are not checked to be
    /// UTF-8 again.
    pub fn unchecked(mut self) -> impl Iterator<Item = (&'a [u8], RawValue<'a>)> {
        std::iter::from_fn(move || self.next_pair())
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a str, RawValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.next_pair()?;
        Some((std::str::from_utf8(name).unwrap_or_default(), value))
    }
}
