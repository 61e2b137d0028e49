//! The cost of a text grows with its length, and no faster: a part of the text is repeated, then
//! repeated four times as often, and the bytes that are allocated for both are compared. A cost
//! that grows with pairs of parts is sixteen times as high.

use crate::engine::{self, with_engine};

/// The separator of an input's five parts: target, beginning, repeated part, separator of the
/// repeated parts, end.
const PART: char = '\u{1f}';
/// The placeholder for the number of the repetition.
const NUMBER: char = '\u{1e}';
/// Bytes of the shorter text. Four times 900 bytes are still an expression; 4 KB are the body of a
/// request.
const SHORTER: [usize; 2] = [900, 4 * 1024];
/// The length of the longer text, in lengths of the shorter.
const LONGER: u64 = 4;
/// The most that the longer text may cost, in costs of the shorter. It leaves space for a limit
/// that only the longer text reaches.
const COST_TIMES_MAX: u64 = 2 * LONGER;
/// Bytes that any text may cost: pages, tables of the engine, and the text itself.
const FREE_BYTES: u64 = 1024 * 1024;
/// The most bytes that may be allocated at a time for each byte of a text.
const PEAK_BYTES_A_BYTE: u64 = 1024;

/// The parts of an input.
struct Repeated<'t> {
    /// The operation whose body the text is, or `model`.
    target: &'t str,
    before: &'t str,
    part: &'t str,
    between: &'t str,
    after: &'t str,
}

impl<'t> Repeated<'t> {
    fn of(text: &'t str) -> Option<Repeated<'t>> {
        let mut parts = text.split(PART);
        let mut next = || parts.next();
        let (target, before, part, between, after) = (next()?, next()?, next()?, next()?, next()?);
        (!part.is_empty()).then_some(Repeated {
            target,
            before,
            part,
            between,
            after,
        })
    }

    /// The text with this number of repetitions.
    fn text(&self, times: usize) -> String {
        let part = |n: usize| self.part.replace(NUMBER, &n.to_string());
        let parts: Vec<String> = (0..times).map(part).collect();
        format!("{}{}{}", self.before, parts.join(self.between), self.after)
    }

    /// The cost of a text; `None` if the input has no target that is measured.
    fn cost(&self, text: &str) -> Option<Cost> {
        match engine::operation(self.target) {
            Some(operation) if engine::writes_files(operation) => None,
            Some(operation) => Some(with_engine(|engine| {
                Cost::of(|| drop(engine::ask(engine, operation, text.as_bytes())))
            })),
            None if self.target == "model" => Some(Cost::of(|| drop(keyfold_model::compile(text)))),
            None => None,
        }
    }
}

/// Allocated bytes.
struct Cost {
    /// All together.
    total: u64,
    /// The most at a time.
    peak: u64,
}

impl Cost {
    fn of(work: impl FnOnce()) -> Cost {
        let counted = allocation_counter::measure(work);
        Cost {
            total: counted.bytes_total,
            peak: counted.bytes_max,
        }
    }
}

/// An operation's body or a model with a part that is repeated: the cost grows with the length.
pub(crate) fn growth(input: &[u8]) {
    let Some(repeated) = std::str::from_utf8(input).ok().and_then(Repeated::of) else {
        return;
    };
    SHORTER.iter().for_each(|bytes| compare(&repeated, *bytes));
}

/// Compares the costs of a text of about this length and of one that is longer.
fn compare(repeated: &Repeated<'_>, bytes: usize) {
    let times = bytes / (repeated.part.len() + repeated.between.len()) + 1;
    let (short, long) = (repeated.text(times), repeated.text(times * LONGER as usize));
    // The first run makes the engine and fills its caches.
    repeated.cost(&short);
    let (Some(few), Some(many)) = (repeated.cost(&short), repeated.cost(&long)) else {
        return;
    };
    assert!(
        many.total <= few.total * COST_TIMES_MAX + FREE_BYTES,
        "{} bytes allocate {} bytes, and {} allocate {}",
        short.len(),
        few.total,
        long.len(),
        many.total
    );
    assert!(
        many.peak <= long.len() as u64 * PEAK_BYTES_A_BYTE + FREE_BYTES,
        "{} bytes hold {} bytes at a time",
        long.len(),
        many.peak
    );
}
