//! Rows beside items: each row has its item, each item its row. What differs while changes are carried is
//! looked at again, because it may be a change that is on its way.

use crate::cell::Cell;
use crate::convert::Problem;
use crate::doubles::{Claimed, HELD_MAX};
use crate::drafts::{Claim, digest};
use crate::mapping::{Mapped, Mapping};
use crate::pages::Cursor;
use crate::patient::patient;
use crate::progress::Progress;
use crate::source::{Source, SourceError};
use crate::split;
use crate::statement::PAGE;
use crate::wish::Wish;
use crate::world;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::kinds::{Kinds, Role};
use keyfold_client::{Backend, ClientError, read, tables};
use keyfold_lower::arguments::Values;
use keyfold_lower::stored::values_of;
use keyfold_model::value;
use keyfold_types::{Item, Value};
use std::collections::BTreeSet;
use std::time::Duration;

/// How often what differs is looked at again.
const LOOKS: u32 = 5;
/// The time between two looks.
const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// The most entities that are told to be put right before all are compared again.
const MENDED_MAX: usize = 10_000;
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
    /// A row is no item of the model, so that what differs cannot be put right.
    #[error("{0}")]
    Problem(Box<Problem>),
}

/// An entity that is not as it should be, with the position of its mapping.
#[derive(Debug)]
pub(crate) enum Wrong {
    /// By what identifies its row.
    Row(usize, Vec<Cell>),
    /// By what identifies its item, which no row makes.
    Item(usize, Values),
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
    compare(mapping, source, backend, progress, &mut Vec::new())
}

/// Compares all rows with all items, and adds the first ones that differ to `wrong`.
pub(crate) fn compare(
    mapping: &Mapping<'_>,
    source: &mut dyn Source,
    backend: &Backend,
    progress: &Progress,
    wrong: &mut Vec<Wrong>,
) -> Result<Verified, VerifyError> {
    let mut look = Look {
        mapping,
        source,
        backend,
        progress,
        wrong,
        verified: Verified::default(),
    };
    for (at, mapped) in mapping.entities.iter().enumerate() {
        let rows = look.rows((at, mapped))?;
        look.items((at, mapped), rows)?;
    }
    Ok(look.verified)
}

