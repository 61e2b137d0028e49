//! A migration is begun, taken by a run, and ended. It has a name of its own, which stands in the database and
//! beside the tables: so a database whose changes another migration waits for is not taken from it, and a
//! migration that is over is not begun anew by mistake.

use crate::lead::sides::Tables;
use crate::mapping::Mapping;
use crate::run::{Ended, Migration, under_way};
use crate::source::{Noted, Source, SourceError};
use crate::state::{Phase, State, States};
use crate::world;
use keyfold_client::{Backend, ClientError};
use keyfold_model::Model;
use sha2::{Digest, Sha256};

impl Mapping<'_> {
    /// What stands for everything that rows become: another one needs that all rows are read again.
    fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for mapped in &self.entities {
            let name = &mapped.entity.name;
            hash.update(format!("{name} {:?}\n", mapped.statements));
            for one in &mapped.filled {
                let (name, kind) = (&one.attribute.name, &one.attribute.kind);
                hash.update(format!("{name} {kind:?} {}\n", one.sql));
            }
        }
        hash.update(format!("{:?}", self.watched));
        let bytes = hash.finalize();
        bytes
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

pub(crate) fn refused(message: impl Into<String>) -> Ended {
    Ended::Target(ClientError::refused(message.into()))
}

/// The refusal of a database that keeps its changes for another migration.
fn foreign(source: &dyn Source) -> Ended {
    refused(format!(
        "{} is being migrated to other tables, which wait for its changes: a database has one migration at a time; end \
         that one with `keyfold migrate complete` or `abort`, and its own --at",
        source.name()
    ))
}

