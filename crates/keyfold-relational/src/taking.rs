//! A migration is begun, taken by a run, and ended. It has a name of its own, which stands in the database and
//! beside the tables: so a database whose changes another migration waits for is not taken from it, and a
//! migration that is over is not begun anew by mistake.

use crate::lead::sides::Tables;
use crate::mapping::Mapping;
use crate::run::{Ended, Migration, under_way};
use crate::source::{Source, SourceError};
use crate::state::{Phase, State, States};
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
    /// Takes the migration, and sees to it that changes are kept.
    pub(crate) fn take(&mut self) -> Result<State, Ended> {
        let (mapping, source, states) = (self.mapping.digest(), self.source.name(), self.states());
        let model = &self.mapping.model.name;
        states.ensure()?;
        let (mut state, seen) = match states.read()? {
            None => (State::first(source, mapping), None),
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
                return Err(refused(format!(
                    "the `from` lines of {model} or the columns that they name are not those with which the migration \
                     began, so rows were read that are other items now: `keyfold migrate abort`, begin again, and \
                     `keyfold migrate verify --mend` at the end",
                )));
            }
            Some(seen) => {
                let fence = seen.fence;
                let next = State {
                    fence: fence + 1,
                    ..seen
                };
                (next, Some(fence))
            }
        };
        match self.asked(|source| source.watched_by())? {
            Some(id) if id != state.id => return Err(foreign(self.source)),
            Some(_) | None => {}
        }
        self.stored(&state, seen)?;
        // The tables know of the migration before the database does: changes that are kept for a migration of
        // which no tables know are none of a run that died in between.
        let watched = &self.mapping.watched;
        if state.phase == Phase::Begin {
            let id = &state.id;
            self.asked(|source| source.watch(watched, id))?;
            state.place = self.source.place();
            let fence = state.fence;
            state.phase = Phase::Copy;
            self.stored(&state, Some(fence))?;
        } else {
            if let Some(place) = &state.place {
                self.asked(|source| source.resume(place))?;
            }
            self.keep_watch(&state)?;
        }
        Ok(state)
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

/// Gives a migration up: the source keeps no changes any more, and the target no state. What was written stays.
/// With `foreign`, also changes are dropped that are kept for tables that know nothing of them any more.
///
/// # Errors
/// When either side refuses it, or the changes are kept for other tables.
pub fn abort(
    source: &mut dyn Source,
    backend: &Backend,
    (model, tables): (&Model, Option<&Tables>),
    is_foreign: bool,
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
    if owner.as_ref().is_some_and(|id| !is_own(id)) && !is_foreign {
        return Err(foreign_abort(source));
    }
    source.unwatch()?;
    if let (Some(seen), Some(tables)) = (&seen, tables) {
        tables.let_go(model, seen)?;
    }
    Ok(states.delete()?)
}

fn foreign_abort(source: &dyn Source) -> Ended {
    Ended::Source(SourceError::lasting(format!(
        "{} keeps its changes for a migration of which these tables know nothing: give it up with its own --at, or with \
         --foreign if its tables are gone",
        source.name()
    )))
}
