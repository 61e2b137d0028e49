//! What changes while rows and items are compared: the entities that changes name since the comparison began. They are
//! compared again, so that at the end each one is as it was compared last.

use crate::cell::Cell;
use crate::mapping::{Mapped, Mapping};
use crate::verify::{Keyed, digest_of_row};
use std::collections::BTreeMap;

/// The entities that are to be compared again.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The rows that are named, by the position of their mapping and the digest of their item.
    rows: BTreeMap<(usize, u128), Vec<Keyed>>,
}

impl Changed {
    /// Adds rows that changes name.
    pub(crate) fn add(&mut self, mapping: &Mapping<'_>, names: &[(usize, Vec<Cell>)]) {
        for (at, identity) in names {
            if let Some(mapped) = mapping.entities.get(*at) {
                let key = mapped.key(identity).ok();
                self.add_one((*at, mapped), (identity.clone(), key));
            }
        }
    }

    /// Adds a row.
    pub(crate) fn add_one(&mut self, (at, mapped): (usize, &Mapped<'_>), one: Keyed) {
        let digest = digest_of_row(mapped, &one);
        let own = self.rows.entry((at, digest)).or_default();
        // One item may be named by several spellings of its row.
        if !own.iter().any(|(known, _)| *known == one.0) {
            own.push(one);
        }
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether an item of a mapping is among them, by its digest.
    pub(crate) fn has(&self, at: usize, digest: u128) -> bool {
        self.rows.contains_key(&(at, digest))
    }

    /// Takes all of them, those of a mapping together.
    pub(crate) fn take(&mut self) -> Vec<(usize, Keyed)> {
        let all = std::mem::take(&mut self.rows).into_iter();
        all.flat_map(|((at, _), own)| own.into_iter().map(move |one| (at, one)))
            .collect()
    }
}