impl<'m> Migration<'_, 'm> {
    /// Takes the migration, and sees to it that changes are kept, from the place on that is noted.
    pub(crate) fn take(&mut self) -> Result<State, Ended> {
        self.taken(true)
    }

    /// As [`Migration::take`], where everything is compared and no change need be known: also of an older copy of the
    /// database.
    pub(crate) fn take_anew(&mut self) -> Result<State, Ended> {
        self.taken(false)
    }

    /// Looks whether a run may take the migration, before it makes anything.
    ///
    /// # Errors
    /// Why it may not.
    pub fn may_run(&mut self) -> Result<(), Ended> {
        self.asked(|source| source.claim())?;
        self.due(true).map(drop)
    }

    /// What a run notes when it takes the migration, and the fence that it has seen.
    fn due(&mut self, goes_on: bool) -> Result<(State, Option<u64>), Ended> {
        let (mapping, source, states) = (self.mapping.digest(), self.source.name(), self.states());
        let model = &self.mapping.model.name;
        let (state, seen) = match states.read()? {
            None => {
                let filled = self.mapping.optional_columns();
                let first = State::first(source, mapping);
                (State { filled, ..first }, None)
            }
            Some(seen) if seen.phase == Phase::Complete => {
                return Err(refused(format!(
                    "the migration of {model} is complete, and a new one would write rows over what its tables hold \
                     now: `keyfold migrate abort` forgets it",
                )));
            }
            Some(seen) if seen.source != source => {
                return Err(refused(format!(
                    "{model} is being migrated from {}: end that migration first",
                    seen.source
                )));
            }
            Some(seen) if seen.mapping != mapping => {
                let lost = self.mapping.lost(&seen);
                let lost = lost.first().map(|one| format!(" ({})", one.message));
                return Err(refused(format!(
                    "the `from` lines of {model} or the columns that they name are not those with which the migration \
                     began{}, so rows were read that are other items now: `keyfold migrate abort`, begin again, and \
                     `keyfold migrate verify --mend` at the end",
                    lost.unwrap_or_default()
                )));
            }
            Some(seen) => {
                let fence = seen.fence;
                (self.next_of(seen, goes_on)?, Some(fence))
            }
        };
        self.check_owner(&state, goes_on)?;
        Ok((state, seen))
    }

    fn taken(&mut self, goes_on: bool) -> Result<State, Ended> {
        self.states().ensure()?;
        let (mut state, seen) = self.due(goes_on)?;
        self.stored(&state, seen)?;
        // The tables know of the migration before the database does: changes that are kept for a migration of
        // which no tables know are none of a run that died in between.
        let watched = &self.mapping.watched;
        if state.phase == Phase::Begin {
            let id = &state.id;
            // What was written before is read with the rows.
            self.progress.carried_up_to(world::epoch_ms());
            self.asked(|source| source.watch(watched, id))?;
            state.place = self.source.place();
            state.carried = self.carried(&state);
            let fence = state.fence;
            state.phase = Phase::Copy;
            self.stored(&state, Some(fence))?;
        } else {
            if let Some(carried) = state.carried {
                self.progress.carried_up_to(carried.up_to_ms);
            }
            if let Some(place) = state.place.as_ref().filter(|_| goes_on) {
                self.asked(|source| source.resume(place))?;
            }
            match goes_on {
                true => self.keep_watch(&state)?,
                false => drop(self.watched_anew(&state)?),
            }
        }
        Ok(state)
    }

    /// What a run notes that goes on from a place, or compares everything. An older copy of the database is one until
    /// its rows are right.
    fn next_of(&mut self, seen: State, goes_on: bool) -> Result<State, Ended> {
        let behind = match &seen.place {
            Some(place) if !goes_on => self.asked(|source| source.behind(place))?,
            Some(_) | None => None,
        };
        Ok(State {
            fence: seen.fence + 1,
            place: behind.or(seen.place.clone()),
            ..seen
        })
    }

    /// Checks that the database knows of no other migration, and while the tables lead, that it knows of this one.
    fn check_owner(&mut self, state: &State, goes_on: bool) -> Result<(), Ended> {
        let owner = self.asked(|source| source.watched_by())?;
        if owner.as_ref().is_some_and(|id| *id != state.id) {
            return Err(foreign(self.source));
        }
        let noted = self.asked(|source| source.lead().map_or(Ok(None), |lead| lead.noted()))?;
        match noted {
            // A database that keeps no changes itself notes nevertheless that it does not lead.
            Some(noted) if noted.id != state.id => {
                Err(leading_elsewhere(self.source, noted.place.as_deref()))
            }
            None if owner.is_none() && goes_on && state.phase == Phase::Lead => {
                Err(given_up_there(self.source))
            }
            Some(_) | None => Ok(()),
        }
    }

    pub(crate) fn stored(&self, state: &State, seen: Option<u64>) -> Result<(), Ended> {
        match self.states().write(state, seen)? {
            true => Ok(()),
            false => Err(Ended::Overtaken),
        }
    }

    /// Ends the migration, of which everything is carried: the source keeps no changes any more, and a later run
    /// is refused.
    ///
    /// # Errors
    /// When either side refuses it; it may be asked for again.
    pub fn complete(&mut self) -> Result<(), Ended> {
        self.asked(|source| source.claim())?;
        let Some(seen) = self.states().read()? else {
            return Err(refused("there is no migration"));
        };
        if matches!(seen.phase, Phase::Closing | Phase::Returning) {
            return Err(under_way(seen.phase));
        }
        let owner = self.asked(|source| source.watched_by())?;
        if owner.is_some_and(|id| id != seen.id) {
            return Err(foreign(self.source));
        }
        let noted = self.asked(|source| noted_elsewhere(source, Some(&seen)))?;
        if let Some(noted) = noted {
            return Err(leading_elsewhere(self.source, noted.place.as_deref()));
        }
        let fence = seen.fence;
        let done = State {
            fence: fence + 1,
            phase: Phase::Complete,
            ..seen
        };
        self.stored(&done, Some(fence))?;
        self.asked(|source| source.unwatch())?;
        self.let_go(&done)
    }
}

/// Whether a migration can be given up: while the tables lead, the database has not all that they hold.
///
/// # Errors
/// `Refused` when it cannot.
pub fn may_abort(state: &State) -> Result<(), Ended> {
    match state.phase {
        Phase::Lead | Phase::Returning => Err(refused(
            "the tables lead, and the database may not have all that they hold: `keyfold migrate switch --back` first, \
             or `complete`",
        )),
        Phase::Begin | Phase::Copy | Phase::Follow | Phase::Closing | Phase::Complete => Ok(()),
    }
}

/// Which migrations are given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abort {
    /// That of the tables alone.
    Own,
    /// Also one whose tables are gone: these know nothing of it.
    Foreign,
    /// Also one whose tables lead, elsewhere: what programs have written to them, and is not carried, is in no row.
    LosingWrites,
}

