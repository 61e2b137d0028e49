//! A pattern with its arguments: one item, one page, all pages.

use crate::error::Error;
use crate::given::{add, unknown};
use crate::item::Item;
use keyfold_client::{Backend, PageRequest, arguments, read};
use keyfold_model::{Model, Pattern};
use serde::Serialize;
use std::collections::BTreeMap;

/// A pattern and the arguments given so far.
#[must_use = "a pattern is asked by `one`, `page`, `pages` or `all`"]
pub struct Query<'d> {
    backend: &'d Backend,
    model: &'d Model,
    name: String,
    given: Result<BTreeMap<String, String>, Error>,
    start: PageRequest,
}

/// One page of an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page {
    /// The items in order.
    pub items: Vec<Item>,
    /// Where the next page starts, as text for [`Query::after`]; none when this is the last.
    pub next: Option<String>,
    /// How many requests it took.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
}

impl<'d> Query<'d> {
    pub(crate) fn new(backend: &'d Backend, model: &'d Model, name: &str) -> Query<'d> {
        Query {
            backend,
            model,
            name: name.to_owned(),
            given: Ok(BTreeMap::new()),
            start: PageRequest::default(),
        }
    }

    /// Gives an argument. `None` leaves an optional one out.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.given = add(self.given, name, held);
        self
    }

    /// Items a page, instead of the pattern's own.
    pub fn limit(mut self, items: u32) -> Self {
        self.start.limit = Some(items);
        self
    }

    /// Goes on behind a page: its `next`.
    pub fn after(mut self, next: &str) -> Self {
        match keyfold_wire::client::decode_item(next.as_bytes()) {
            Ok(key) => self.start.after = Some(key),
            Err(_) => {
                self.given = Err(Error::Invalid(format!(
                    "`after` takes the `next` of a page, not: {next}"
                )))
            }
        }
        self
    }

    /// Against the pattern's order.
    pub fn backward(mut self) -> Self {
        self.start.backward = true;
        self
    }

    fn pattern(&self) -> Result<&'d Pattern, Error> {
        let names = self
            .model
            .patterns
            .iter()
            .map(|pattern| pattern.name.as_str());
        self.model
            .pattern(&self.name)
            .ok_or_else(|| unknown(&self.model.name, "pattern", &self.name, names))
    }

    fn ask(self, all: bool) -> Result<Page, Error> {
        let pattern = self.pattern()?;
        let arguments = arguments::of_pattern(pattern, &self.given?)?;
        let found = read::run(
            self.backend,
            self.model,
            pattern,
            &arguments,
            &self.start,
            all,
        )?;
        Ok(Page {
            items: found.items.into_iter().map(Item::new).collect(),
            next: found.next.map(|key| {
                let mut out = Vec::new();
                keyfold_wire::encode::encode_item(&mut out, &key);
                String::from_utf8_lossy(&out).into_owned()
            }),
            requests: found.requests,
            units: found.capacity.units(),
        })
    }

    /// One page.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, missing or unknown; `NotFound` when an item that must
    /// be there is not; `Service`.
    pub fn page(self) -> Result<Page, Error> {
        self.ask(false)
    }

    /// Everything, page by page until the end.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn all(self) -> Result<Vec<Item>, Error> {
        Ok(self.ask(true)?.items)
    }

    /// The one item, or the first of several.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn one(self) -> Result<Option<Item>, Error> {
        Ok(self.ask(false)?.items.into_iter().next())
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<'d> {
        Pages { query: Some(self) }
    }
}

/// The pages of an answer, one after the other. Ends after an error.
pub struct Pages<'d> {
    query: Option<Query<'d>>,
}

impl Iterator for Pages<'_> {
    type Item = Result<Page, Error>;

    fn next(&mut self) -> Option<Result<Page, Error>> {
        let query = self.query.take()?;
        let again = Query {
            backend: query.backend,
            model: query.model,
            name: query.name.clone(),
            given: query.given.clone(),
            start: query.start.clone(),
        };
        let page = query.page();
        if let Ok(Page {
            next: Some(next), ..
        }) = &page
        {
            self.query = Some(again.after(next));
        }
        Some(page)
    }
}
