//! What a text costs grows with its length: a part of it is repeated, and repeated four times as
//! often, and the memory that is asked for on the way is counted. What grows with pairs of parts
//! asks for sixteen times as much.

use crate::places::{self, with_engine};
use keyfold_api::Operation;

/// Between the five parts of an input: what it is for, the beginning, what is repeated, what stands
/// between, the end.
const PART: char = '\u{1f}';
/// Stands for the number of the repetition.
const NUMBER: char = '\u{1e}';
/// Bytes of the shorter text. Four times 900 bytes are still an expression; 4 KB are bodies of
/// requests.
const SHORTER: [usize; 2] = [900, 4 * 1024];
/// How many times as long the longer text is.
const LONGER: u64 = 4;
/// How many times as much the longer text may cost: limits are reached with one and not with the
/// other.
const COST_TIMES_MAX: u64 = 2 * LONGER;
/// Bytes that are asked for in any case: pages, tables of the engine, and the texts themselves.
const FREE_BYTES: u64 = 1024 * 1024;
/// Bytes that a byte may hold at a time.
const HELD_A_BYTE: u64 = 1024;

/// An input's parts, filled in.
struct Repeated<'t> {
    what: &'t str,
    before: &'t str,
    part: &'t str,
    between: &'t str,
    after: &'t str,
}

impl<'t> Repeated<'t> {
    fn of(text: &'t str) -> Option<Repeated<'t>> {
        let mut parts = text.split(PART);
        let mut next = || parts.next();
        let (what, before, part, between, after) = (next()?, next()?, next()?, next()?, next()?);
        (!part.is_empty()).then_some(Repeated {
            what,
            before,
            part,
            between,
            after,
        })
    }

    fn text(&self, times: usize) -> String {
        let part = |n: usize| self.part.replace(NUMBER, &n.to_string());
        let parts: Vec<String> = (0..times).map(part).collect();
        format!("{}{}{}", self.before, parts.join(self.between), self.after)
    }

    /// Bytes that are asked for to deal with a text, all together and at a time.
    fn cost(&self, text: &str) -> Option<(u64, u64)> {
        let operation = Operation::ALL
            .iter()
            .copied()
            .find(|known| known.name() == self.what);
        let count = |deal: &mut dyn FnMut()| {
            let counted = allocation_counter::measure(deal);
            Some((counted.bytes_total, counted.bytes_max))
        };
        match operation {
            // They write files of the machine.
            Some(Operation::ExportTableToPointInTime | Operation::ImportTable) => None,
            Some(operation) => with_engine(|engine| {
                count(&mut || drop(places::ask(engine, operation, text.as_bytes())))
            }),
            None if self.what == "model" => count(&mut || drop(keyfold_model::compile(text))),
            None => None,
        }
    }
}

/// A text with a part that is repeated.
pub(crate) fn growth(input: &[u8]) {
    let Some(repeated) = std::str::from_utf8(input).ok().and_then(Repeated::of) else {
        return;
    };
    SHORTER.iter().for_each(|bytes| compare(&repeated, *bytes));
}

fn compare(repeated: &Repeated<'_>, bytes: usize) {
    let times = bytes / (repeated.part.len() + repeated.between.len()) + 1;
    let (short, long) = (repeated.text(times), repeated.text(times * LONGER as usize));
    // The engine is there afterwards, and what it keeps of the table is, too.
    repeated.cost(&short);
    let (Some((few, _)), Some((many, held))) = (repeated.cost(&short), repeated.cost(&long)) else {
        return;
    };
    assert!(
        many <= few * COST_TIMES_MAX + FREE_BYTES,
        "{} bytes ask for {few} bytes of memory, and {} for {many}",
        short.len(),
        long.len()
    );
    assert!(
        held <= long.len() as u64 * HELD_A_BYTE + FREE_BYTES,
        "{} bytes hold {held} bytes at a time",
        long.len()
    );
}
