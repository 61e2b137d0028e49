//! A typed pattern with its arguments, shared by the blocking and the nonblocking calls.

use super::collected::{Absent, Collected};
use super::cursor::Cursors;
use super::members::{Answer, Named, Seen};
use crate::asked::{Asked, Bound};
use crate::error::Error;
use crate::page::Page;
use keyfold_lower::OnUnknown;
use keyfold_model::Model;
use std::sync::Arc;
use std::time::Duration;

/// A pattern, its arguments, and where in the answer to begin.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) asked: Asked,
    cursors: Cursors,
    model: Arc<Model>,
    on_unknown: OnUnknown,
}

impl Question {
    pub(crate) fn new(asked: Asked, cursors: Cursors, bound: &Bound) -> Question {
        Question {
            on_unknown: asked.of_unknown(bound),
            asked,
            cursors,
            model: Arc::clone(&bound.model),
        }
    }

    /// How its items are seen.
    pub(crate) fn seen(&self) -> Seen {
        Seen::new(&self.model, self.on_unknown)
    }

    pub(crate) fn on_unknown(self, on_unknown: OnUnknown) -> Question {
        Question {
            asked: self.asked.on_unknown(on_unknown),
            on_unknown,
            ..self
        }
    }

    /// The same question from another place on.
    pub(crate) fn from(self, asked: Asked) -> Question {
        Question { asked, ..self }
    }

    pub(crate) fn limit(self, items: u32) -> Question {
        Question {
            asked: self.asked.limit(items),
            ..self
        }
    }

    pub(crate) fn backward(self) -> Question {
        Question {
            asked: self.asked.backward(),
            ..self
        }
    }

    pub(crate) fn strong(self) -> Question {
        Question {
            asked: self.asked.strong(),
            ..self
        }
    }

    pub(crate) fn within(self, time: Duration) -> Question {
        Question {
            asked: self.asked.within(time),
            ..self
        }
    }

    pub(crate) fn after(self, cursor: &str) -> Question {
        Question {
            asked: self.cursors.after(self.asked, cursor),
            ..self
        }
    }

    /// A page with its items typed and its position as a cursor.
    pub(crate) fn page<T: Answer>(&self, page: Page) -> Result<Page<T>, Error> {
        let Page {
            items,
            next,
            requests,
            units,
        } = page;
        let seen = self.seen();
        let items = items.into_iter();
        let items = items.filter_map(|item| seen.answer(item).transpose());
        let items = items.collect::<Result<_, _>>()?;
        Ok(Page {
            items,
            next: next.map(|position| self.cursors.cursor(&self.asked, &position)),
            requests,
            units,
        })
    }

    /// The item of a pattern that promises one.
    pub(crate) fn required<T>(&self, found: Option<T>) -> Result<T, Error> {
        let (pattern, _) = self.asked.named();
        found.ok_or_else(|| Error::not_found(format!("{pattern}: no item")))
    }

    /// The items of a pattern that names each of them.
    pub(crate) fn named(&self, page: Page) -> Named {
        Named::new(page.items, self.seen())
    }

    /// All items of several kinds, each at its kind.
    ///
    /// # Errors
    /// `NotFound` when an item is absent that must be there.
    pub(crate) fn whole<T: Collected>(&self, items: Vec<T>) -> Result<T::Whole, Error> {
        let (pattern, _) = self.asked.named();
        T::collected(items)
            .map_err(|Absent(kind)| Error::not_found(format!("{pattern}: no {kind}")))
    }

    /// The error of an answer that is longer than the caller takes.
    pub(crate) fn too_many(&self, most: usize) -> Error {
        let (pattern, _) = self.asked.named();
        Error::TooMany {
            pattern: pattern.to_owned(),
            most,
        }
    }
}
