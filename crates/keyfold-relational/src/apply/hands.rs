//! Unique values that change hands: in which order entities are written, of which one takes a value that another
//! one still has.
//!
//! Whoever has a value is written before whoever takes it. Where entities wait for each other in a circle, those of
//! the circle are written in one transaction. One that no transaction holds is cut: an entity gives its value up
//! for as long as the others are written.

use super::pieces::{BYTES_MAX, Size, size_beside_guards};
use crate::mapping::Mapped;
use crate::wish::Wish;
use keyfold_lower::arguments::Values;
use keyfold_lower::derive::{guard_item, table, table_name};
use keyfold_types::limits::TRANSACTION_ACTIONS_MAX;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What is done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// These are written together.
    Write(Vec<usize>),
    /// One gives up the values of some unique lines, by their numbers. Those of its circle are named.
    Give {
        at: usize,
        uniques: BTreeSet<usize>,
        circle: Vec<usize>,
    },
}

/// Who has and who takes a unique value among entities of one kind, all by their positions.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// Whom each waits for, and by which unique lines.
    waits: BTreeMap<usize, BTreeMap<usize, BTreeSet<usize>>>,
    /// Who waits for each.
    waiters: BTreeMap<usize, BTreeSet<usize>>,
    /// The values that each gives away or takes, by numbers.
    values: BTreeMap<usize, BTreeSet<usize>>,
    sizes: BTreeMap<usize, Size>,
}

/// The unique values of an entity: the number of the unique line, and what stands for the value.
fn uniques_of(mapped: &Mapped<'_>, values: &Values) -> Vec<(usize, String)> {
    let Ok(table) = table(mapped.model, mapped.entity) else {
        return Vec::new();
    };
    let uniques = mapped.entity.uniques.iter().enumerate();
    let own = uniques.filter_map(|(number, unique)| {
        let name = table_name(table, mapped.entity, values).ok()?;
        let guard = guard_item(table, &name, mapped.entity, unique, values);
        let key = guard.ok().flatten()?.key;
        Some((number, format!("{name} {key:?}")))
    });
    own.collect()
}

impl Hands {
    /// Who waits for whom.
    pub(super) fn of(mapped: &Mapped<'_>, wishes: &[Wish]) -> Hands {
        let mut hands = Hands::default();
        if wishes.iter().all(|wish| wish.stored.is_none()) {
            return hands;
        }
        let held = |values: &Option<Values>| {
            let values = values.as_ref();
            values.map_or_else(Vec::new, |values| uniques_of(mapped, values))
        };
        let all: Vec<[Vec<(usize, String)>; 2]> = wishes
            .iter()
            .map(|wish| [held(&wish.stored), held(&wish.values)])
            .collect();
        let mut holders: BTreeMap<&(usize, String), usize> = BTreeMap::new();
        for (at, [has, _]) in all.iter().enumerate() {
            holders.extend(has.iter().map(|value| (value, at)));
        }
        for (at, [has, takes]) in all.iter().enumerate() {
            for value in takes.iter().filter(|value| !has.contains(value)) {
                if let Some(other) = holders.get(value).filter(|other| **other != at) {
                    let of = hands.waits.entry(at).or_default();
                    of.entry(*other).or_default().insert(value.0);
                    hands.waiters.entry(*other).or_default().insert(at);
                }
            }
        }
        let mut numbers: BTreeMap<&(usize, String), usize> = BTreeMap::new();
        for at in hands.bound() {
            let (Some(wish), Some(values)) = (wishes.get(at), all.get(at)) else {
                continue;
            };
            let [has, takes] = values;
            let given = has.iter().filter(|value| !takes.contains(value));
            let taken = takes.iter().filter(|value| !has.contains(value));
            let own = given.chain(taken).map(|value| {
                let next = numbers.len();
                *numbers.entry(value).or_insert(next)
            });
            hands.values.insert(at, own.collect());
            hands.sizes.insert(at, size_beside_guards(mapped, wish));
        }
        hands
    }

