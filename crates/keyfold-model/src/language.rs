//! Sets of texts that key templates make, and the decision whether two such sets are disjoint.
//!
//! A language is a small automaton over sets of characters. A walk through two automata at once finds
//! the shortest text in their intersection, which an error shows as an example.

use smallvec::{SmallVec, smallvec};
use std::collections::btree_map::Entry;
use std::collections::hash_map::Entry as HashEntry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Ranges of characters, first and last. One character, and all but one, occupy no memory of their own: most keys
/// are made of them.
type Ranges = SmallVec<[(char, char); 2]>;

/// The ways out of a state: the characters, and the state that they lead to. Most states have one.
type Steps = SmallVec<[(CharSet, usize); 1]>;

/// A set of characters, as ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CharSet {
    ranges: Ranges,
}

impl CharSet {
    /// The characters of a text.
    pub(crate) fn of(characters: &str) -> CharSet {
        let sorted: BTreeSet<char> = characters.chars().collect();
        CharSet {
            ranges: sorted.into_iter().map(|c| (c, c)).collect(),
        }
    }

    /// The digits 0 to 9.
    pub(crate) fn digits() -> CharSet {
        CharSet {
            ranges: smallvec![('0', '9')],
        }
    }

    /// Every character.
    pub(crate) fn all() -> CharSet {
        CharSet {
            ranges: smallvec![('\0', char::MAX)],
        }
    }

    /// Every character but these.
    pub(crate) fn all_except(excluded: &[char]) -> CharSet {
        let sorted: BTreeSet<char> = excluded.iter().copied().collect();
        let mut ranges = Ranges::new();
        let mut low = Some('\0');
        for gap in sorted {
            if let Some(from) = low
                && let Some(to) = before(gap)
                && from <= to
            {
                ranges.push((from, to));
            }
            low = after(gap);
        }
        ranges.extend(low.map(|low| (low, char::MAX)));
        CharSet { ranges }
    }

    /// Its ranges, in order; those that touch are one.
    pub(crate) fn ranges(&self) -> Vec<(char, char)> {
        let mut joined: Vec<(char, char)> = Vec::new();
        for (low, high) in &self.ranges {
            match joined.last_mut() {
                Some((_, last)) if after(*last) == Some(*low) => *last = *high,
                _ => joined.push((*low, *high)),
            }
        }
        joined
    }

    /// The ranges between its own, where it holds all characters but a few; `None` for others.
    pub(crate) fn gaps(&self) -> Option<Vec<(char, char)>> {
        let mut gaps = Vec::new();
        let mut next = Some('\0');
        for (low, high) in &self.ranges {
            if let Some(from) = next
                && from < *low
            {
                gaps.push((from, before(*low)?));
            }
            next = after(*high);
        }
        next.is_none().then_some(gaps)
    }

    /// All characters from its least to its greatest one.
    pub(crate) fn hull(&self) -> CharSet {
        let least = self.ranges.iter().map(|(low, _)| *low).min();
        let greatest = self.ranges.iter().map(|(_, high)| *high).max();
        CharSet {
            ranges: least.zip(greatest).into_iter().collect(),
        }
    }

    /// Whether the set contains a character.
    pub(crate) fn contains(&self, character: char) -> bool {
        self.ranges
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&character))
    }

    /// Whether the two sets have a character in common.
    fn intersects(&self, other: &CharSet) -> bool {
        self.ranges
            .iter()
            .any(|(low, high)| other.ranges.iter().any(|(l, h)| low.max(l) <= high.min(h)))
    }

    /// A character in both sets, a readable one where possible.
    fn common(&self, other: &CharSet) -> Option<char> {
        if let [(only, last)] = *self.ranges.as_slice()
            && only == last
        {
            return other.contains(only).then_some(only);
        }
        if let [(only, last)] = *other.ranges.as_slice()
            && only == last
        {
            return self.contains(only).then_some(only);
        }
        let readable = ('a'..='z')
            .chain('A'..='Z')
            .chain('0'..='9')
            .chain("#-_.:".chars());
        readable
            .into_iter()
            .find(|c| self.contains(*c) && other.contains(*c))
            .or_else(|| {
                self.ranges.iter().find_map(|(low, high)| {
                    other.ranges.iter().find_map(|(l, h)| {
                        let start = *low.max(l);
                        (start <= *high.min(h)).then_some(start)
                    })
                })
            })
    }
}