struct Look<'a, 'm> {
    mapping: &'a Mapping<'m>,
    source: &'a mut dyn Source,
    backend: &'a Backend,
    progress: &'a Progress,
    wrong: &'a mut Vec<Wrong>,
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
    fn rows(&mut self, (at, mapped): (usize, &Mapped<'m>)) -> Result<u64, VerifyError> {
        let (mut cursor, mut count) = (Cursor::default(), 0);
        while let Some(page) = cursor.next(mapped, self.source, PAGE)? {
            self.progress.add_read(page.rows.len());
            count += page.rows.len() as u64;
            let mut doubtful = self.differing(mapped, &page.rows)?;
            for _ in 0..LOOKS {
                if doubtful.is_empty() {
                    break;
                }
                world::pause(LOOK_PAUSE);
                doubtful = self.again(mapped, doubtful)?;
            }
            for (identity, what) in doubtful {
                let row = mapped.named(&identity);
                self.add_wrong(Wrong::Row(at, identity));
                self.add(Difference { row, what });
            }
            if let (Some(_), Some(problem)) = (&page.stuck, page.problem(mapped)) {
                self.add_problem(problem);
            }
            if self.progress.is_stopping() {
                break;
            }
        }
        self.verified.rows.push((mapped.entity.name.clone(), count));
        Ok(count)
    }

    fn add_wrong(&mut self, wrong: Wrong) {
        if self.wrong.len() < MENDED_MAX {
            self.wrong.push(wrong);
        }
    }

    fn add_problem(&mut self, problem: Problem) {
        self.add(Difference {
            row: problem.row,
            what: problem.why,
        });
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
        stored(self.backend, mapped, keys)
    }

    /// Compares rows again by their identities, also those that are gone. A row that cannot be asked for by
    /// its identity stays as it was.
    fn again(
        &mut self,
        mapped: &Mapped<'m>,
        doubtful: Vec<(Vec<Cell>, String)>,
    ) -> Result<Vec<(Vec<Cell>, String)>, VerifyError> {
        let (asked, mut all): (Vec<_>, Vec<_>) = doubtful
            .into_iter()
            .partition(|(identity, _)| mapped.is_sound(identity));
        let mut identities: Vec<Vec<Cell>> = Vec::new();
        for (identity, _) in asked {
            if !identities.contains(&identity) {
                identities.push(identity);
            }
        }
        for some in identities.chunks(100) {
            let (sql, arguments) = mapped.statements.of_identities(self.source, some);
            let rows = self.source.query(&sql, &arguments)?;
            all.extend(self.differing(mapped, &rows)?);
            let there: Vec<Vec<Cell>> = rows.iter().map(|row| mapped.identity_of(row)).collect();
            let gone: Vec<&Vec<Cell>> = some.iter().filter(|one| !there.contains(one)).collect();
            // A row whose identity no item can have has made none.
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

    /// Finds items that have no row. The keys of the rows are held as digests, so many at once as memory
    /// allows; for more, both sides are read several times.
    fn items(&mut self, (at, mapped): (usize, &Mapped<'m>), rows: u64) -> Result<(), VerifyError> {
        let buckets = rows / HELD_MAX + 1;
        for bucket in 0..buckets {
            let mut claimed = Claimed::of_bucket(bucket, buckets);
            self.each_key(mapped, |digest| claimed.add(digest))?;
            let mut doubtful = Vec::new();
            self.each_item(mapped, |key| {
                if claimed.lacks(digest_of(mapped, &key)) {
                    doubtful.push(key);
                }
            })?;
            let claims = |row: &[Cell]| {
                let digest = of_row(mapped, row);
                digest.map(|one| (Claim::Item, one)).into_iter().collect()
            };
            let (named, more) = claimed.named(mapped, self.source, self.progress, claims)?;
            named.into_iter().for_each(|one| self.add_problem(one));
            self.verified.count += more;
            self.without_row((at, mapped), doubtful)?;
        }
        Ok(())
    }

    /// The digests of the keys of all rows that make items.
    fn each_key(
        &mut self,
        mapped: &Mapped<'m>,
        mut with: impl FnMut(u128),
    ) -> Result<(), VerifyError> {
        let mut cursor = Cursor::default();
        while let Some(page) = cursor.next(mapped, self.source, PAGE)? {
            let digests = page.rows.iter().filter_map(|row| of_row(mapped, row));
            digests.for_each(&mut with);
            if self.progress.is_stopping() {
                break;
            }
        }
        Ok(())
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
                let (items, next) = scanned(self.backend, &name, start.as_ref())?;
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

    /// Reports items that still have no row after the changes that may be on their way.
    fn without_row(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        mut doubtful: Vec<Values>,
    ) -> Result<(), VerifyError> {
        for _ in 0..LOOKS {
            if doubtful.is_empty() {
                return Ok(());
            }
            world::pause(LOOK_PAUSE);
            let mut there = BTreeSet::new();
            for some in doubtful.chunks(100) {
                let stored = self.stored(mapped, some)?;
                let stored = some.iter().zip(stored).filter(|(_, one)| one.is_some());
                there.extend(stored.map(|(key, _)| digest_of(mapped, key)));
            }
            self.each_key(mapped, |digest| {
                there.remove(&digest);
            })?;
            doubtful.retain(|key| there.contains(&digest_of(mapped, key)));
        }
        for key in doubtful {
            let named = key
                .iter()
                .map(|(name, value)| format!("{name} = {}", shown(value)));
            let named: Vec<String> = named.collect();
            self.add(Difference {
                row: format!("{} ({})", mapped.entity.name, named.join(", ")),
                what: format!("`{}` has no such row", mapped.origin.table.name),
            });
            self.add_wrong(Wrong::Item(at, key));
        }
        Ok(())
    }
}

/// A page of the items of a table, and where the next one begins.
pub(crate) fn scanned(
    backend: &Backend,
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
    let Response::Scan(output) = patient(|| backend.call(scan()))? else {
        return Ok((Vec::new(), None));
    };
    let items = output.items.unwrap_or_default();
    let items = items.iter().map(|item| item.to_item()).collect();
    Ok((items, output.last_evaluated_key))
}

/// The stored entities with some keys, as they are now.
pub(crate) fn stored(
    backend: &Backend,
    mapped: &Mapped<'_>,
    keys: &[Values],
) -> Result<Vec<Option<Values>>, ClientError> {
    if mapped.entity.split.is_some() {
        let each = keys.iter().map(|key| split::stored(backend, mapped, key));
        return each.collect();
    }
    let found = patient(|| read::many(backend, mapped.model, mapped.entity, keys, true))?;
    let items = found.items.into_iter();
    Ok(items
        .map(|one| one.map(|item| item.attributes.into_iter().collect()))
        .collect())
}

/// What stands for the item of a row; `None` where it makes none.
fn of_row(mapped: &Mapped<'_>, row: &[Cell]) -> Option<u128> {
    let key = mapped.key(&mapped.identity_of(row)).ok()?;
    Some(digest_of(mapped, &key))
}

/// What stands for an item among others, by the attributes that identify it.
fn digest_of(mapped: &Mapped<'_>, key: &Values) -> u128 {
    let place = mapped.place(key);
    // The key of an item that another program wrote may be none that the model makes.
    let place = place.unwrap_or_else(|_| (format!("{key:?}"), Item::new()));
    digest(&Claim::Item, &place)
}

/// A value in a message: a text in quotes.
fn shown(value: &Value) -> String {
    let text = value::shown(value);
    match matches!(value, Value::S(_)) {
        true => format!("\"{text}\""),
        false => text,
    }
}