    /// Those that wait for another one, or are waited for.
    pub(super) fn bound(&self) -> BTreeSet<usize> {
        self.waits
            .keys()
            .chain(self.waiters.keys())
            .copied()
            .collect()
    }

    /// Whom one waits for.
    pub(super) fn before(&self, at: usize) -> impl Iterator<Item = usize> {
        let others = self.waits.get(&at).into_iter();
        others.flat_map(|others| others.keys().copied())
    }

    /// Whether one transaction holds all of these.
    pub(super) fn fit(&self, all: &[usize]) -> bool {
        let (mut actions, mut bytes) = (0, 0);
        for size in all.iter().filter_map(|at| self.sizes.get(at)) {
            actions += size.actions;
            bytes += size.bytes;
        }
        let values = all.iter().filter_map(|at| self.values.get(at)).flatten();
        let guards: BTreeSet<usize> = values.copied().collect();
        actions + guards.len() <= TRANSACTION_ACTIONS_MAX && bytes <= BYTES_MAX
    }

    /// The order of some of them. A circle is cut that no transaction holds, or each one, if `cuts_all`.
    pub(super) fn order(&self, of: &BTreeSet<usize>, cuts_all: bool) -> Vec<Step> {
        let mut order = Order {
            hands: self,
            left: of.clone(),
            unmet: BTreeMap::new(),
            ready: VecDeque::new(),
            given: BTreeSet::new(),
            steps: Vec::new(),
        };
        for at in of {
            let unmet = self.before(*at).filter(|other| of.contains(other)).count();
            order.unmet.insert(*at, unmet);
            if unmet == 0 {
                order.ready.push_back(*at);
            }
        }
        loop {
            while let Some(at) = order.ready.pop_front() {
                order.write(vec![at]);
            }
            let Some(first) = order.left.first().copied() else {
                return order.steps;
            };
            let circle = order.circle(first);
            let start = circle.first().copied().unwrap_or(first);
            match order.closed(start).filter(|_| !cuts_all) {
                Some(together) => order.write(together),
                None => order.give(start, circle),
            }
        }
    }
}

/// An order that is being made.
struct Order<'h> {
    hands: &'h Hands,
    left: BTreeSet<usize>,
    /// How many of those that are left each waits for.
    unmet: BTreeMap<usize, usize>,
    ready: VecDeque<usize>,
    /// Those that have given up what others wait for.
    given: BTreeSet<usize>,
    steps: Vec<Step>,
}

