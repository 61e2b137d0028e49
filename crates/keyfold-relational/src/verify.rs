//! Rows beside items: each row has its item, each item its row. What differs while changes are carried is
//! looked at again, because it may be a change that is on its way.

use crate::cell::Cell;
use crate::mapping::{Mapped, Mapping};
use crate::patient::patient;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use crate::wish::Wish;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::kinds::{Kinds, Role};
use keyfold_client::{Backend, ClientError, read, tables};
use keyfold_lower::arguments::Values;
use keyfold_lower::stored::values_of;
use keyfold_types::Item;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::time::Duration;

/// How often what differs is looked at again.
const LOOKS: u32 = 5;
/// The time between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// The most keys of rows whose digests are held at once.
const HELD_MAX: u64 = 2_000_000;
/// The most differences that are listed.
pub(crate) const LISTED_MAX: usize = 100;

/// An entity that is not as its row says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The row, as `orders (id = 5)`.
    pub row: String,
    /// What differs.
    pub what: String,
}

/// What a comparison found.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    /// The rows that were compared, of each mapped entity.
    pub rows: Vec<(String, u64)>,
    /// The differences, the first ones.
    pub differences: Vec<Difference>,
    /// How many there are.
    pub count: u64,
}

/// Why a comparison ended early.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The target cannot be read.
    #[error(transparent)]
    Target(#[from] ClientError),
}

/// Compares all rows with all items.
///
/// # Errors
/// When either side cannot be read.
pub fn verify(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    backend: &Backend,
    progress: &Progress,
) -> Result<Verified, VerifyError> {
    let mut look = Look {
        mapping,
        source,
        backend,
        progress,
        verified: Verified::default(),
    };
    for mapped in &mapping.entities {
        let rows = look.rows(mapped)?;
        look.items(mapped, rows)?;
    }
    Ok(look.verified)
}

struct Look<'a, 'm> {
    mapping: &'a Mapping<'m>,
    source: &'a mut dyn Source,
    backend: &'a Backend,
    progress: &'a Progress,
    verified: Verified,
}

