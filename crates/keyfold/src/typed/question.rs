//! A typed pattern with its arguments, shared by the blocking and the nonblocking calls.

use super::cursor::Cursors;
use super::members::{Answer, Named, answer};
use crate::asked::Asked;
use crate::error::Error;
use crate::item::Item;
use crate::page::Page;
use std::time::Duration;

/// A pattern, its arguments, and where in the answer to begin.
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) asked: Asked,
    cursors: Cursors,
}

impl Question {
    pub(crate) fn new(asked: Asked, cursors: Cursors) -> Question {
        Question { asked, cursors }
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
            cursors: self.cursors,
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
        let items = items.into_iter().map(answer).collect::<Result<_, _>>()?;
        Ok(Page {
            items,
            next: next.map(|position| self.cursors.cursor(&self.asked, &position)),
            requests,
            units,
        })
    }

    /// The item of a pattern that promises one.
    pub(crate) fn required<T: Answer>(&self, found: Option<Item>) -> Result<T, Error> {
        let (pattern, _) = self.asked.named();
        let found = found.ok_or_else(|| Error::not_found(format!("{pattern}: no item")))?;
        answer(found)
    }

    /// The items of a pattern that names each of them.
    pub(crate) fn named(page: Page) -> Named {
        Named::new(page.items)
    }

    /// The error of an answer that is longer than the caller takes.
    pub(crate) fn too_many(&self, most: usize) -> Error {
        let (pattern, _) = self.asked.named();
        Error::Invalid(format!(
            "{pattern} has more than {most} items; read it in pages, or give `all` a larger number"
        ))
    }
}
