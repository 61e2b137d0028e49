//! The difference of two texts as a unified diff, in time that grows with their length.
//!
//! Lines that each text has once, in the same order in both, are anchors (as in Bram Cohen's patience
//! diff). The gaps between them are compared by Myers' algorithm, whose time is the product of both
//! lengths: a gap beyond a bound is shown as replaced.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff, group_diff_ops};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The longest line of a difference: the plan document's lines are long.
const LINE_CHARS_MAX: usize = 200;
/// The lines of the context around changes.
const CONTEXT_LINES: usize = 2;
/// The product of a gap's lengths up to which it is compared line by line.
const GAP_PRODUCT_MAX: usize = 1_000_000;

/// The difference of what a file holds from what is generated. Long lines are cut.
pub(super) fn difference(path: &Path, held: &str, text: &str) -> String {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let (old, new) = (lines(held), lines(text));
    let mut shown = format!("--- {0}\n+++ {0}, generated\n", path.display());
    for hunk in group_diff_ops(operations(&old, &new), CONTEXT_LINES) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        let range = |first: Range<usize>, last: Range<usize>| match last.end - first.start {
            0 => format!("{},0", first.start),
            1 => format!("{}", first.start + 1),
            count => format!("{},{count}", first.start + 1),
        };
        let before = range(first.old_range(), last.old_range());
        let after = range(first.new_range(), last.new_range());
        shown.push_str(&format!("@@ -{before} +{after} @@\n"));
        for operation in &hunk {
            let (tag, before, after) = operation.as_tag_tuple();
            if tag != DiffTag::Insert {
                let sign = if tag == DiffTag::Equal { ' ' } else { '-' };
                push(&mut shown, sign, old.get(before));
            }
            if tag != DiffTag::Equal {
                push(&mut shown, '+', new.get(after));
            }
        }
    }
    shown
}

fn push(shown: &mut String, sign: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        let line = line.trim_end_matches('\n');
        let cut: String = line.chars().take(LINE_CHARS_MAX).collect();
        let more = if cut.len() < line.len() { "…" } else { "" };
        shown.push_str(&format!("{sign}{cut}{more}\n"));
    }
}

/// The operations that make the new lines of the old ones.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut made = Vec::new();
    let (mut old_from, mut new_from) = (0, 0);
    for (old_at, new_at) in anchors(old, new) {
        gap((old, old_from..old_at), (new, new_from..new_at), &mut made);
        equal(old_at, new_at, 1, &mut made);
        (old_from, new_from) = (old_at + 1, new_at + 1);
    }
    let rest = (new, new_from..new.len());
    gap((old, old_from..old.len()), rest, &mut made);
    made
}

/// The places of the lines that each side has once, in the longest order that both have.
fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (in_old, in_new) = (unique(old), unique(new));
    let common = old
        .iter()
        .enumerate()
        .filter(|(_, line)| in_old.contains_key(*line));
    let common = common.filter_map(|(at, line)| Some((at, *in_new.get(line)?)));
    let common: Vec<(usize, usize)> = common.collect();
    // The longest increasing sequence: `ends` are the ends of the best sequences of each length, and
    // `before` is where a sequence comes from.
    let place = |at: usize| common.get(at).map_or(0, |(_, new_at)| *new_at);
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::new();
    for at in 0..common.len() {
        let length = ends.partition_point(|end| place(*end) < place(at));
        before.push(
            length
                .checked_sub(1)
                .and_then(|last| ends.get(last).copied()),
        );
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let last = ends.last().copied();
    let chain = std::iter::successors(last, |at| before.get(*at).copied().flatten());
    let mut found: Vec<(usize, usize)> = chain.filter_map(|at| common.get(at).copied()).collect();
    found.reverse();
    found
}

/// The lines that occur once, with their places.
fn unique<'l>(lines: &[&'l str]) -> HashMap<&'l str, usize> {
    let mut places: HashMap<&str, Option<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        let place = places.entry(line).or_insert(Some(at));
        place.take_if(|first| *first != at);
    }
    let once = places.into_iter();
    once.filter_map(|(line, at)| Some((line, at?))).collect()
}