impl<'m> Look<'_, 'm> {
    fn add(&mut self, difference: Difference) {
        self.verified.count += 1;
        if self.verified.differences.len() < LISTED_MAX {
            self.verified.differences.push(difference);
        }
    }

    /// Compares each row with its item.
    fn rows(&mut self, mapped: &Mapped<'m>) -> Result<u64, VerifyError> {
        let (mut after, mut count) = (Vec::new(), 0);
        loop {
            let sql = mapped.statements.page(self.source, after.is_empty(), PAGE);
            let rows = self.source.query(&sql, &after)?;
            self.progress.add_read(rows.len());
            count += rows.len() as u64;
            let identities = rows.iter().map(|row| mapped.identity_of(row));
            let identities: Vec<Vec<Cell>> = identities.collect();
            let mut doubtful = self.differing(mapped, &rows)?;
            for _ in 0..LOOKS {
                if doubtful.is_empty() {
                    break;
                }
                std::thread::sleep(LOOK_PAUSE);
                let again: Vec<Vec<Cell>> = doubtful.into_iter().map(|(row, _)| row).collect();
                doubtful = self.again(mapped, &again)?;
            }
            for (row, what) in doubtful {
                let row = mapped.named(&row);
                self.add(Difference { row, what });
            }
            match identities.into_iter().last() {
                Some(last) if rows.len() == PAGE && !self.progress.is_stopping() => after = last,
                Some(_) | None => break,
            }
        }
        self.verified.rows.push((mapped.entity.name.clone(), count));
        Ok(count)
    }

    /// The identities of rows whose items differ, and how.
    fn differing(
        &self,
        mapped: &Mapped<'m>,
        rows: &[Vec<Cell>],
    ) -> Result<Vec<(Vec<Cell>, String)>, ClientError> {
        let (mut wishes, mut differing) = (Vec::new(), Vec::new());
        for row in rows {
            match Wish::of(0, mapped, row) {
                Ok(wish) => wishes.push(wish),
                Err(problem) => differing.push((mapped.identity_of(row), problem.why)),
            }
        }
        let keys: Vec<Values> = wishes.iter().map(|wish| wish.key.clone()).collect();
        let stored = self.stored(mapped, &keys)?;
        for (wish, stored) in wishes.into_iter().zip(stored) {
            let Some(values) = &wish.values else { continue };
            let what = match stored {
                None => format!("there is no {}", mapped.entity.name),
                Some(stored) => match mapped.unlike(values, &stored) {
                    Some(name) => format!("{name} of {} differs", mapped.entity.name),
                    None => continue,
                },
            };
            differing.push((wish.row, what));
        }
        Ok(differing)
    }

    /// The stored entities with some keys.
    fn stored(
        &self,
        mapped: &Mapped<'m>,
        keys: &[Values],
    ) -> Result<Vec<Option<Values>>, ClientError> {
        let model = self.mapping.model;
        let found = patient(|| read::many(self.backend, model, mapped.entity, keys, true))?;
        let items = found.items.into_iter();
        Ok(items
            .map(|one| one.map(|item| item.attributes.into_iter().collect()))
            .collect())
    }

    /// Compares rows again by their identities, also those that are gone.
    fn again(
        &mut self,
        mapped: &Mapped<'m>,
        identities: &[Vec<Cell>],
    ) -> Result<Vec<(Vec<Cell>, String)>, VerifyError> {
        let mut all = Vec::new();
        for some in identities.chunks(100) {
            let rows = self.rows_of(mapped, some)?;
            all.extend(self.differing(mapped, &rows)?);
            let there: Vec<Vec<Cell>> = rows.iter().map(|row| mapped.identity_of(row)).collect();
            let gone: Vec<&Vec<Cell>> = some.iter().filter(|one| !there.contains(one)).collect();
            let keys = gone
                .iter()
                .filter_map(|one| Some(((*one).clone(), mapped.key(one).ok()?)));
            let (rows, keys): (Vec<Vec<Cell>>, Vec<Values>) = keys.unzip();
            for (row, stored) in rows.into_iter().zip(self.stored(mapped, &keys)?) {
                if stored.is_some() {
                    all.push((row, format!("{} has no row any more", mapped.entity.name)));
                }
            }
        }
        Ok(all)
    }

    fn rows_of(
        &mut self,
        mapped: &Mapped<'m>,
        identities: &[Vec<Cell>],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        let sql = mapped
            .statements
            .of_identities(self.source, identities.len());
        let arguments: Vec<Cell> = identities.iter().flatten().cloned().collect();
        self.source.query(&sql, &arguments)
    }

    /// Finds items that have no row. The keys of the rows are held as digests, so many at once as memory
    /// allows; for more, both sides are read several times.
    fn items(&mut self, mapped: &Mapped<'m>, rows: u64) -> Result<(), VerifyError> {
        let buckets = rows / HELD_MAX + 1;
        for bucket in 0..buckets {
            let is_in =
                |key: &Values| u64::try_from(digest(key) % u128::from(buckets)) == Ok(bucket);
            let mut held = BTreeSet::new();
            self.each_key(mapped, |key| {
                if is_in(&key) {
                    held.insert(digest(&key));
                }
            })?;
            let mut doubtful = Vec::new();
            self.each_item(mapped, |key| {
                if is_in(&key) && !held.contains(&digest(&key)) {
                    doubtful.push(key);
                }
            })?;
            drop(held);
            self.without_row(mapped, doubtful)?;
        }
        Ok(())
    }

    /// The keys of all rows that make items.
    fn each_key(
        &mut self,
        mapped: &Mapped<'m>,
        mut with: impl FnMut(Values),
    ) -> Result<(), VerifyError> {
        let mut after = Vec::new();
        loop {
            let sql = mapped.statements.page(self.source, after.is_empty(), PAGE);
            let rows = self.source.query(&sql, &after)?;
            for row in &rows {
                mapped
                    .key(&mapped.identity_of(row))
                    .ok()
                    .into_iter()
                    .for_each(&mut with);
            }
            match rows.last() {
                Some(last) if rows.len() == PAGE && !self.progress.is_stopping() => {
                    after = mapped.identity_of(last);
                }
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// The keys of all items of an entity.
    fn each_item(
        &self,
        mapped: &Mapped<'m>,
        mut with: impl FnMut(Values),
    ) -> Result<(), VerifyError> {
        let (model, entity) = (self.mapping.model, mapped.entity);
        let Some(table) = model.tables.get(entity.table) else {
            return Ok(());
        };
        let kinds = Kinds::of(model, entity.table, table);
        let is_own = |item: &Item| {
            let kind = kinds.kind_of(item);
            kind.is_some_and(|kind| {
                let of = model.entities.get(kind.at);
                kind.role == Role::Main && of.map(|one| &one.name) == Some(&entity.name)
            })
        };
        for name in patient(|| tables::names(self.backend))? {
            if name != table.name && !(table.period.is_some() && name.starts_with(&table.name)) {
                continue;
            }
            let mut start: Option<Item> = None;
            loop {
                let (items, next) = self.page(&name, start.as_ref())?;
                for item in items.iter().filter(|item| is_own(item)) {
                    let of = std::slice::from_ref(item);
                    with(values_of(
                        table,
                        entity,
                        None,
                        entity.identity().into_iter(),
                        of,
                    )?);
                }
                match next {
                    Some(next) if !self.progress.is_stopping() => start = Some(next),
                    Some(_) | None => break,
                }
            }
        }
        Ok(())
    }

    fn page(
        &self,
        table: &str,
        start: Option<&Item>,
    ) -> Result<(Vec<Item>, Option<Item>), ClientError> {
        let scan = || -> Request {
            ScanInput {
                table_name: Some(table.to_owned()),
                exclusive_start_key: start.cloned().map(Ok),
                consistent_read: Some(true),
                ..ScanInput::default()
            }
            .into()
        };
        match patient(|| self.backend.call(scan()))? {
            Response::Scan(output) => {
                let items = output.items.unwrap_or_default();
                let items = items.iter().map(|item| item.to_item()).collect();
                Ok((items, output.last_evaluated_key))
            }
            _ => Ok((Vec::new(), None)),
        }
    }

    /// Reports items that still have no row after the changes that may be on their way.
    fn without_row(
        &mut self,
        mapped: &Mapped<'m>,
        mut doubtful: Vec<Values>,
    ) -> Result<(), VerifyError> {
        for _ in 0..LOOKS {
            if doubtful.is_empty() {
                return Ok(());
            }
            std::thread::sleep(LOOK_PAUSE);
            let mut there = BTreeSet::new();
            for some in doubtful.chunks(100) {
                let stored = self.stored(mapped, some)?;
                let stored = some.iter().zip(stored).filter(|(_, one)| one.is_some());
                there.extend(stored.map(|(key, _)| digest(key)));
            }
            self.each_key(mapped, |key| {
                there.remove(&digest(&key));
            })?;
            doubtful.retain(|key| there.contains(&digest(key)));
        }
        for key in doubtful {
            let named = key
                .iter()
                .map(|(name, value)| format!("{name} = {value:?}"));
            let named: Vec<String> = named.collect();
            self.add(Difference {
                row: format!("{} ({})", mapped.entity.name, named.join(", ")),
                what: format!("`{}` has no such row", mapped.origin.table.name),
            });
        }
        Ok(())
    }
}

/// What stands for a key among others.
fn digest(key: &Values) -> u128 {
    let mut hash = Sha256::new();
    for (name, value) in key {
        let text = format!("{name}={value:?};");
        hash.update(text.as_bytes());
    }
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(16)
        .fold(0, |sum, byte| sum << 8 | u128::from(*byte))
}
