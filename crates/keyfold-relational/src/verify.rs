//! Rows beside items: each row has its item, each item its row. What differs while changes are carried is
//! looked at again, because it may be a change that is on its way. Who carries them goes on beside: another run, or
//! the one that compares.

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
pub(crate) const LOOKS: u32 = 5;
/// The time between two looks.
pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(500);
/// The most rows that are compared again by one query.
const AGAIN_MAX: usize = 100;
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

/// What goes on while rows and items are compared.
pub(crate) trait Beside {
    /// Why a comparison ends early.
    type Error: From<SourceError> + From<ClientError>;

    /// The database.
    fn source(&mut self) -> &mut dyn Source;

    /// Is called behind each page that was read.
    fn follow(&mut self) -> Result<(), Self::Error>;

    /// Lets changes arrive that are on their way, before what differs is looked at again, for the first time or later.
    fn arrive(&mut self, is_first: bool) -> Result<(), Self::Error>;

    /// Whether an item of an entity, by its digest, is compared again later, since it changes meanwhile.
    fn is_due(&self, at: usize, digest: u128) -> bool;
}

/// A comparison that carries nothing: another run may.
struct Alone<'s>(&'s mut dyn Source);

impl Beside for Alone<'_> {
    type Error = VerifyError;

    fn source(&mut self) -> &mut dyn Source {
        self.0
    }

    fn follow(&mut self) -> Result<(), VerifyError> {
        Ok(())
    }

    fn arrive(&mut self, _is_first: bool) -> Result<(), VerifyError> {
        world::pause(LOOK_PAUSE);
        Ok(())
    }

    fn is_due(&self, _at: usize, _digest: u128) -> bool {
        false
    }
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
    let mut beside = Alone(source);
    let look = Look::of(mapping, &mut beside, (backend, progress));
    let (verified, found) = look.all()?;
    *wrong = found;
    Ok(verified)
}

/// A row, and what of its item differs.
type Differing = (Keyed, String);

/// What differs of entities that were compared again.
pub(crate) struct Again {
    /// By the position of the mapping and the row, with what differs.
    pub(crate) differing: Vec<(usize, Keyed, String)>,
    /// What was found of entities that were compared whole.
    pub(crate) verified: Verified,
}

/// A row by what identifies it, and the key of its item, if it can have one.
pub(crate) type Keyed = (Vec<Cell>, Option<Values>);

/// A comparison under way.
pub(crate) struct Look<'a, 'm, B> {
    mapping: &'a Mapping<'m>,
    beside: &'a mut B,
    backend: &'a Backend,
    progress: &'a Progress,
    /// The first ones that differ.
    wrong: Vec<Wrong>,
    verified: Verified,
}

impl<'a, 'm, B: Beside> Look<'a, 'm, B> {
    pub(crate) fn of(
        mapping: &'a Mapping<'m>,
        beside: &'a mut B,
        (backend, progress): (&'a Backend, &'a Progress),
    ) -> Look<'a, 'm, B> {
        progress.compare();
        Look {
            mapping,
            beside,
            backend,
            progress,
            wrong: Vec::new(),
            verified: Verified::default(),
        }
    }

    /// Compares all rows with all items.
    pub(crate) fn all(mut self) -> Result<(Verified, Vec<Wrong>), B::Error> {
        for at in 0..self.mapping.entities.len() {
            self.entity(at)?;
        }
        Ok((self.verified, self.wrong))
    }

    /// Compares the rows and the items of an entity.
    fn entity(&mut self, at: usize) -> Result<(), B::Error> {
        let mapping = self.mapping;
        let Some(mapped) = mapping.entities.get(at) else {
            return Ok(());
        };
        let rows = self.rows((at, mapped))?;
        self.items((at, mapped), rows)
    }

    /// Compares entities by their rows, which are named, also those that are gone. Where that does not say everything
    /// (another row may make the item of one that is gone), their entity is compared whole.
    pub(crate) fn some(mut self, names: Vec<(usize, Keyed)>) -> Result<Again, B::Error> {
        let (mut differing, mut whole) = (Vec::new(), BTreeSet::new());
        let mapping = self.mapping;
        for own in names.chunk_by(|(one, _), (other, _)| one == other) {
            let of = own
                .first()
                .and_then(|(at, _)| Some((*at, mapping.entities.get(*at)?)));
            let Some((at, mapped)) = of else { continue };
            for some in own.chunks(AGAIN_MAX) {
                if self.progress.is_stopping() {
                    break;
                }
                let some = some.iter().map(|(_, one)| one.clone());
                let (some, unsound): (Vec<Keyed>, Vec<Keyed>) =
                    some.partition(|(identity, _)| mapped.is_sound(identity));
                let no_name = "it cannot be asked for by what identifies it";
                let unsound = unsound.into_iter();
                differing.extend(unsound.map(|one| (at, one, no_name.to_owned())));
                let (found, has_gone) = self.compared(mapped, &some)?;
                differing.extend(found.into_iter().map(|(one, what)| (at, one, what)));
                if has_gone && mapped.may_double {
                    whole.insert(at);
                }
            }
        }
        for at in whole {
            self.entity(at)?;
        }
        Ok(Again {
            differing,
            verified: self.verified,
        })
    }

    fn add(&mut self, difference: Difference) {
        self.verified.count += 1;
        if self.verified.differences.len() < LISTED_MAX {
            self.verified.differences.push(difference);
        }
    }

