//! Changes of so many rows that what they hold is not held at once: their names are, and the rows are read and
//! written in windows. What a row is follows from what it holds now, so each window may be of a moment of its
//! own. An entity that waits for one of another window (its parent, a unique value) is tried again behind it.

use crate::apply::differing;
use crate::mapping::Mapping;
use crate::run::{Ended, Migration, Name, TOGETHER_MAX};
use crate::state::State;
use crate::wish::Wish;

impl Migration<'_, '_> {
    /// Carries entities with some names.
    pub(crate) fn carry_many(&mut self, state: &State, names: Vec<Name>) -> Result<(), Ended> {
        let mut left = names;
        loop {
            let before = left.len();
            let mut late = Vec::new();
            for window in windows(self.mapping, left) {
                if self.progress.is_stopping() {
                    return Err(Ended::Stopped);
                }
                self.check_mine(state)?;
                match self.carry_window(&window) {
                    Ok(()) => {}
                    Err(Ended::Problem(_)) => late.extend(self.unfulfilled(window)?),
                    Err(other) => return Err(other),
                }
            }
            if late.is_empty() {
                return Ok(());
            }
            if late.len() * 2 > before {
                // They wait for each other: unique values may change hands through all of them.
                return self.carry_window(&late);
            }
            left = late;
        }
    }

    fn carry_window(&mut self, names: &[Name]) -> Result<(), Ended> {
        let mut tries = 0;
        let wishes = loop {
            match self.read_window(names) {
                Err(Ended::Source(error)) if self.waits(&error, &mut tries) => {}
                read => break read?,
            }
        };
        self.write(wishes)
    }

    /// The names among some whose entities are not as their rows say.
    fn unfulfilled(&mut self, names: Vec<Name>) -> Result<Vec<Name>, Ended> {
        let wishes = match self.read_window(&names) {
            Ok(wishes) => wishes,
            // A row is no item: nothing is known of the others.
            Err(Ended::Problem(_)) => return Ok(names),
            Err(other) => return Err(other),
        };
        let left = differing(self.backend, self.mapping, self.progress, wishes)?;
        Ok(left
            .into_iter()
            .map(|wish| (wish.mapped, wish.row))
            .collect())
    }

    fn read_window(&mut self, names: &[Name]) -> Result<Vec<Wish>, Ended> {
        self.source.hold()?;
        let read = self.wishes_named(names);
        let released = self.source.release();
        let read = read?;
        released?;
        Ok(read)
    }
}

/// Names in pieces of about so many. Those that make one item are in one piece: one of their rows may be gone.
fn windows(mapping: &Mapping<'_>, names: Vec<Name>) -> Vec<Vec<Name>> {
    let key = |(at, identity): &Name| {
        let mapped = mapping.entities.get(*at);
        let key = mapped.and_then(|mapped| mapped.key(identity).ok());
        (*at, format!("{key:?}"))
    };
    let mut keyed: Vec<((usize, String), Name)> =
        names.into_iter().map(|name| (key(&name), name)).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut windows: Vec<Vec<Name>> = Vec::new();
    let mut last = None;
    for (key, name) in keyed {
        match windows.last_mut() {
            Some(window) if window.len() < TOGETHER_MAX || last.as_ref() == Some(&key) => {
                window.push(name);
            }
            Some(_) | None => windows.push(vec![name]),
        }
        last = Some(key);
    }
    windows
}
