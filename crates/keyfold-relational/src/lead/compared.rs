//! Rows and items are compared before a switch lets nobody write: all of them, while programs write and what they write
//! is carried. What was carried since is compared again, and the last of it when nobody writes any more. So the side
//! that comes to lead is as it was compared, and writers wait for what changed last alone, however many rows there are.
//!
//! ```text
//! note what changes ── compare all, carry ── compare again what changed ──▶ nobody writes ── carry the rest ── compare it
//! ```
//!
//! It rests on this: an item that was found to be as its row says becomes another one by a change alone, and a change
//! names it. Of the rows, the log of the database tells them; while the tables lead, it tells what this run writes, and
//! what follows from that in the database. Of the items, the streams tell them, or this run has written them, because
//! the tables refuse writes of programs before all is compared.

use super::changed::Changed;
use super::reverse::{FEW, Follower};
use crate::run::{Ended, Migration};
use crate::source::Source;
use crate::state::State;
use crate::verify::{
    Again, Beside, Difference, LISTED_MAX, LOOK_PAUSE, LOOKS, Look, Verified, verify,
};
use crate::world;

/// What is carried while rows and items are compared.
enum Carries<'f, 'a, 'm> {
    /// The changes of the database.
    Rows,
    /// Those of the tables.
    Items(&'f mut Follower<'a, 'm>),
    /// Nothing: nobody writes.
    Nothing,
}

/// A run that compares.
struct Following<'f, 'r, 'a, 'm> {
    run: &'r mut Migration<'a, 'm>,
    state: &'r State,
    carries: Carries<'f, 'a, 'm>,
    /// Whether what changed is compared again just now.
    is_again: bool,
    /// What was found to differ where what changed was compared again in between.
    found: Option<Box<Verified>>,
}

impl Beside for Following<'_, '_, '_, '_> {
    type Error = Ended;

    fn source(&mut self) -> &mut dyn Source {
        self.run.source
    }

    fn follow(&mut self) -> Result<(), Ended> {
        self.carry()?;
        if self.changed() > self.run.sizes.changed && !self.is_again {
            let again = self.again()?;
            if again.verified.count > 0 && self.found.is_none() {
                self.found = Some(Box::new(again.verified));
            }
        }
        Ok(())
    }

    fn arrive(&mut self, is_first: bool) -> Result<(), Ended> {
        if !is_first {
            world::pause(LOOK_PAUSE);
        }
        self.carry()
    }

    fn is_due(&self, at: usize, digest: u128) -> bool {
        let changed = self.run.changed.as_ref();
        changed.is_some_and(|changed| changed.has(at, digest))
    }
}

impl Following<'_, '_, '_, '_> {
    /// Carries what is there.
    fn carry(&mut self) -> Result<(), Ended> {
        if self.run.progress.is_stopping() {
            return Err(Ended::Stopped);
        }
        match &mut self.carries {
            Carries::Rows => self.run.carry_there(self.state).map(drop),
            Carries::Items(follower) => {
                self.run.follow_there(self.state, follower)?;
                self.run.note_rows(self.state)
            }
            Carries::Nothing => Ok(()),
        }
    }

    /// How many items are to be compared again.
    fn changed(&self) -> usize {
        self.run.changed.as_ref().map_or(0, Changed::len)
    }

    /// Compares again what changed. What differs is to be compared once more.
    fn again(&mut self) -> Result<Again, Ended> {
        let names = self
            .run
            .changed
            .as_mut()
            .map_or_else(Vec::new, Changed::take);
        let (mapping, backend, progress) = (self.run.mapping, self.run.backend, self.run.progress);
        progress.add_compared(names.len());
        self.is_again = true;
        let again = Look::of(mapping, self, (backend, progress)).some(names);
        self.is_again = false;
        let again = again?;
        if let Some(changed) = &mut self.run.changed {
            for (at, one, _) in &again.differing {
                if let Some(mapped) = mapping.entities.get(*at) {
                    changed.add_one((*at, mapped), one.clone());
                }
            }
        }
        match progress.is_stopping() {
            true => Err(Ended::Stopped),
            false => Ok(again),
        }
    }
}

impl<'a, 'm> Migration<'a, 'm> {
    /// Compares everything while programs write, and carries what they write, until what changed meanwhile is little:
    /// what differs, if anything does.
    pub(super) fn compare_open(
        &mut self,
        state: &State,
        follower: Option<&mut Follower<'a, 'm>>,
    ) -> Result<Option<Box<Verified>>, Ended> {
        self.changed = Some(Changed::default());
        let (mapping, backend, progress) = (self.mapping, self.backend, self.progress);
        let mut following = Following {
            run: self,
            state,
            carries: follower.map_or(Carries::Rows, Carries::Items),
            is_again: false,
            found: None,
        };
        let (found, _) = Look::of(mapping, &mut following, (backend, progress)).all()?;
        if progress.is_stopping() {
            return Err(Ended::Stopped);
        }
        if found.count > 0 {
            return Ok(Some(Box::new(found)));
        }
        if let Some(found) = following.found.take() {
            return Ok(Some(found));
        }
        let mut least = usize::MAX;
        loop {
            following.carry()?;
            let changed = following.changed();
            // Where as many change as are compared, it does not become less.
            if changed <= FEW || changed >= least {
                return Ok(None);
            }
            least = changed;
            let again = following.again()?;
            if again.verified.count > 0 {
                return Ok(Some(Box::new(again.verified)));
            }
        }
    }

    /// Compares what changed since everything was compared, when nobody writes any more and all is carried: what
    /// differs, if anything does. Everything, if nothing was compared.
    pub(super) fn compare_closed(&mut self, state: &State) -> Result<Option<Box<Verified>>, Ended> {
        if self.changed.is_none() {
            let found = verify(self.mapping, self.source, self.backend, self.progress)?;
            return match (self.progress.is_stopping(), found.count) {
                (true, _) => Err(Ended::Stopped),
                (false, 0) => Ok(None),
                (false, _) => Ok(Some(Box::new(found))),
            };
        }
        let mapping = self.mapping;
        let mut following = Following {
            run: self,
            state,
            carries: Carries::Nothing,
            is_again: false,
            found: None,
        };
        let mut again = following.again()?;
        for _ in 0..LOOKS {
            if again.differing.is_empty() || again.verified.count > 0 {
                break;
            }
            world::pause(LOOK_PAUSE);
            again = following.again()?;
        }
        let mut found = again.verified;
        for (at, (identity, _), what) in again.differing {
            found.count += 1;
            if found.differences.len() < LISTED_MAX
                && let Some(mapped) = mapping.entities.get(at)
            {
                let row = mapped.named(&identity);
                found.differences.push(Difference { row, what });
            }
        }
        Ok((found.count > 0).then(|| Box::new(found)))
    }
}