    /// Compares each row with its item.
    fn rows(&mut self, (at, mapped): (usize, &Mapped<'m>)) -> Result<u64, B::Error> {
        let (mut cursor, mut count) = (Cursor::default(), 0);
        while let Some(page) = cursor.next(mapped, self.beside.source(), PAGE)? {
            self.progress.add_read(page.rows.len());
            self.progress.add_compared(page.rows.len());
            count += page.rows.len() as u64;
            let doubtful = self.differing(mapped, &page.rows)?;
            self.beside.follow()?;
            for (identity, what) in self.lasting((at, mapped), doubtful)? {
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

    /// What of some rows differs still when the changes have arrived that may be on their way.
    fn lasting(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        mut doubtful: Vec<(Vec<Cell>, String)>,
    ) -> Result<Vec<(Vec<Cell>, String)>, B::Error> {
        for look in 0..LOOKS {
            if doubtful.is_empty() {
                break;
            }
            self.beside.arrive(look == 0)?;
            doubtful.retain(|(identity, _)| !self.is_due((at, mapped), identity));
            doubtful = self.again(mapped, doubtful)?;
        }
        doubtful.retain(|(identity, _)| !self.is_due((at, mapped), identity));
        Ok(doubtful)
    }

    fn is_due(&self, (at, mapped): (usize, &Mapped<'m>), identity: &[Cell]) -> bool {
        let one = (identity.to_vec(), mapped.key(identity).ok());
        self.beside.is_due(at, digest_of_row(mapped, &one))
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
                None if mapped.is_over(values) => continue,
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
    ) -> Result<Vec<(Vec<Cell>, String)>, B::Error> {
        let (asked, mut all): (Vec<_>, Vec<_>) = doubtful
            .into_iter()
            .partition(|(identity, _)| mapped.is_sound(identity));
        let mut named: Vec<Keyed> = Vec::new();
        for (identity, _) in asked {
            if !named.iter().any(|(known, _)| *known == identity) {
                let key = mapped.key(&identity).ok();
                named.push((identity, key));
            }
        }
        for some in named.chunks(AGAIN_MAX) {
            let (found, _) = self.compared(mapped, some)?;
            all.extend(found.into_iter().map(|((row, _), what)| (row, what)));
        }
        Ok(all)
    }

    /// Compares rows by their identities, also those that are gone: what differs, and whether a row is gone.
    fn compared(
        &mut self,
        mapped: &Mapped<'m>,
        some: &[Keyed],
    ) -> Result<(Vec<Differing>, bool), B::Error> {
        if some.is_empty() {
            return Ok((Vec::new(), false));
        }
        let identities: Vec<Vec<Cell>> = some.iter().map(|(one, _)| one.clone()).collect();
        let source = self.beside.source();
        let (sql, arguments) = mapped.statements.of_identities(source, &identities);
        let rows = source.query(&sql, &arguments)?;
        let differing = self.differing(mapped, &rows)?.into_iter();
        let keyed = |(row, what): (Vec<Cell>, String)| {
            let key = mapped.key(&row).ok();
            ((row, key), what)
        };
        let mut differing: Vec<Differing> = differing.map(keyed).collect();
        let made: BTreeSet<u128> = rows.iter().filter_map(|row| of_row(mapped, row)).collect();
        // A row whose identity no item can have has made none.
        let gone = some.iter().filter_map(|(identity, key)| {
            let key = key.clone()?;
            let is_made = made.contains(&digest_of(mapped, &key));
            (!is_made).then(|| (identity.clone(), key))
        });
        let (gone, keys): (Vec<Vec<Cell>>, Vec<Values>) = gone.unzip();
        let has_gone = !gone.is_empty();
        let stored = self.stored(mapped, &keys)?;
        for ((row, key), stored) in gone.into_iter().zip(keys).zip(stored) {
            if stored.is_some() {
                let what = format!("{} has no row any more", mapped.entity.name);
                differing.push(((row, Some(key)), what));
            }
        }
        Ok((differing, has_gone))
    }

    /// Finds items that have no row. The keys of the rows are held as digests, so many at once as memory
    /// allows; for more, both sides are read several times.
    fn items(&mut self, (at, mapped): (usize, &Mapped<'m>), rows: u64) -> Result<(), B::Error> {
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
            let (named, more) =
                claimed.named(mapped, self.beside.source(), self.progress, claims)?;
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
    ) -> Result<(), B::Error> {
        let mut cursor = Cursor::default();
        while let Some(page) = cursor.next(mapped, self.beside.source(), PAGE)? {
            let digests = page.rows.iter().filter_map(|row| of_row(mapped, row));
            digests.for_each(&mut with);
            self.beside.follow()?;
            if self.progress.is_stopping() {
                break;
            }
        }
        Ok(())
    }

    /// The keys of all items of an entity.
    fn each_item(
        &mut self,
        mapped: &Mapped<'m>,
        mut with: impl FnMut(Values),
    ) -> Result<(), B::Error> {
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
                self.beside.follow()?;
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
    ) -> Result<(), B::Error> {
        for look in 0..LOOKS {
            if doubtful.is_empty() {
                return Ok(());
            }
            self.beside.arrive(look == 0)?;
            doubtful.retain(|key| !self.beside.is_due(at, digest_of(mapped, key)));
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
        doubtful.retain(|key| !self.beside.is_due(at, digest_of(mapped, key)));
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

/// What stands for the item of a row among others; of a row that no item can be of, for the row.
pub(crate) fn digest_of_row(mapped: &Mapped<'_>, (identity, key): &Keyed) -> u128 {
    match key {
        Some(key) => digest_of(mapped, key),
        None => digest(&Claim::Item, &(format!("{identity:?}"), Item::new())),
    }
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
