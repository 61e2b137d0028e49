//! What differs of two answers, item by item, so that it can be said whether a difference stays.

use crate::compare::{Expected, difference};
use crate::show;
use keyfold_client::FoundItem;
use std::collections::{BTreeMap, BTreeSet};

/// The most differences of a question that are described.
const SHOWN_MAX: usize = 5;

/// For each returned kind, the attributes that are not compared.
pub(super) type Ignored = Vec<(String, BTreeSet<String>)>;

/// What differs: what stands for it, and what people read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wrong(BTreeMap<String, String>);

impl Wrong {
    /// What differs of the answer of the tables.
    pub(super) fn of(expected: &[Expected], found: &[FoundItem], ignored: &Ignored) -> Wrong {
        let wanted = counted(expected.iter().map(|one| &one.item), ignored);
        let there = counted(found.iter(), ignored);
        let mut wrong = Wrong::default();
        wrong.add_more(&wanted, &there, "the database says, and the tables do not:");
        wrong.add_more(
            &there,
            &wanted,
            "the tables say, and the database does not:",
        );
        if wrong.is_empty()
            && ignored.iter().all(|(_, names)| names.is_empty())
            && let Some((expected, found)) = difference(expected, found, false)
        {
            let text = format!("another order: {expected}; {found}");
            wrong.0.insert("order".to_owned(), text);
        }
        wrong
    }

    /// An answer that is none.
    pub(super) fn said(error: String) -> Wrong {
        Wrong(BTreeMap::from([(error.clone(), error)]))
    }

    fn add_more(&mut self, these: &Counted, others: &Counted, said: &str) {
        for (form, (count, shown)) in these {
            let less = others.get(form).map_or(0, |(count, _)| *count);
            if *count > less {
                self.0
                    .insert(format!("{said}{form}"), format!("{said} {shown}"));
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What of it is wrong in another answer, too.
    pub(super) fn stays_in(&self, other: &Wrong) -> Wrong {
        let all = self.0.iter();
        let stays = all.filter(|(form, _)| other.0.contains_key(*form));
        Wrong(
            stays
                .map(|(form, shown)| (form.clone(), shown.clone()))
                .collect(),
        )
    }

    /// The first of it, for people.
    pub(super) fn shown(&self) -> Vec<String> {
        self.0.values().take(SHOWN_MAX).cloned().collect()
    }
}

/// Items by what is compared of them: how many there are, and what people read.
type Counted = BTreeMap<String, (usize, String)>;

fn counted<'i>(items: impl Iterator<Item = &'i FoundItem>, ignored: &Ignored) -> Counted {
    let mut all = Counted::new();
    for item in items {
        let mut ignored = ignored.iter();
        let names = ignored.find(|(kind, _)| *kind == item.kind);
        let is_compared = |name: &String| names.is_none_or(|(_, ignored)| !ignored.contains(name));
        let attributes = item.attributes.iter();
        let compared = FoundItem {
            kind: item.kind.clone(),
            attributes: attributes
                .filter(|(name, _)| is_compared(name))
                .cloned()
                .collect(),
        };
        let one = all.entry(format!("{compared:?}")).or_default();
        one.0 += 1;
        if one.1.is_empty() {
            one.1 = show::item(&compared);
        }
    }
    all
}
