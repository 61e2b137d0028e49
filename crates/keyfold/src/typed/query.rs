//! A typed pattern with its arguments, whose answer has any number of items: what the blocking and the
//! awaited ones share.

use super::consistency::OfTable;
use super::members::Answer;
use super::order::{Ordered, Unordered};
use super::question::Question;
use crate::asked::{Bound, Extent, first_as};
use crate::error::Error;
use crate::page::Page;
use keyfold_lower::OnUnknown;
use std::marker::PhantomData;
use std::time::Duration;

/// A pattern with its arguments, of which nothing is read before it is asked for. `D` is how the
/// tables are held, `O` says whether the items have an order that can be turned round, and `R` whether
/// strong consistency is offered.
#[must_use = "a pattern is asked by `page`, `items`, `first` or `all`"]
pub struct Query<D, T, O = Unordered, R = OfTable> {
    pub(super) database: D,
    pub(super) question: Question,
    items: PhantomData<fn() -> T>,
    offers: PhantomData<fn() -> (O, R)>,
}

impl<D, T: Answer, O, R> Query<D, T, O, R> {
    pub(super) fn new(database: D, question: Question) -> Query<D, T, O, R> {
        Query {
            database,
            question,
            items: PhantomData,
            offers: PhantomData,
        }
    }

    fn with(self, change: impl FnOnce(Question) -> Question) -> Query<D, T, O, R> {
        Query {
            question: change(self.question),
            ..self
        }
    }

    /// The most items that are read for a page, instead of the pattern's own number.
    pub fn limit(self, items: u32) -> Query<D, T, O, R> {
        self.with(|question| question.limit(items))
    }

    /// The most time of a page, instead of the client's.
    pub fn within(self, time: Duration) -> Query<D, T, O, R> {
        self.with(|question| question.within(time))
    }

    /// What becomes of an item that the model does not know, instead of what the client says: see
    /// [`crate::Database::on_unknown`].
    pub fn on_unknown(self, on_unknown: OnUnknown) -> Query<D, T, O, R> {
        self.with(|question| question.on_unknown(on_unknown))
    }

    /// Continues after a page: takes the page's `next`.
    pub fn after(self, cursor: &str) -> Query<D, T, O, R> {
        self.with(|question| question.after(cursor))
    }
}

impl<D, T: Answer, R> Query<D, T, Ordered, R> {
    /// Reverses the pattern's order.
    pub fn backward(self) -> Query<D, T, Ordered, R> {
        self.with(Question::backward)
    }
}

impl<D, T: Answer, O> Query<D, T, O, OfTable> {
    /// Reads with strong consistency, at twice the units: every write that was answered before is seen.
    pub fn strong(self) -> Query<D, T, O, OfTable> {
        self.with(Question::strong)
    }
}

/// One page of a question.
pub(super) async fn page_of<T: Answer>(
    question: &Question,
    bound: &Bound,
) -> Result<Page<T>, Error> {
    let page = question.asked.clone().read(bound, Extent::Page);
    question.page(page.await?)
}

/// The first item of a question.
pub(super) async fn first_of<T: Answer>(
    question: Question,
    bound: &Bound,
) -> Result<Option<T>, Error> {
    let seen = question.seen();
    first_as(question.asked, bound, |item| seen.answer(item)).await
}

/// Adds a page to all items so far.
///
/// # Errors
/// The page's; `TooMany` when they are more than the caller takes.
pub(super) fn gathered<T>(
    (question, most): (&Question, usize),
    all: &mut Vec<T>,
    page: Result<Page<T>, Error>,
) -> Result<(), Error> {
    all.extend(page?.items);
    match all.len() > most {
        true => Err(question.too_many(most)),
        false => Ok(()),
    }
}

impl<D, T, O, R> std::fmt::Debug for Query<D, T, O, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}