fn before(character: char) -> Option<char> {
    (0..u32::from(character)).rev().find_map(char::from_u32)
}

fn after(character: char) -> Option<char> {
    (u32::from(character) + 1..=u32::from(char::MAX)).find_map(char::from_u32)
}

/// The states of a language whose texts are recognized with a bit for each state.
const SMALL_STATES: usize = 128;

/// A set of texts.
#[derive(Debug, Clone)]
pub struct Language {
    /// For each state, the characters that lead to other states. State 0 is the initial state.
    steps: Vec<Steps>,
    /// The accepting state.
    end: usize,
    /// The common prefix of its texts. Most pairs of languages already differ there.
    start: String,
    /// The common suffix of its texts.
    tail: String,
    /// Whether the common prefix is its only text.
    is_fixed: bool,
}

impl Language {
    /// The language of the empty text.
    pub(crate) fn empty_text() -> Language {
        Language {
            steps: vec![Steps::new()],
            end: 0,
            start: String::new(),
            tail: String::new(),
            is_fixed: true,
        }
    }

    fn add_state(&mut self) -> usize {
        self.steps.push(Steps::new());
        self.steps.len() - 1
    }

    fn step(&mut self, from: usize, set: CharSet, to: usize) {
        if let Some(steps) = self.steps.get_mut(from) {
            steps.push((set, to));
        }
    }

    /// The common prefix of its texts. Two languages intersect only if one of their prefixes starts
    /// with the other.
    pub(crate) fn start(&self) -> &str {
        &self.start
    }

    /// The common suffix of its texts, read backwards.
    pub(crate) fn backward_end(&self) -> String {
        self.tail.chars().rev().collect()
    }

    /// Appends a fixed text.
    pub(crate) fn text(&mut self, text: &str) {
        self.tail.push_str(text);
        for character in text.chars() {
            self.add(&CharSet {
                ranges: smallvec![(character, character)],
            });
        }
        if self.is_fixed {
            self.start.push_str(text);
        }
    }

    /// The number of characters of its shortest text.
    pub(crate) fn shortest(&self) -> usize {
        let mut lengths = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some((state, length)) = queue.pop_front() {
            if state == self.end {
                return length;
            }
            for (_, to) in self.steps.get(state).into_iter().flatten() {
                if !lengths.contains_key(to) {
                    lengths.insert(*to, length + 1);
                    queue.push_back((*to, length + 1));
                }
            }
        }
        0
    }

    /// The characters that its texts begin with.
    pub(crate) fn first(&self) -> CharSet {
        let steps = self.steps.first().into_iter().flatten();
        CharSet {
            ranges: steps.flat_map(|(set, _)| set.ranges.clone()).collect(),
        }
    }

    fn add(&mut self, set: &CharSet) {
        let next = self.add_state();
        self.step(self.end, set.clone(), next);
        self.end = next;
    }

    /// Appends exactly `count` characters of a set.
    pub(crate) fn exactly(&mut self, set: &CharSet, count: usize) {
        if count > 0 {
            self.is_fixed = false;
            self.tail.clear();
        }
        for _ in 0..count {
            self.add(set);
        }
    }

    /// Appends one or more characters of a set.
    pub(crate) fn some(&mut self, set: &CharSet) {
        self.exactly(set, 1);
        self.step(self.end, set.clone(), self.end);
    }