/// Gives a migration up: the source keeps no changes any more, and the target no state. What was written stays.
///
/// # Errors
/// When there is none, either side refuses it, the changes are kept for other tables, or other tables lead.
pub fn abort(
    source: &mut dyn Source,
    backend: &Backend,
    (model, tables): (&Model, Option<&Tables>),
    which: Abort,
) -> Result<(), Ended> {
    source.claim()?;
    let states = States {
        backend,
        model: &model.name,
    };
    let seen = states.read()?;
    if let Some(seen) = &seen {
        may_abort(seen)?;
    }
    let owner = source.watched_by()?;
    let is_own = |id: &String| seen.as_ref().is_some_and(|seen| seen.id == *id);
    let noted = noted_elsewhere(source, seen.as_ref())?;
    if seen.is_none() && owner.is_none() && noted.is_none() {
        return Err(refused(format!(
            "there is no migration of {} from {}: nothing is there to be given up",
            model.name,
            source.name()
        )));
    }
    if let Some(noted) = noted {
        // The same name may be another place: on another machine, in another folder, with other credentials.
        match which {
            Abort::LosingWrites => {}
            Abort::Own | Abort::Foreign => {
                return Err(leading_elsewhere(source, noted.place.as_deref()));
            }
        }
    }
    if owner.as_ref().is_some_and(|id| !is_own(id)) && which == Abort::Own {
        return Err(foreign_abort(source));
    }
    source.unwatch()?;
    if let (Some(seen), Some(tables)) = (&seen, tables) {
        tables.let_go(model, seen)?;
    }
    Ok(states.delete()?)
}

/// What the database notes, if it follows tables of another migration than that which is seen here.
fn noted_elsewhere(
    source: &mut dyn Source,
    seen: Option<&State>,
) -> Result<Option<Noted>, SourceError> {
    let Some(lead) = source.lead() else {
        return Ok(None);
    };
    let noted = lead.noted()?;
    Ok(noted.filter(|noted| seen.is_none_or(|seen| seen.id != noted.id)))
}

/// The refusal of a database that notes that other tables lead.
fn leading_elsewhere(source: &dyn Source, place: Option<&str>) -> Ended {
    let (tables, at) = match place {
        Some(place) => (format!("tables at {place} lead"), place),
        None => ("tables elsewhere lead".to_owned(), "their connection"),
    };
    Ended::Source(SourceError::lasting(format!(
        "{} notes that {tables}, or are about to: programs write there, and both sides would take writes. `keyfold migrate \
         switch --back` with --at {at} first, or `complete` there; if these tables are gone, `keyfold migrate abort \
         --foreign --lose-writes` lets the database take writes again, without what programs have written to them and \
         no run has carried",
        source.name()
    )))
}

/// The refusal of tables that lead, of which the database knows nothing any more.
fn given_up_there(source: &dyn Source) -> Ended {
    Ended::Source(SourceError::lasting(format!(
        "these tables lead, and {} notes nothing of it: somebody gave the migration up elsewhere, or put an older copy back, \
         and it may take writes of programs. `keyfold migrate verify --mend` closes it again and writes its rows as the \
         items say; after that `switch --back` and `complete` work as ever",
        source.name()
    )))
}

fn foreign_abort(source: &dyn Source) -> Ended {
    Ended::Source(SourceError::lasting(format!(
        "{} keeps its changes for a migration of which these tables know nothing: give it up with its own --at, or with \
         --foreign if its tables are gone",
        source.name()
    )))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use crate::Mapping;
    use crate::sqlite::Sqlite;

    const MODEL: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: int, v: string, w: string
  key \"A#{id}\" \"A\"
  from t join u on u.id = t.u where \"t.id > 3\" set id = t.id, v = t.v, w = u.w

pattern one(id) -> A
";

    /// A migration that was begun by another version of Keyfold goes on, and its tables may lead.
    #[test]
    fn a_mapping_is_known_by_what_it_was_known_by() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.db");
        let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER NOT NULL, v TEXT NOT NULL); \
                   CREATE TABLE u (id INTEGER PRIMARY KEY, w TEXT NOT NULL)";
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        let model = keyfold_model::compile(MODEL).model.unwrap();
        let mut source = Sqlite::open(&path).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        assert_eq!(mapping.digest(), "9a73bb153f020167d8d43a1396b7ebbd");
    }
}
