//! The copy: every row is read once. While a page is written, the next one is read.

use crate::apply::{Unwritten, Wrote, apply};
use crate::cell::Cell;
use crate::convert::Problem;
use crate::doubles::{self, Made};
use crate::mapping::Mapped;
use crate::pages::{Cursor, Page};
use crate::run::{Ended, IDLE, Migration, PROBLEM_TRIES};
use crate::source::SourceError;
use crate::state::{Phase, State};
use crate::wish::Wish;
use crate::world;

/// Whether the rows of a page may be items.
enum Standing {
    Sound,
    /// A row has made one of their items that is another row now, or none: its change is carried first.
    Doubtful,
    Refused(Problem),
}

/// A page that was read ahead, if there is a next one.
type Ahead = Result<Option<Page>, SourceError>;

impl<'m> Migration<'_, 'm> {
    /// Copies the rows of all entities that are not copied yet.
    pub(crate) fn copy(&mut self, state: &mut State) -> Result<(), Ended> {
        let mapping = self.mapping;
        let mut entities = mapping.entities.iter();
        let begun = entities
            .position(|one| one.entity.name == state.entity)
            .unwrap_or(0);
        for (at, mapped) in mapping.entities.iter().enumerate().skip(begun) {
            if state.entity != mapped.entity.name {
                (state.entity, state.after) = (mapped.entity.name.clone(), None);
            }
            self.copy_entity((at, mapped), state)?;
            state.after = None;
        }
        state.phase = Phase::Follow;
        self.save(state)
    }

    fn copy_entity(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        state: &mut State,
    ) -> Result<(), Ended> {
        if state.after.is_none() {
            // A run that goes on from here knows that items of this entity may be there.
            self.save(state)?;
        }
        if mapped.may_double && state.after.is_some() {
            // A row that is gone may have made the item of a row that comes: its change is carried before that.
            self.carry_all(state, at + 1)?;
        }
        let mut made = self.made(mapped, state)?;
        let mut cursor = Cursor::behind(state.after.clone());
        let mut next = self.page(mapped, &mut cursor)?;
        while let Some(page) = next {
            if self.progress.is_stopping() {
                return Err(Ended::Stopped);
            }
            self.look_at_log();
            let copied = match self.standing(mapped, &page, made.as_ref())? {
                Standing::Sound => self.copied((at, mapped), &page.rows, &mut cursor).map(Some),
                Standing::Doubtful => Ok(None),
                Standing::Refused(problem) => Err(Ended::Problem(problem)),
            };
            let (page, ahead) = match copied {
                Ok(Some(ahead)) => (page, Some(ahead)),
                Ok(None) | Err(Ended::Problem(_)) => {
                    let page = self.copy_refused((at, mapped), state, made.as_ref())?;
                    (page, None)
                }
                Err(other) => return Err(other),
            };
            if let Some(made) = &mut made {
                made.add(mapped, &page.rows);
            }
            state.rows += page.rows.len() as u64;
            if !page.rows.is_empty() {
                state.after = page.after;
                self.save(state)?;
            }
            next = match ahead {
                Some(ahead) => ahead?,
                None if page.has_more => {
                    cursor = Cursor::behind(state.after.clone());
                    self.page(mapped, &mut cursor)?
                }
                None => None,
            };
        }
        Ok(())
    }

    /// What the rows have made that were copied already, if two rows may make one item.
    fn made(&mut self, mapped: &Mapped<'m>, state: &State) -> Result<Option<Made>, Ended> {
        if !mapped.may_double {
            return Ok(None);
        }
        let mut made = Made::default();
        if let Some(after) = &state.after {
            let mut cursor = Cursor::up_to(after.clone());
            while let Some(page) = self.page(mapped, &mut cursor)? {
                made.add(mapped, &page.rows);
                if self.progress.is_stopping() {
                    return Err(Ended::Stopped);
                }
            }
        }
        Ok(Some(made))
    }

    /// Whether the rows of a page may be items, beside what each of them says.
    fn standing(
        &mut self,
        mapped: &Mapped<'m>,
        page: &Page,
        made: Option<&Made>,
    ) -> Result<Standing, Ended> {
        if let Some(problem) = page.problem(mapped) {
            return Ok(Standing::Refused(problem));
        }
        let twice = made.map(|made| made.twice(mapped, &page.rows));
        let Some(twice) = twice.filter(|twice| !twice.is_empty()) else {
            return Ok(Standing::Sound);
        };
        let progress = self.progress;
        let doubled = self.asked(|source| doubles::doubled(&twice, mapped, source, progress));
        Ok(doubled?.map_or(Standing::Doubtful, Standing::Refused))
    }

    /// Copies a page of which something was refused, read anew. A row of now may rest on a row that came after its
    /// own entity was copied (an order of a new customer), so what is refused is tried again after the changes so
    /// far. Those of entities that are copied later need not be carried: these are read later. What was read
    /// before the changes were carried is not written any more. What it rests on may be a moment late, where no foreign
    /// key asks for it: it is waited for as where changes are carried.
    fn copy_refused(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        state: &State,
        made: Option<&Made>,
    ) -> Result<Page, Ended> {
        let mut tries = 0;
        loop {
            let mut cursor = Cursor::behind(state.after.clone());
            let page = self.page(mapped, &mut cursor)?.unwrap_or_default();
            let standing = self.standing(mapped, &page, made)?;
            if matches!(standing, Standing::Doubtful) && self.carry_all(state, at + 1)? > 0 {
                continue;
            }
            let is_refused = matches!(standing, Standing::Refused(_));
            let copied = match standing {
                Standing::Refused(problem) => Err(Ended::Problem(problem)),
                Standing::Sound | Standing::Doubtful => {
                    let wishes = self.wishes_of(at, mapped, &page.rows);
                    wishes.and_then(|wishes| self.write(wishes))
                }
            };
            match copied {
                Ok(()) => return Ok(page),
                Err(Ended::Problem(problem)) => {
                    if self.carry_all(state, at + 1)? > 0 {
                        continue;
                    }
                    if is_refused {
                        return Err(Ended::Problem(problem));
                    }
                    match self.copied_with_parents((at, mapped), &page.rows) {
                        Ok(true) => return Ok(page),
                        Ok(false) | Err(Ended::Problem(_)) if tries < PROBLEM_TRIES => {
                            tries += 1;
                            world::pause(IDLE * tries);
                        }
                        Ok(false) => return Err(Ended::Problem(problem)),
                        Err(other) => return Err(other),
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Copies rows behind those that they refer to; `false` where there are none of these.
    fn copied_with_parents(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        rows: &[Vec<Cell>],
    ) -> Result<bool, Ended> {
        if !self.write_parents(mapped, rows)? {
            return Ok(false);
        }
        let wishes = self.wishes_of(at, mapped, rows)?;
        self.write(wishes)?;
        Ok(true)
    }

    /// The next page of a cursor; a page that cannot be read leaves the cursor where it was.
    fn page(&mut self, mapped: &Mapped<'m>, cursor: &mut Cursor) -> Ahead {
        let most = self.sizes.rows;
        let page = self.asked(|source| {
            let mut tried = cursor.clone();
            let page = tried.next(mapped, source, most)?;
            Ok((page, tried))
        });
        let (page, behind) = page?;
        *cursor = behind;
        self.progress
            .add_read(page.iter().map(|page| page.rows.len()).sum());
        Ok(page)
    }

    fn wishes_of(
        &self,
        at: usize,
        mapped: &Mapped<'m>,
        rows: &[Vec<Cell>],
    ) -> Result<Vec<Wish>, Ended> {
        let wishes = rows.iter().map(|row| Wish::of(at, mapped, row));
        Ok(wishes.collect::<Result<_, _>>()?)
    }

    /// Writes the rows of a page, and reads the next one meanwhile.
    fn copied(
        &mut self,
        (at, mapped): (usize, &Mapped<'m>),
        rows: &[Vec<Cell>],
        cursor: &mut Cursor,
    ) -> Result<Ahead, Ended> {
        if !rows.is_empty() {
            self.asked(|source| source.settle())?;
        }
        let (backend, mapping, progress) = (self.backend, self.mapping, self.progress);
        let write = || -> Result<Wrote, Unwritten> {
            let wishes = rows.iter().map(|row| Wish::of(at, mapped, row));
            let wishes: Vec<Wish> = wishes.collect::<Result<_, _>>()?;
            apply(backend, mapping, progress, wishes)
        };
        let (wrote, ahead) = std::thread::scope(|scope| {
            let writing = scope.spawn(write);
            let ahead = self.page(mapped, cursor);
            match writing.join() {
                Ok(wrote) => (wrote, ahead),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        });
        wrote?;
        Ok(ahead)
    }
}