/// The operations of a gap between anchors.
fn gap(
    (old, from): (&[&str], Range<usize>),
    (new, to): (&[&str], Range<usize>),
    made: &mut Vec<DiffOp>,
) {
    let pairs = || from.clone().rev().zip(to.clone().rev());
    let is_same = |(old_at, new_at): &(usize, usize)| old.get(*old_at) == new.get(*new_at);
    let head = from.clone().zip(to.clone()).take_while(is_same).count();
    let shorter = from.len().min(to.len());
    let tail = pairs().take(shorter - head).take_while(is_same).count();
    let (inner, outer) = (
        from.start + head..from.end - tail,
        to.start + head..to.end - tail,
    );
    equal(from.start, to.start, head, made);
    if inner.len().saturating_mul(outer.len()) <= GAP_PRODUCT_MAX {
        // Where an operation stands follows from those before it.
        let (mut old_index, mut new_index) = (inner.start, outer.start);
        for found in capture_diff(Algorithm::Myers, old, inner.clone(), new, outer.clone()) {
            let (tag, before, after) = found.as_tag_tuple();
            let (old_len, new_len) = (before.len(), after.len());
            match tag {
                DiffTag::Equal => equal(old_index, new_index, old_len, made),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                    made.push(DiffOp::Replace {
                        old_index,
                        old_len,
                        new_index,
                        new_len,
                    });
                }
            }
            old_index += old_len;
            new_index += new_len;
        }
    } else {
        made.push(DiffOp::Replace {
            old_index: inner.start,
            old_len: inner.len(),
            new_index: outer.start,
            new_len: outer.len(),
        });
    }
    equal(inner.end, outer.end, tail, made);
}

/// Adds lines that are equal to those before, so that no two such operations follow each other.
fn equal(old_index: usize, new_index: usize, more: usize, made: &mut Vec<DiffOp>) {
    if let Some(DiffOp::Equal { len, .. }) = made.last_mut() {
        *len += more;
    } else if more > 0 {
        made.push(DiffOp::Equal {
            old_index,
            new_index,
            len: more,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// The new lines, made of the old ones by the operations.
    fn applied<'l>(old: &[&'l str], new: &[&'l str]) -> Vec<&'l str> {
        let mut made = Vec::new();
        let mut taken = 0;
        for operation in operations(old, new) {
            let (tag, before, after) = operation.as_tag_tuple();
            assert_eq!((before.start, after.start), (taken, made.len()));
            taken = before.end;
            let source = if tag == DiffTag::Equal {
                &old[before]
            } else {
                &new[after]
            };
            made.extend_from_slice(source);
        }
        assert_eq!(taken, old.len());
        made
    }

    #[test]
    fn operations_make_the_new_lines_of_the_old_ones() {
        let mut random = fastrand::Rng::with_seed(7);
        for letters in [2, 5, 30] {
            for _ in 0..2_000 {
                let names: Vec<String> = (0..letters).map(|at| format!("{at}\n")).collect();
                let mut draw = || -> Vec<&str> {
                    let count = random.usize(..25);
                    let line = |_| names[random.usize(..letters)].as_str();
                    (0..count).map(line).collect()
                };
                let (old, new) = (draw(), draw());
                assert_eq!(applied(&old, &new), new, "{old:?} {new:?}");
            }
        }
    }

    #[test]
    fn a_change_is_shown_with_its_context() {
        let old = "a\nb\nc\nd\ne\nf\ng\n";
        let shown = difference(Path::new("x.ts"), old, &old.replace("d\n", "D\nDD\n"));
        let expected =
            "--- x.ts\n+++ x.ts, generated\n@@ -2,5 +2,6 @@\n b\n c\n-d\n+D\n+DD\n e\n f\n";
        assert_eq!(shown, expected);
        let new = difference(Path::new("x.ts"), "", "a\n");
        assert_eq!(new, "--- x.ts\n+++ x.ts, generated\n@@ -0,0 +1 @@\n+a\n");
    }

    /// The lines of a file with 400 entities, all of which have changed: by Myers' algorithm alone
    /// this takes minutes.
    #[test]
    fn the_difference_of_long_texts_takes_no_longer_than_their_length() {
        let text = |word: &str| -> String {
            let line = |at: usize| format!("{word} {}\n", at % 50_000);
            (0..100_000).map(line).collect()
        };
        let (old, new) = (text("one"), text("other"));
        let start = Instant::now();
        let shown = difference(Path::new("x.ts"), &old, &new);
        assert_eq!(shown.lines().count(), 200_003);
        let mut back: Vec<&str> = new.lines().collect();
        back.reverse();
        difference(Path::new("x.ts"), &new, &back.join("\n"));
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            start.elapsed()
        );
    }
}