impl Order<'_> {
    fn write(&mut self, all: Vec<usize>) {
        for at in &all {
            self.left.remove(at);
        }
        for at in &all {
            if !self.given.contains(at) {
                self.release(*at);
            }
        }
        self.steps.push(Step::Write(all));
    }

    /// Nobody waits for one any more.
    fn release(&mut self, at: usize) {
        for waiter in self.hands.waiters.get(&at).into_iter().flatten() {
            if self.left.contains(waiter)
                && let Some(unmet) = self.unmet.get_mut(waiter)
            {
                *unmet = unmet.saturating_sub(1);
                if *unmet == 0 {
                    self.ready.push_back(*waiter);
                }
            }
        }
    }

    /// Those that one waits for.
    fn next(&self, at: usize) -> impl Iterator<Item = usize> {
        let others = self.hands.before(at);
        others.filter(|other| self.left.contains(other) && !self.given.contains(other))
    }

    /// A circle to which one leads, where all that are left wait for another one.
    fn circle(&self, from: usize) -> Vec<usize> {
        let (mut path, mut places) = (Vec::new(), BTreeMap::new());
        let mut at = Some(from);
        while let Some(one) = at {
            if let Some(begin) = places.insert(one, path.len()) {
                return path.split_off(begin);
            }
            path.push(one);
            at = self.next(one).next();
        }
        path
    }

    /// One with all that it waits for, and these wait for, if one transaction holds them.
    fn closed(&self, from: usize) -> Option<Vec<usize>> {
        let mut all = vec![from];
        let mut looked = 0;
        while let Some(at) = all.get(looked).copied() {
            looked += 1;
            for other in self.next(at) {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
            if !self.hands.fit(&all) {
                return None;
            }
        }
        Some(all)
    }

    fn give(&mut self, at: usize, circle: Vec<usize>) {
        let waiters = self.hands.waiters.get(&at).into_iter().flatten();
        let waiters = waiters.filter(|waiter| self.left.contains(waiter));
        let wanted = waiters.filter_map(|waiter| self.hands.waits.get(waiter)?.get(&at));
        let uniques = wanted.flatten().copied().collect();
        self.given.insert(at);
        self.release(at);
        self.steps.push(Step::Give {
            at,
            uniques,
            circle,
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::indexing_slicing,
        clippy::panic,
        reason = "a test fails by panicking"
    )]
    use super::{Hands, Size, Step};
    use std::collections::BTreeSet;

    /// Entities with two unique lines, of which each takes the values that two others have.
    fn hands(takes: &[[usize; 2]]) -> Hands {
        let mut hands = Hands::default();
        for (at, others) in takes.iter().enumerate() {
            for (number, other) in others.iter().enumerate().filter(|(_, other)| **other != at) {
                let of = hands.waits.entry(at).or_default();
                of.entry(*other).or_default().insert(number);
                hands.waiters.entry(*other).or_default().insert(at);
            }
            let changed = (0..2).filter(|number| others[*number] != at);
            let values = changed.flat_map(|number| [2 * at + number, 2 * others[number] + number]);
            hands.values.insert(at, values.collect());
            let size = Size {
                actions: 1,
                bytes: 10,
            };
            hands.sizes.insert(at, size);
        }
        hands
    }

    /// Follows an order: each takes what nobody has any more. How often something is given up.
    fn followed(takes: &[[usize; 2]], cuts_all: bool) -> usize {
        let hands = hands(takes);
        let mut held: Vec<Option<usize>> = (0..2 * takes.len()).map(Some).collect();
        let (mut written, mut given) = (BTreeSet::new(), 0);
        for step in hands.order(&hands.bound(), cuts_all) {
            match step {
                Step::Give { at, uniques, .. } => {
                    given += 1;
                    for number in uniques {
                        held[2 * at + number] = None;
                    }
                }
                Step::Write(all) => {
                    assert!(hands.fit(&all), "{all:?}");
                    assert!(!cuts_all || all.len() == 1);
                    for at in &all {
                        for number in 0..2 {
                            if takes[*at][number] != *at {
                                held[2 * at + number] = None;
                            }
                        }
                    }
                    for at in &all {
                        for number in 0..2 {
                            let value = 2 * takes[*at][number] + number;
                            let holder = held.iter().position(|one| *one == Some(value));
                            assert!(holder.is_none_or(|one| one / 2 == *at), "{at} of {takes:?}");
                            held[2 * at + number] = Some(value);
                        }
                        assert!(written.insert(*at), "{at} is written twice");
                    }
                }
            }
        }
        assert_eq!(written, hands.bound());
        given
    }

    #[test]
    fn whoever_has_a_value_comes_before_whoever_takes_it() {
        let ring = |count: usize| -> Vec<[usize; 2]> {
            (0..count).map(|at| [(at + 1) % count, at]).collect()
        };
        for (count, cuts) in [(2, 0), (50, 0), (51, 1), (3_000, 1)] {
            assert_eq!(followed(&ring(count), false), cuts, "{count}");
            assert_eq!(followed(&ring(count), true), 1, "{count}");
        }
        let pairs: Vec<[usize; 2]> = (0..1_000).map(|at| [at ^ 1, at]).collect();
        assert_eq!(followed(&pairs, false), 0);
    }

    #[test]
    fn values_of_two_lines_change_hands_at_random() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let count = random.usize(1..=200);
            let mut orders = [(); 2].map(|()| (0..count).collect::<Vec<usize>>());
            orders.iter_mut().for_each(|one| random.shuffle(one));
            let takes: Vec<[usize; 2]> = (0..count)
                .map(|at| [orders[0][at], orders[1][at]])
                .collect();
            followed(&takes, false);
            followed(&takes, true);
        }
    }
}
