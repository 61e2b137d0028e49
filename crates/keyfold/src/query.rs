//! A pattern with its arguments: one item, one page, all pages.

use crate::asked::{Asked, Extent};
use crate::database::Database;
use crate::error::Error;
use crate::item::Item;
use serde::Serialize;

/// A pattern and the arguments given so far.
#[must_use = "a pattern is asked by `one`, `page`, `pages` or `all`"]
pub struct Query<'d> {
    database: &'d Database,
    asked: Asked,
}

/// One page of an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page {
    /// The items in order.
    pub items: Vec<Item>,
    /// Where the next page starts, as text for [`Query::after`]; none when this is the last.
    pub next: Option<String>,
    /// The number of requests that the page took.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
}

impl<'d> Query<'d> {
    pub(crate) fn new(database: &'d Database, name: &str) -> Query<'d> {
        Query {
            database,
            asked: Asked::new(name),
        }
    }

    /// Gives an argument. `None` leaves an optional one out.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.asked = self.asked.arg(name, held);
        self
    }

    /// Items a page, instead of the pattern's own.
    pub fn limit(mut self, items: u32) -> Self {
        self.asked = self.asked.limit(items);
        self
    }

    /// Goes on behind a page: its `next`.
    pub fn after(mut self, next: &str) -> Self {
        self.asked = self.asked.after(next);
        self
    }

    /// Against the pattern's order.
    pub fn backward(mut self) -> Self {
        self.asked = self.asked.backward();
        self
    }

    /// One page.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, missing or unknown; `NotFound` when an item that must
    /// be there is not; `Service`.
    pub fn page(self) -> Result<Page, Error> {
        self.database.ask(self.asked, Extent::Page)
    }

    /// Everything, page by page until the end.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn all(self) -> Result<Vec<Item>, Error> {
        Ok(self.database.ask(self.asked, Extent::All)?.items)
    }

    /// The one item, or the first of several.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn one(self) -> Result<Option<Item>, Error> {
        Ok(self.page()?.items.into_iter().next())
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<'d> {
        Pages {
            database: self.database,
            asked: Some(self.asked),
        }
    }
}

/// The pages of an answer, one after the other. Ends after an error.
pub struct Pages<'d> {
    database: &'d Database,
    asked: Option<Asked>,
}

impl Iterator for Pages<'_> {
    type Item = Result<Page, Error>;

    fn next(&mut self) -> Option<Result<Page, Error>> {
        let asked = self.asked.take()?;
        let page = self.database.ask(asked.clone(), Extent::Page);
        self.asked = following(asked, &page);
        Some(page)
    }
}

/// What is asked for the page behind one; none behind the last, or behind an error.
pub(crate) fn following(asked: Asked, page: &Result<Page, Error>) -> Option<Asked> {
    let next = page.as_ref().ok()?.next.as_deref()?;
    Some(asked.after(next))
}
