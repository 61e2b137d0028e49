//! Answers of any number of items, read by calls that block.

use super::members::Answer;
use super::order::{Ordered, Unordered};
use super::question::Question;
use crate::asked::{Bound, Extent, first, following};
use crate::error::Error;
use crate::page::Page;
use std::marker::PhantomData;
use std::time::Duration;

/// A pattern with its arguments, of which nothing is read before it is asked for. `O` says whether
/// its items have an order that can be turned round.
#[must_use = "a pattern is asked by `page`, `items`, `first` or `all`"]
pub struct Query<'c, T, O = Unordered> {
    bound: &'c Bound,
    question: Question,
    of: PhantomData<fn() -> (T, O)>,
}

impl<'c, T: Answer, O> Query<'c, T, O> {
    pub(crate) fn new(bound: &'c Bound, question: Question) -> Query<'c, T, O> {
        Query {
            bound,
            question,
            of: PhantomData,
        }
    }

    fn with(self, change: impl FnOnce(Question) -> Question) -> Query<'c, T, O> {
        Query {
            question: change(self.question),
            ..self
        }
    }

    /// The most items that are read for a page, instead of the pattern's own number.
    pub fn limit(self, items: u32) -> Query<'c, T, O> {
        self.with(|question| question.limit(items))
    }

    /// The most time of a page, instead of the client's.
    pub fn within(self, time: Duration) -> Query<'c, T, O> {
        self.with(|question| question.within(time))
    }

    /// Continues after a page: takes the page's `next`.
    pub fn after(self, cursor: &str) -> Query<'c, T, O> {
        self.with(|question| question.after(cursor))
    }

    /// One page. With a filter it may be empty although more follow: then `next` is set.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, or the cursor is none of this pattern with these
    /// arguments; `Service`.
    pub fn page(self) -> Result<Page<T>, Error> {
        let page = self.question.asked.clone().read(self.bound, Extent::Page)?;
        self.question.page(page)
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<'c, T> {
        Pages {
            bound: self.bound,
            question: Some(self.question),
            of: PhantomData,
        }
    }

    /// The items of all pages, each page read when it is asked for.
    pub fn items(self) -> Items<'c, T> {
        Items {
            pages: self.pages(),
            page: Vec::new().into_iter(),
        }
    }

    /// The first item; none where there is none.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn first(self) -> Result<Option<T>, Error> {
        let found = first(self.question.asked, self.bound)?;
        found.map(super::members::answer).transpose()
    }

    /// All items. More than `most` are an error.
    ///
    /// # Errors
    /// As [`Query::page`]; `Invalid` when there are more.
    pub fn all(self, most: usize) -> Result<Vec<T>, Error> {
        let question = self.question.clone();
        let mut all: Vec<T> = Vec::new();
        for page in self.pages() {
            all.extend(page?.items);
            if all.len() > most {
                return Err(question.too_many(most));
            }
        }
        Ok(all)
    }
}

impl<'c, T: Answer> Query<'c, T, Ordered> {
    /// Reverses the pattern's order.
    pub fn backward(self) -> Query<'c, T, Ordered> {
        self.with(Question::backward)
    }
}

impl<'c, T: Answer, O> IntoIterator for Query<'c, T, O> {
    type Item = Result<T, Error>;
    type IntoIter = Items<'c, T>;

    fn into_iter(self) -> Items<'c, T> {
        self.items()
    }
}

/// The pages of an answer, one after the other. Ends after an error.
pub struct Pages<'c, T> {
    bound: &'c Bound,
    question: Option<Question>,
    of: PhantomData<fn() -> T>,
}

impl<T: Answer> Iterator for Pages<'_, T> {
    type Item = Result<Page<T>, Error>;

    fn next(&mut self) -> Option<Result<Page<T>, Error>> {
        let question = self.question.take()?;
        let page = question.asked.clone().read(self.bound, Extent::Page);
        let next = following(question.asked.clone(), &page);
        let made = page.and_then(|page| question.page(page));
        if made.is_ok() {
            self.question = next.map(|asked| question.from(asked));
        }
        Some(made)
    }
}

/// The items of an answer, one after the other. Ends after an error.
pub struct Items<'c, T> {
    pages: Pages<'c, T>,
    page: std::vec::IntoIter<T>,
}

impl<T: Answer> Iterator for Items<'_, T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Result<T, Error>> {
        loop {
            if let Some(item) = self.page.next() {
                return Some(Ok(item));
            }
            match self.pages.next()? {
                Ok(page) => self.page = page.items.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T, O> std::fmt::Debug for Query<'_, T, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Items<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Items").finish_non_exhaustive()
    }
}
