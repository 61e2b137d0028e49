//! Who leads becomes the other side. The row of the migration says it: between two notes nobody writes, and a switch
//! that is killed anywhere goes on with the same call, or is given up by the other one.
//!
//! ```text
//! follow ── the tables refuse writes ── compare all ── note `closing` ── both sides refuse ── carry what is left ──▶
//!        ── compare what changed ── note where the streams are ── note `lead` ── the tables take writes
//! lead ── compare all ── note `returning` ── both sides refuse ── carry what is left ── compare what changed ──▶
//!      ── pass over the own changes ── note `follow` ── the database takes writes
//! ```
//!
//! What was compared is known to the process alone. A switch that was killed while nobody could write lets the side
//! write again that led, and begins anew.

use super::reverse::{FEW, Follower};
use super::rows::leading;
use super::sides::Tables;
use crate::run::{Ended, Migration};
use crate::source::Tip;
use crate::state::{Phase, State, States};
use crate::taking::refused;
use crate::verify::Verified;
use crate::world::{self, Moment};
use keyfold_client::ClientError;
use std::time::Duration;

/// Which way a switch goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The tables come to lead.
    Forth,
    /// The database does again.
    Back,
}

/// What a switch was.
#[derive(Debug, Clone)]
pub enum Turned {
    /// The other side leads; for how long nobody could write, if this call began it.
    Done(Option<Duration>),
    /// It did already.
    Already,
    /// A switch of the other direction was under way, and is given up.
    GivenUp,
    /// Rows and items differ: who led leads still.
    Differs(Box<Verified>),
}

/// Whether the migration is as a run has noted it.
fn is_mine(states: &States<'_>, state: &State) -> Result<(), ClientError> {
    match states.read()? {
        Some(now) if now.fence == state.fence && now.phase == state.phase => Ok(()),
        Some(_) | None => Err(ClientError::refused(
            "another run of this migration has begun, and this one changes nothing more",
        )),
    }
}

/// Whether a switch cannot go on before a program mends what a row or an item holds: nobody could, while both sides
/// refuse writes.
fn is_of_data(ended: &Ended) -> bool {
    match ended {
        Ended::Problem(_) => true,
        Ended::Target(error) => matches!(
            error,
            ClientError::Value(_)
                | ClientError::Invalid(_)
                | ClientError::Named { .. }
                | ClientError::Missing { .. }
                | ClientError::UnknownItem(_)
        ),
        Ended::Caught | Ended::Stopped | Ended::Overtaken | Ended::Source(_) => false,
    }
}

impl<'a, 'm> Migration<'a, 'm> {
    /// Lets the tables lead, or the database again. With `is_quick`, rows and items are not compared.
    ///
    /// # Errors
    /// Why it did not come to that. The same call goes on.
    pub fn switch(&mut self, way: Switch, is_quick: bool) -> Result<Turned, Ended> {
        let turned = self.turned(way, is_quick);
        self.changed = None;
        turned
    }

    fn turned(&mut self, way: Switch, is_quick: bool) -> Result<Turned, Ended> {
        self.asked(|source| source.claim())?;
        leading(self.source)?;
        let Some(seen) = self.states().read()? else {
            return Err(refused(
                "there is no migration: `keyfold migrate run` first",
            ));
        };
        if matches!(seen.phase, Phase::Begin | Phase::Copy) {
            return Err(refused(
                "not every row is copied yet: `keyfold migrate run` first",
            ));
        }
        match (way, seen.phase) {
            (Switch::Forth, Phase::Follow) => self.prepare()?,
            (Switch::Forth | Switch::Back, _) => {}
        }
        let mut state = self.take()?;
        match (way, state.phase) {
            (Switch::Forth, Phase::Closing) if is_quick => {
                // The tables first: a program that the database refuses may try them at once.
                self.close_tables(&state)?;
                self.closed(&mut state, true, &[])
            }
            (Switch::Forth, Phase::Closing) => {
                self.give_up(&mut state)?;
                self.forth(&mut state, false)
            }
            (Switch::Forth, Phase::Follow) => {
                self.reopen(&state)?;
                self.forth(&mut state, is_quick)
            }
            (Switch::Forth, Phase::Lead) => {
                leading(self.source)?.take((&state.id, state.fence))?;
                self.admit_tables(&state)?;
                Ok(Turned::Already)
            }
            (Switch::Forth, Phase::Returning) => {
                leading(self.source)?.take((&state.id, state.fence))?;
                self.lead(&mut state, false)?;
                Ok(Turned::GivenUp)
            }
            (Switch::Back, Phase::Returning) if is_quick => {
                let mut follower = self.follower()?;
                self.returned(&mut state, true, &mut follower)
            }
            (Switch::Back, Phase::Returning) => {
                leading(self.source)?.take((&state.id, state.fence))?;
                self.lead(&mut state, false)?;
                self.back(&mut state, false)
            }
            (Switch::Back, Phase::Lead) => {
                leading(self.source)?.take((&state.id, state.fence))?;
                self.admit_tables(&state)?;
                self.back(&mut state, is_quick)
            }
            (Switch::Back, Phase::Follow) => {
                self.reopen(&state)?;
                Ok(Turned::Already)
            }
            (Switch::Back, Phase::Closing) => {
                self.give_up(&mut state)?;
                Ok(Turned::GivenUp)
            }
            (_, Phase::Begin | Phase::Copy | Phase::Complete) => {
                Err(refused("this migration cannot be switched"))
            }
        }
    }