    /// Appends one of the words.
    pub(crate) fn any_of(&mut self, words: &[String]) {
        self.is_fixed = false;
        self.tail.clear();
        let (start, end) = (self.end, self.add_state());
        // Words share the states of their common prefixes, so that the comparison of two lists takes
        // time linear in their letters.
        let mut shared = BTreeMap::new();
        for word in words {
            let mut at = start;
            let mut rest = word.chars().peekable();
            while let Some(character) = rest.next() {
                let is_last = rest.peek().is_none();
                at = match shared.entry((at, character, is_last)) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        let next = if is_last { end } else { self.add_state() };
                        self.step(
                            at,
                            CharSet {
                                ranges: smallvec![(character, character)],
                            },
                            next,
                        );
                        *new.insert(next)
                    }
                };
            }
        }
        self.end = end;
    }

    /// Appends any text: the result holds all texts with a prefix in this language.
    #[must_use]
    pub(crate) fn and_anything(mut self) -> Language {
        self.is_fixed = false;
        self.tail.clear();
        self.step(self.end, CharSet::all(), self.end);
        self
    }

    /// Whether the language contains a text.
    pub fn accepts(&self, text: &str) -> bool {
        if self.steps.len() <= SMALL_STATES {
            return self.small_accepts(text);
        }
        // A text is in few states at a time: a short list is faster than a set.
        let (mut states, mut next) = (vec![0], Vec::new());
        for character in text.chars() {
            let steps = states
                .iter()
                .filter_map(|state: &usize| self.steps.get(*state));
            for (set, to) in steps.flatten() {
                if set.contains(character) && !next.contains(to) {
                    next.push(*to);
                }
            }
            std::mem::swap(&mut states, &mut next);
            next.clear();
        }
        states.contains(&self.end)
    }

    /// As [`Language::accepts`], with a bit for each state.
    fn small_accepts(&self, text: &str) -> bool {
        let mut states = 1_u128;
        for character in text.chars() {
            let (mut left, mut next) = (states, 0);
            while left != 0 {
                let state = left.trailing_zeros();
                left &= left - 1;
                let steps = usize::try_from(state)
                    .ok()
                    .and_then(|at| self.steps.get(at));
                for (set, to) in steps.into_iter().flatten() {
                    if set.contains(character) {
                        next |= 1 << to;
                    }
                }
            }
            states = next;
        }
        states & (1 << self.end) != 0
    }

    /// The shortest text in both languages; `None` if they are disjoint.
    pub fn common_text(&self, other: &Language) -> Option<String> {
        let shared = self.start.len().min(other.start.len());
        if self.start.as_bytes().get(..shared) != other.start.as_bytes().get(..shared) {
            return None;
        }
        let (one, two) = (self.tail.as_bytes(), other.tail.as_bytes());
        if one
            .iter()
            .rev()
            .zip(two.iter().rev())
            .any(|(one, two)| one != two)
        {
            return None;
        }
        // The predecessor of each pair of states.
        let mut from: HashMap<Pair, Pair> = HashMap::from([((0, 0), (0, 0))]);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some(pair) = queue.pop_front() {
            if pair == (self.end, other.end) {
                return Some(self.path_to(other, pair, |pair| from.get(&pair).copied()));
            }
            for (set_one, to_one) in self.steps.get(pair.0).into_iter().flatten() {
                for (set_two, to_two) in other.steps.get(pair.1).into_iter().flatten() {
                    let next = (*to_one, *to_two);
                    if set_one.intersects(set_two)
                        && let HashEntry::Vacant(reached) = from.entry(next)
                    {
                        reached.insert(pair);
                        queue.push_back(next);
                    }
                }
            }
        }
        None
    }

    /// The text that leads to a pair of states. `from` returns the predecessor of a pair.
    fn path_to(&self, other: &Language, end: Pair, from: impl Fn(Pair) -> Option<Pair>) -> String {
        let before = |pair: Pair| {
            let before = from(pair)?;
            (pair != (0, 0)).then_some(before)
        };
        let pairs: Vec<Pair> = std::iter::successors(Some(end), |pair| before(*pair)).collect();
        let steps = pairs.iter().skip(1).rev().zip(pairs.iter().rev().skip(1));
        steps
            .filter_map(|(before, pair)| self.step_of(other, *before, *pair))
            .collect()
    }

    /// A character that leads from a pair of states to another.
    fn step_of(&self, other: &Language, before: Pair, pair: Pair) -> Option<char> {
        let to = |language: &'_ Language, from: usize, to: usize| -> Vec<CharSet> {
            let steps = language.steps.get(from).into_iter().flatten();
            steps
                .filter(|(_, found)| *found == to)
                .map(|(set, _)| set.clone())
                .collect()
        };
        let others = to(other, before.1, pair.1);
        to(self, before.0, pair.0)
            .iter()
            .find_map(|one| others.iter().find_map(|two| one.common(two)))
    }
}

