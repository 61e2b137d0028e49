//! Histories of concurrent operations, checked for strict serializability.
//!
//! Every write appends its own number to the lists of some items, so that each read shows which
//! writes it has seen, and in which order. From this follow the edges between operations: a
//! write before the next on the same list, a write before the read that saw it, a read before the
//! first write that it has not seen, and an operation before one that began after its end. A cycle
//! among them is an order that no serial run has.
#![allow(
    clippy::indexing_slicing,
    reason = "a history with a number that nobody appended is a mistake of the test"
)]

use std::collections::{BTreeMap, BTreeSet};

/// An operation that succeeded: the numbers it appended to lists, or the lists it read.
#[derive(Debug, Clone, Default)]
pub struct Event {
    /// When it was begun, by a clock that all operations share and that never shows a moment twice.
    pub begun: u64,
    /// When its answer had come, by the same clock.
    pub ended: u64,
    /// The numbers that it appended, each with the item of its list.
    pub wrote: Vec<(u64, i64)>,
    /// The lists that it saw, each with its item.
    pub read: Vec<(u64, Vec<i64>)>,
    /// The lengths of the lists that it appended to, from the conditions that held, in the order of
    /// [`Event::wrote`].
    pub lengths: Vec<(u64, usize)>,
}

/// Checks for strict serializability. `refused` are the numbers of appends that did not happen, and `last`
/// has the lists when all operations had ended.
///
/// # Errors
/// A contradiction to it.
pub fn check(
    events: &[Event],
    refused: &[i64],
    last: &BTreeMap<u64, Vec<i64>>,
) -> Result<(), String> {
    let writer = writers(events, last)?;
    check_lengths(events, last)?;
    let edges = edges(events, &writer, (refused, last))?;
    check_order(events, &edges)
}

/// The operation that appended each number, which stands in its list once.
fn writers(
    events: &[Event],
    last: &BTreeMap<u64, Vec<i64>>,
) -> Result<BTreeMap<i64, usize>, String> {
    let mut writer = BTreeMap::new();
    for (at, event) in events.iter().enumerate() {
        for (item, number) in &event.wrote {
            writer.insert(*number, at);
            if last[item].iter().filter(|seen| *seen == number).count() != 1 {
                return Err(format!(
                    "the acknowledged append {number} is not in item {item} once"
                ));
            }
        }
    }
    Ok(writer)
}

/// Each append whose condition was on a length stands there.
fn check_lengths(events: &[Event], last: &BTreeMap<u64, Vec<i64>>) -> Result<(), String> {
    for event in events {
        for ((item, length), (_, number)) in event.lengths.iter().zip(&event.wrote) {
            if last[item].get(*length) != Some(number) {
                return Err(format!(
                    "{number} was appended to item {item} although the condition did not hold"
                ));
            }
        }
    }
    Ok(())
}

/// The operations that each one precedes.
fn edges(
    events: &[Event],
    writer: &BTreeMap<i64, usize>,
    (refused, last): (&[i64], &BTreeMap<u64, Vec<i64>>),
) -> Result<Vec<BTreeSet<usize>>, String> {
    let mut edges: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); events.len()];
    for list in last.values() {
        if let Some(number) = list.iter().find(|number| refused.contains(number)) {
            return Err(format!("the refused append {number} happened"));
        }
        for pair in list.windows(2) {
            edges[writer[&pair[0]]].insert(writer[&pair[1]]);
        }
    }
    for (at, event) in events.iter().enumerate() {
        for (item, seen) in &event.read {
            let list = &last[item];
            if !list.starts_with(seen) {
                return Err(format!(
                    "a read of item {item} saw {seen:?}, which never was: {list:?}"
                ));
            }
            if let Some(number) = seen.last() {
                edges[writer[number]].insert(at);
            }
            if let Some(next) = list.get(seen.len()) {
                edges[at].insert(writer[next]);
            }
        }
        for (other, later) in events.iter().enumerate() {
            if event.ended < later.begun {
                edges[at].insert(other);
            }
        }
    }
    for (at, to) in edges.iter_mut().enumerate() {
        to.remove(&at);
    }
    Ok(edges)
}

/// All operations have an order.
fn check_order(events: &[Event], edges: &[BTreeSet<usize>]) -> Result<(), String> {
    // Remove all operations without a predecessor. The remaining ones are in or behind a cycle.
    let mut before = vec![0usize; events.len()];
    edges.iter().flatten().for_each(|to| before[*to] += 1);
    let mut free: Vec<usize> = (0..events.len()).filter(|at| before[*at] == 0).collect();
    let mut taken = 0;
    while let Some(at) = free.pop() {
        taken += 1;
        for to in &edges[at] {
            before[*to] -= 1;
            if before[*to] == 0 {
                free.push(*to);
            }
        }
    }
    if taken < events.len() {
        let rest: Vec<&Event> = (0..events.len())
            .filter(|at| before[*at] > 0)
            .map(|at| &events[at])
            .collect();
        return Err(format!(
            "{} operations have no serial order: {rest:#?}",
            rest.len()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checker_finds_histories_that_are_not_serializable() {
        let write = |begun, wrote: &[(u64, i64)]| Event {
            begun,
            ended: begun + 1,
            wrote: wrote.to_vec(),
            read: vec![],
            lengths: vec![],
        };
        let read = |begun, ended, seen: &[(u64, &[i64])]| {
            let read = seen
                .iter()
                .map(|(item, list)| (*item, list.to_vec()))
                .collect();
            Event {
                begun,
                ended,
                wrote: vec![],
                read,
                lengths: vec![],
            }
        };
        let last: BTreeMap<u64, Vec<i64>> = [(0, vec![1]), (1, vec![2])].into();
        let valid = [
            write(0, &[(0, 1), (1, 2)]),
            read(0, 9, &[(0, &[1]), (1, &[2])]),
        ];
        assert_eq!(check(&valid, &[], &last), Ok(()));
        // A read sees half of a transaction.
        let half = [
            write(0, &[(0, 1), (1, 2)]),
            read(0, 9, &[(0, &[1]), (1, &[])]),
        ];
        assert!(check(&half, &[], &last).is_err());
        // A later read misses an acknowledged write.
        let stale = [
            write(0, &[(0, 1), (1, 2)]),
            read(5, 9, &[(0, &[]), (1, &[])]),
        ];
        assert!(check(&stale, &[], &last).is_err());
        // A condition that held was false.
        let late = Event {
            lengths: vec![(0, 1)],
            ..write(0, &[(0, 1)])
        };
        assert!(check(&[late], &[], &last).is_err());
        // A refused write happened; an acknowledged one did not.
        assert!(check(&valid, &[2], &last).is_err());
        assert!(check(&[write(0, &[(0, 7)])], &[], &last).is_err());
    }
}