    /// Comes to where nobody writes, while the database leads.
    fn forth(&mut self, state: &mut State, is_quick: bool) -> Result<Turned, Ended> {
        self.carry_most(state)?;
        // What the streams hold of before takes its time, in which programs still write.
        let near = self.ends(&[])?;
        state.closed = true;
        self.save(state)?;
        // The tables first: a program that the database refuses may try them at once.
        self.close_tables(state)?;
        if !is_quick && let Some(found) = self.compare_open(state, None)? {
            return Ok(Turned::Differs(found));
        }
        let near = self.ends(&near)?;
        self.carry_most(state)?;
        self.note(state, Phase::Closing)?;
        self.closed(state, is_quick, &near)
    }

    /// Comes to where nobody writes, while the tables lead.
    fn back(&mut self, state: &mut State, is_quick: bool) -> Result<Turned, Ended> {
        let mut follower = self.follower()?;
        self.progress.lead();
        self.follow_there(state, &mut follower)?;
        if !is_quick {
            self.pass_over(state)?;
            if let Some(found) = self.compare_open(state, Some(&mut follower))? {
                return Ok(Turned::Differs(found));
            }
        }
        self.note(state, Phase::Returning)?;
        self.returned(state, is_quick, &mut follower)
    }

    /// Carries changes until few are left, or as many have come meanwhile as were carried: the rest is carried when
    /// nobody can write. What a run has left is carried before, however much it is.
    fn carry_most(&mut self, state: &State) -> Result<(), Ended> {
        let mut least = usize::MAX;
        loop {
            let carried = self.carry_there(state)?;
            if carried <= FEW || carried >= least {
                return Ok(());
            }
            least = carried;
        }
    }

    /// Carries the changes that are there, with those that come before their end is met: how many.
    pub(super) fn carry_there(&mut self, state: &State) -> Result<usize, Ended> {
        let mut all = 0;
        loop {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            let (some, has_more) = self.carry_once(state, usize::MAX)?;
            all += some;
            if some == 0 || !has_more {
                return Ok(all);
            }
        }
    }

    fn sides(&self) -> Result<&Tables, Ended> {
        self.tables
            .ok_or_else(|| refused("nothing says how the tables refuse writes"))
    }

    /// Looks whether the switch can come to its end, before anything changes. Streams are switched on.
    fn prepare(&mut self) -> Result<(), Ended> {
        self.ways()?;
        let watched = &self.mapping.watched;
        self.asked(|source| leading(source)?.may_lead(watched))?;
        let (model, name) = (self.mapping.model, self.source.name());
        let switched = self.sides()?.prepare(model, &name)?;
        if switched.is_empty() {
            return Ok(());
        }
        let Some(seen) = self.states().read()? else {
            return Ok(());
        };
        let fence = seen.fence;
        let mut streams = seen.streams.clone();
        streams.extend(switched);
        let next = State {
            fence: fence + 1,
            streams,
            ..seen
        };
        self.stored(&next, Some(fence))
    }

    /// Notes a phase of the migration that this run has.
    fn note(&mut self, state: &mut State, phase: Phase) -> Result<(), Ended> {
        state.phase = phase;
        self.save(state)
    }

    /// Lets the database refuse writes, while this run has the migration.
    pub(crate) fn close_rows(&mut self, state: &State) -> Result<(), Ended> {
        let (watched, instead) = (&self.mapping.watched, self.sides()?.connection.clone());
        let of = (state.id.as_str(), state.fence);
        Ok(self.asked(|source| leading(source)?.close(watched, of, &instead))?)
    }

