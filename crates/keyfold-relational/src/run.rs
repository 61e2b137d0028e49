//! A migration: every row is read once, and changes are carried until they are asked to end. Changes are kept
//! in the source before the first row is read, and are carried after the last page; whatever a change touched is
//! read anew then, so any order of reads, changes and kills ends in what the rows hold.

use crate::apply::{Unwritten, apply};
use crate::cell::Cell;
use crate::convert::Problem;
use crate::lead::changed::Changed;
use crate::lead::sides::Tables;
use crate::mapping::{Mapped, Mapping};
use crate::progress::Progress;
use crate::source::{Change, Source, SourceError};
use crate::state::{Carried, Phase, State, States};
use crate::verify::VerifyError;
use crate::wish::Wish;
use crate::world::{self, Moment};
use keyfold_client::{Backend, ClientError};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The rows of a page of the copy: what it costs beside its rows is little then.
const ROWS_MAX: usize = 4_000;
/// The most changes of a table that are read at once.
const CHANGES_MAX: usize = 500;
/// So many changed items are held while a switch compares.
const CHANGED_MAX: usize = 20_000;
/// The most identities in one query.
const IDENTITIES_MAX: usize = 100;
/// The time between two looks for changes, where there were none.
pub(crate) const IDLE: Duration = Duration::from_millis(50);
/// How often it is noted how far a run is behind.
pub(crate) const NOTE: Duration = Duration::from_secs(1);
/// How often it is looked how much of its log the database keeps.
const LOOK: Duration = Duration::from_secs(60);
/// How often rows that are refused are read again, where there are no more changes.
pub(crate) const PROBLEM_TRIES: u32 = 6;
/// How often a source that is locked or away is asked, with a pause that grows to a second.
const SOURCE_TRIES: u32 = 30;

/// The most entities whose rows are read at once.
pub(crate) const TOGETHER_MAX: usize = 2_000;

/// An entity by the position of its mapping, and the identity of its row.
pub(crate) type Name = (usize, Vec<Cell>);

/// Changes that were read.
struct Changes {
    change: Change,
    /// How many rows they touch.
    count: usize,
    /// What the entities are to be that they touch.
    wishes: Vec<Wish>,
    /// These entities, where they are too many to be read at once.
    names: Vec<Name>,
}

/// Why a run ended.
#[derive(Debug)]
pub enum Ended {
    /// Everything is carried, and it was asked to end then.
    Caught,
    /// It was asked to stop; the next run goes on.
    Stopped,
    /// Another run has the migration.
    Overtaken,
    /// A row is no item of the model. Everything before it is written.
    Problem(Problem),
    /// The source cannot be read.
    Source(SourceError),
    /// The target cannot be written.
    Target(ClientError),
}

impl From<SourceError> for Ended {
    fn from(error: SourceError) -> Ended {
        Ended::Source(error)
    }
}

impl From<ClientError> for Ended {
    fn from(error: ClientError) -> Ended {
        Ended::Target(error)
    }
}

impl From<VerifyError> for Ended {
    fn from(error: VerifyError) -> Ended {
        match error {
            VerifyError::Source(error) => Ended::Source(error),
            VerifyError::Target(error) => Ended::Target(error),
            VerifyError::Problem(problem) => Ended::Problem(*problem),
        }
    }
}

impl From<Problem> for Ended {
    fn from(problem: Problem) -> Ended {
        Ended::Problem(problem)
    }
}

impl From<Unwritten> for Ended {
    fn from(unwritten: Unwritten) -> Ended {
        match unwritten {
            Unwritten::Problem(problem) => Ended::Problem(problem),
            Unwritten::Failed(error) => Ended::Target(error),
            Unwritten::Stopped => Ended::Stopped,
        }
    }
}

/// The refusal of what cannot be while a switch is under way.
pub(crate) fn under_way(phase: Phase) -> Ended {
    let (goes_on, gives_up) = match phase {
        Phase::Returning => ("keyfold migrate switch --back", "keyfold migrate switch"),
        Phase::Begin
        | Phase::Copy
        | Phase::Follow
        | Phase::Closing
        | Phase::Lead
        | Phase::Complete => ("keyfold migrate switch", "keyfold migrate switch --back"),
    };
    Ended::Target(ClientError::refused(format!(
        "a switch is under way, and nobody can write: `{goes_on}` goes on with it, `{gives_up}` gives it up"
    )))
}

/// A migration of a database into the tables of a model.
pub struct Migration<'a, 'm> {
    pub(crate) mapping: &'a Mapping<'m>,
    pub(crate) source: &'a mut dyn Source,
    pub(crate) backend: &'a Backend,
    pub(crate) progress: &'a Progress,
    pub(crate) sizes: Sizes,
    /// Where the log is to be read from next, as it is stored.
    place: Option<String>,
    /// Whether programs may come to write to the tables, and how.
    pub(crate) tables: Option<&'a Tables>,
    /// What changes while a switch compares rows and items.
    pub(crate) changed: Option<Changed>,
    /// When it was looked how much of its log the database keeps.
    looked: Option<Moment>,
}