/// A state of each of two languages.
type Pair = (usize, usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn language(build: impl FnOnce(&mut Language)) -> Language {
        let mut language = Language::empty_text();
        build(&mut language);
        language
    }

    #[test]
    fn texts_are_accepted_exactly() {
        let order = language(|l| {
            l.text("ORDER#");
            l.some(&CharSet::all_except(&['#']));
        });
        assert!(order.accepts("ORDER#1") && order.accepts("ORDER#abc"));
        assert!(
            !order.accepts("ORDER#") && !order.accepts("ORDER#a#b") && !order.accepts("order#1")
        );
        let day = language(|l| l.exactly(&CharSet::digits(), 2));
        assert!(day.accepts("07") && !day.accepts("7") && !day.accepts("007"));
        let status = language(|l| l.any_of(&["sent".to_owned(), "sent-back".to_owned()]));
        assert!(status.accepts("sent") && status.accepts("sent-back") && !status.accepts("sent-"));
    }

    #[test]
    fn words_share_the_states_of_a_common_prefix() {
        let words: Vec<String> = (0..2000).map(|n| format!("state{n}")).collect();
        let one = language(|l| l.any_of(&words));
        let letters: usize = words.iter().map(String::len).sum();
        assert!(one.steps.iter().map(Steps::len).sum::<usize>() < letters / 4);
        assert!(
            one.accepts("state1")
                && one.accepts("state1999")
                && !one.accepts("state")
                && !one.accepts("state2000")
        );
        assert_eq!(
            one.common_text(&language(
                |l| l.any_of(&["state2000".to_owned(), "state77".to_owned()])
            ))
            .as_deref(),
            Some("state77")
        );
    }

    #[test]
    fn languages_that_intersect_give_a_common_text() {
        let any = language(|l| l.some(&CharSet::all_except(&['#'])));
        let meta = language(|l| l.text("META"));
        assert_eq!(any.common_text(&meta).as_deref(), Some("META"));
        let item = language(|l| l.text("ITEM#1"));
        assert_eq!(any.common_text(&item), None);
        let prefix = language(|l| l.text("STATUS#sent")).and_anything();
        let other = language(|l| l.text("STATUS#sent-back"));
        assert_eq!(
            prefix.common_text(&other).as_deref(),
            Some("STATUS#sent-back")
        );
    }

    fn range(low: char, high: char) -> CharSet {
        CharSet {
            ranges: smallvec![(low, high)],
        }
    }

    #[test]
    fn gaps_are_what_a_set_lacks() {
        let touching = CharSet {
            ranges: smallvec![('\0', '@'), ('A', 'Y'), ('[', char::MAX)],
        };
        assert_eq!(touching.gaps(), Some(vec![('Z', 'Z')]));
        assert_eq!(CharSet::all().gaps(), Some(Vec::new()));
        assert_eq!(range('a', char::MAX).gaps(), Some(vec![('\0', '`')]));
        assert_eq!(range('\0', 'a').gaps(), None);
    }

    #[test]
    fn a_common_character_need_not_be_readable() {
        assert_eq!(range('à', 'ñ').common(&range('é', 'ü')), Some('é'));
        assert_eq!(range('à', 'é').common(&range('é', 'ü')), Some('é'));
        assert_eq!(range('à', 'é').common(&range('ê', 'ü')), None);
    }
}