    /// Lets the tables refuse writes of programs, while this run has the migration.
    fn close_tables(&self, state: &State) -> Result<(), Ended> {
        let (model, name) = (self.mapping.model, self.source.name());
        let states = self.states();
        let due = || is_mine(&states, state);
        Ok(self.sides()?.refuse(model, (&name, state.fence), &due)?)
    }

    /// Goes on from the note that nobody writes, before the tables lead.
    fn closed(&mut self, state: &mut State, is_quick: bool, near: &[Tip]) -> Result<Turned, Ended> {
        let began = Moment::now();
        self.progress.close();
        self.close_rows(state)?;
        let carried = self.carry_all(state, usize::MAX).map(|_| ());
        if let Some(turned) = self.compared(state, carried, is_quick, Self::give_up)? {
            return Ok(turned);
        }
        let tips = self.ends(near)?;
        let of = (state.id.clone(), state.fence);
        if !leading(self.source)?.begin((&of.0, of.1))? {
            return Err(Ended::Overtaken);
        }
        leading(self.source)?.commit(&tips)?;
        self.progress.carried_up_to(world::epoch_ms());
        self.lead(state, true)?;
        Ok(Turned::Done(Some(began.elapsed())))
    }

    /// Notes that the tables lead, and lets them take writes.
    fn lead(&mut self, state: &mut State, is_turn: bool) -> Result<(), Ended> {
        state.turns += u64::from(is_turn);
        self.note(state, Phase::Lead)?;
        self.admit_tables(state)
    }

    /// Lets the tables take writes, which lead.
    pub(crate) fn admit_tables(&mut self, state: &State) -> Result<(), Ended> {
        let states = self.states();
        let due = || is_mine(&states, state);
        Ok(self.sides()?.admit(self.mapping.model, &due)?)
    }

    /// Goes on from the note that nobody writes, before the database leads again.
    fn returned(
        &mut self,
        state: &mut State,
        is_quick: bool,
        follower: &mut Follower<'a, 'm>,
    ) -> Result<Turned, Ended> {
        let began = Moment::now();
        self.progress.close();
        self.close_rows(state)?;
        self.close_tables(state)?;
        let carried = self.drain(state, follower);
        let carried = carried.and_then(|()| self.note_rows(state));
        let stay = |run: &mut Self, state: &mut State| run.lead(state, false);
        if let Some(turned) = self.compared(state, carried, is_quick, stay)? {
            return Ok(turned);
        }
        self.pass_over(state)?;
        self.progress.carried_up_to(world::epoch_ms());
        self.note(state, Phase::Follow)?;
        self.reopen(state)?;
        Ok(Turned::Done(Some(began.elapsed())))
    }

    /// Lets the database lead again, whose switch is given up. The tables go on refusing writes: a program that looks
    /// for the side that leads might try them just now.
    fn give_up(&mut self, state: &mut State) -> Result<(), Ended> {
        self.note(state, Phase::Follow)?;
        self.reopen(state)
    }

    /// Lets the database take writes, which leads.
    pub(crate) fn reopen(&mut self, state: &State) -> Result<(), Ended> {
        let of = (state.id.as_str(), state.fence);
        if self.source.lead().is_none() {
            return Ok(());
        }
        if self.asked(|source| leading(source)?.noted())?.is_some() {
            leading(self.source)?.take(of)?;
            self.asked(|source| leading(source)?.open(of))?;
        }
        Ok(())
    }

    /// Compares the sides when what was left is carried. Where they differ, or hold what cannot be carried, who led
    /// leads still, by `stay`: `None` where the switch goes on.
    fn compared(
        &mut self,
        state: &mut State,
        carried: Result<(), Ended>,
        is_quick: bool,
        stay: impl FnOnce(&mut Self, &mut State) -> Result<(), Ended>,
    ) -> Result<Option<Turned>, Ended> {
        let found = carried.and_then(|()| match is_quick {
            true => Ok(None),
            false => self.compare_closed(state),
        });
        match found {
            Ok(None) => Ok(None),
            Ok(Some(found)) => {
                stay(self, state)?;
                Ok(Some(Turned::Differs(found)))
            }
            Err(ended) => {
                if is_of_data(&ended) {
                    stay(self, state)?;
                }
                Err(ended)
            }
        }
    }

    /// Takes away what switches have left at the tables of a migration that is complete.
    pub(crate) fn let_go(&self, state: &State) -> Result<(), Ended> {
        match self.tables {
            Some(tables) => Ok(tables.let_go(self.mapping.model, state)?),
            None => Ok(()),
        }
    }
}