/// How much is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The rows of a page of the copy.
    pub rows: usize,
    /// The changes of a table.
    pub changes: usize,
    /// The items that change while a switch compares, until they are compared again.
    pub changed: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            rows: ROWS_MAX,
            changes: CHANGES_MAX,
            changed: CHANGED_MAX,
        }
    }
}

impl<'a, 'm> Migration<'a, 'm> {
    /// A migration that can be run.
    pub fn new(
        mapping: &'a Mapping<'m>,
        source: &'a mut dyn Source,
        backend: &'a Backend,
        progress: &'a Progress,
    ) -> Migration<'a, 'm> {
        Migration {
            mapping,
            source,
            backend,
            progress,
            sizes: Sizes::default(),
            place: None,
            tables: None,
            changed: None,
            looked: None,
        }
    }

    /// Says how the tables take writes of programs, or refuse them: a migration that is switched needs it.
    #[must_use]
    pub fn with_tables(mut self, tables: &'a Tables) -> Migration<'a, 'm> {
        self.tables = Some(tables);
        self
    }

    /// Reads other amounts at once.
    #[must_use]
    pub fn with_sizes(mut self, sizes: Sizes) -> Migration<'a, 'm> {
        self.sizes = sizes;
        self
    }

    pub(crate) fn states(&self) -> States<'_> {
        States {
            backend: self.backend,
            model: &self.mapping.model.name,
        }
    }

    /// How far it is; `None` when it was not begun.
    ///
    /// # Errors
    /// The target's.
    pub fn state(&self) -> Result<Option<State>, ClientError> {
        self.states().read()
    }

    /// Runs until everything is carried, if `once`, and otherwise until it is asked to stop.
    pub fn run(&mut self, once: bool) -> Ended {
        match self.carry(once) {
            Ok(ended) | Err(ended) => ended,
        }
    }

    fn carry(&mut self, once: bool) -> Result<Ended, Ended> {
        self.asked(|source| source.claim())?;
        let mut state = self.take()?;
        match state.phase {
            Phase::Closing | Phase::Returning => return Err(under_way(state.phase)),
            Phase::Lead => return self.reverse(&state, once),
            Phase::Follow => self.reopen(&state)?,
            Phase::Begin | Phase::Copy | Phase::Complete => {}
        }
        if state.phase == Phase::Copy {
            self.copy(&mut state)?;
        }
        self.progress.follow();
        self.follow(&state, once)
    }

    /// Stores how far it is, and where the log is read from next.
    pub(crate) fn save(&mut self, state: &State) -> Result<(), Ended> {
        self.place = self.source.place();
        let state = State {
            place: self.place.clone().or_else(|| state.place.clone()),
            carried: self.carried(state),
            ..state.clone()
        };
        match self.states().write(&state, Some(state.fence))? {
            true => Ok(()),
            false => Err(Ended::Overtaken),
        }
    }

    /// Writes what rows say that are durable in the source.
    pub(crate) fn write(&mut self, wishes: Vec<Wish>) -> Result<(), Ended> {
        if !wishes.is_empty() {
            self.asked(|source| source.settle())?;
        }
        apply(self.backend, self.mapping, self.progress, wishes)?;
        Ok(())
    }

    /// Asks the source, and again as long as it is locked or away.
    pub(crate) fn asked<T>(
        &mut self,
        ask: impl Fn(&mut dyn Source) -> Result<T, SourceError>,
    ) -> Result<T, SourceError> {
        let mut tries = 0;
        loop {
            match ask(self.source) {
                Err(error) if self.waits(&error, &mut tries) => {}
                answer => return answer,
            }
        }
    }

    /// Waits for a source that is locked or away: whether it is to be asked again.
    pub(crate) fn waits(&self, error: &SourceError, tries: &mut u32) -> bool {
        *tries += 1;
        if !error.may_pass || *tries > SOURCE_TRIES || self.progress.is_stopping() {
            return false;
        }
        world::pause(Duration::from_millis(u64::from((*tries).min(10)) * 100));
        true
    }

    fn follow(&mut self, state: &State, once: bool) -> Result<Ended, Ended> {
        let mut noted = Moment::now();
        loop {
            if self.progress.is_stopping() {
                return Ok(Ended::Stopped);
            }
            self.look_at_log();
            let carried = self.carry_some(state, usize::MAX)?;
            if once && carried == 0 {
                self.save(state)?;
                return Ok(Ended::Caught);
            }
            if noted.elapsed() > NOTE {
                noted = Moment::now();
                self.save(state)?;
            }
            if carried == 0 {
                world::pause(IDLE);
            }
        }
    }

    /// Looks once a minute whether the database may soon throw away changes that are not carried. Whether it answers is
    /// seen when they are read.
    pub(crate) fn look_at_log(&mut self) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return;
        }
        self.looked = Some(Moment::now());
        if let Ok(Some(log)) = self.source.kept_log()
            && log.is_short()
        {
            self.progress.note_short_log(log);
        }
    }

    /// Up to when every change is carried, to be noted now.
    pub(crate) fn carried(&self, state: &State) -> Option<Carried> {
        let up_to = self.progress.carried_ms();
        let noted = up_to.map(|up_to_ms| Carried {
            up_to_ms,
            noted_ms: world::epoch_ms(),
        });
        noted.or(state.carried)
    }

    /// Carries all changes that there are of the first entities: how many.
    pub(crate) fn carry_all(&mut self, state: &State, entities: usize) -> Result<usize, Ended> {
        let mut all = 0;
        loop {
            match self.carry_some(state, entities)? {
                0 => return Ok(all),
                some => all += some,
            }
        }
    }

    /// Carries some of the changes, as they touch the first entities, and forgets them: how many. Rows that are
    /// read are those of now, and may rest on rows whose changes are not among them; then more are read.
    pub(crate) fn carry_some(&mut self, state: &State, entities: usize) -> Result<usize, Ended> {
        Ok(self.carry_once(state, entities)?.0)
    }

    /// As [`Migration::carry_some`], with whether there were more.
    pub(crate) fn carry_once(
        &mut self,
        state: &State,
        entities: usize,
    ) -> Result<(usize, bool), Ended> {
        let (mut most, mut tries) = (self.sizes.changes, 0);
        loop {
            let began_ms = world::epoch_ms();
            let read = self.read_changes(most, entities)?;
            let (change, count) = (read.change, read.count);
            let is_all = entities == usize::MAX && !change.has_more;
            if count == 0 {
                if is_all {
                    self.progress.carried_up_to(began_ms);
                }
                return Ok((0, false));
            }
            self.check_mine(state)?;
            let carried = match read.names.is_empty() {
                true => self.write(read.wishes),
                false => self.carry_many(state, read.names),
            };
            match carried {
                // What rows rest on may have changed behind the changes that were read: they are read again, with
                // those that came meanwhile.
                Err(Ended::Problem(_)) if change.has_more || tries < PROBLEM_TRIES => {
                    tries += 1;
                    most = most.saturating_mul(4);
                    world::pause(IDLE * tries.min(10));
                    continue;
                }
                other => other?,
            }
            let watched = &self.mapping.watched;
            self.asked(|source| source.forget(watched, &change))?;
            if is_all {
                self.progress.carried_up_to(began_ms);
            }
            self.keep_place(state)?;
            self.progress.add_changes(count);
            return Ok((count, change.has_more));
        }
    }

    /// Stores where the log is read from next, if the source does not keep it and it is another place: whether
    /// it did.
    pub(crate) fn keep_place(&mut self, state: &State) -> Result<bool, Ended> {
        let place = self.source.place();
        let is_other = place.is_some() && place != self.place;
        if is_other {
            self.save(state)?;
        }
        Ok(is_other)
    }

    /// Whether this run has the migration still.
    pub(crate) fn check_mine(&self, state: &State) -> Result<(), Ended> {
        match self.states().read()? {
            Some(now) if now.fence == state.fence => Ok(()),
            Some(_) | None => Err(Ended::Overtaken),
        }
    }

    /// Changes, and what the entities that they touch are in the same snapshot. A snapshot that ends before its
    /// time, with the connection or the server, is begun again.
    fn read_changes(&mut self, most: usize, entities: usize) -> Result<Changes, Ended> {
        let mut tries = 0;
        loop {
            let read = self.read_once(most, entities);
            match read {
                Err(Ended::Source(error)) if self.waits(&error, &mut tries) => {}
                read => return read,
            }
        }
    }

    fn read_once(&mut self, most: usize, entities: usize) -> Result<Changes, Ended> {
        self.source.check_same()?;
        self.source.check_watch(&self.mapping.watched)?;
        self.source.hold()?;
        let read = self.within_snapshot(most, entities);
        let released = self.source.release();
        let read = read?;
        released?;
        Ok(read)
    }

    fn within_snapshot(&mut self, most: usize, entities: usize) -> Result<Changes, Ended> {
        let (mut change, mut names) = self.named_changes(most, entities)?;
        let count = std::mem::take(&mut change.touched).len();
        let wishes = match names.len() > TOGETHER_MAX {
            true => Vec::new(),
            false => self.wishes_named(&std::mem::take(&mut names))?,
        };
        Ok(Changes {
            change,
            count,
            wishes,
            names,
        })
    }

    /// Changes, and the entities that they name, within a snapshot. They are noted where a switch compares.
    pub(crate) fn named_changes(
        &mut self,
        most: usize,
        entities: usize,
    ) -> Result<(Change, Vec<Name>), Ended> {
        let mapping = self.mapping;
        let change = self.source.changes(&mapping.watched, most)?;
        let mut names: Vec<Name> = Vec::new();
        for (at, mapped) in mapping.entities.iter().enumerate().take(entities) {
            let touched = self.touched(mapped, &change)?;
            names.extend(touched.into_iter().map(|identity| (at, identity)));
        }
        if let Some(changed) = &mut self.changed {
            changed.add(mapping, &names);
        }
        Ok((change, names))
    }

    /// What the entities with some names are, of which those of each mapping stand together.
    pub(crate) fn wishes_named(&mut self, names: &[Name]) -> Result<Vec<Wish>, Ended> {
        let mapping = self.mapping;
        let mut wishes = Vec::new();
        for own in names.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((at, mapped)) = own
                .first()
                .and_then(|(at, _)| Some((*at, mapping.entities.get(*at)?)))
            else {
                continue;
            };
            let identities: Vec<Vec<Cell>> = own.iter().map(|(_, one)| one.clone()).collect();
            let from = wishes.len();
            for some in identities.chunks(IDENTITIES_MAX) {
                self.wishes((at, mapped), some, &mut wishes)?;
            }
            one_of_each(mapped, &mut wishes, from)?;
        }
        Ok(wishes)
    }

    /// The identities of the entities that changes touch, each once.
    fn touched(&mut self, mapped: &Mapped<'m>, change: &Change) -> Result<Vec<Vec<Cell>>, Ended> {
        let mut seen = BTreeSet::new();
        let mut touched = Vec::new();
        let mut add = |cells: Vec<Cell>| {
            if seen.insert(format!("{cells:?}")) {
                touched.push(cells);
            }
        };
        let mut asked = BTreeSet::new();
        for depends in &mapped.depends {
            for one in change
                .touched
                .iter()
                .filter(|one| one.table == depends.watched)
            {
                let cells = depends.columns.iter().map(|at| one.cells.get(*at).cloned());
                let Some(cells) = cells.collect::<Option<Vec<Cell>>>() else {
                    continue;
                };
                match &depends.sql {
                    None => add(cells),
                    Some(sql) if asked.insert((sql, format!("{cells:?}"))) => {
                        let found = self.source.query(sql, &cells)?;
                        found.into_iter().for_each(&mut add);
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(touched)
    }

    /// The rows of some identities.
    pub(crate) fn rows_of(
        &mut self,
        mapped: &Mapped<'m>,
        identities: &[Vec<Cell>],
    ) -> Result<Vec<Vec<Cell>>, SourceError> {
        let (sql, arguments) = mapped.statements.of_identities(self.source, identities);
        let rows = self.source.query(&sql, &arguments)?;
        self.progress.add_read(rows.len());
        Ok(rows)
    }

    /// What the entities with some identities are.
    fn wishes(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        identities: &[Vec<Cell>],
        wishes: &mut Vec<Wish>,
    ) -> Result<(), Ended> {
        // One query answers a row once, so what it answers twice is two rows.
        let mut there = BTreeSet::new();
        for row in &self.rows_of(mapped, identities)? {
            let wish = Wish::of(at, mapped, row)?;
            if !there.insert(format!("{:?}", wish.key)) {
                return Err(Ended::Problem(mapped.doubled(&wish.row)));
            }
            wishes.push(wish);
        }
        for identity in identities {
            // A row whose identity no item can have made none.
            let Ok(key) = mapped.key(identity) else {
                continue;
            };
            wishes.push(Wish {
                mapped: at,
                row: identity.clone(),
                key,
                values: None,
                stored: None,
                is_new: false,
            });
        }
        Ok(())
    }
}

/// Leaves one wish for each item among those behind a place: what a row makes is there, whatever other row that
/// made it is gone.
fn one_of_each(mapped: &Mapped<'_>, wishes: &mut Vec<Wish>, from: usize) -> Result<(), Problem> {
    let mut own = wishes.split_off(from);
    own.sort_by_key(|wish| wish.values.is_none());
    let mut of_key: BTreeMap<String, usize> = BTreeMap::new();
    for wish in own {
        let place = of_key
            .entry(format!("{:?}", wish.key))
            .or_insert(wishes.len());
        match wishes.get(*place) {
            None => wishes.push(wish),
            Some(there) if wish.values.is_none() || there.values == wish.values => {}
            Some(_) => return Err(mapped.doubled(&wish.row)),
        }
    }
    Ok(())
}
