//! A pattern with its arguments: one item, one page, all pages.

use crate::asked::{Asked, Bound, Extent, first, following};
use crate::awaited::blocked;
use crate::error::Error;
use crate::item::Item;
use crate::page::Page;
use keyfold_lower::OnUnknown;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// A pattern and the arguments given so far.
#[derive(Clone)]
#[must_use = "a pattern is asked by `one`, `page`, `pages` or `all`"]
pub struct Query<'d> {
    bound: &'d Bound,
    asked: Asked,
}

impl<'d> Query<'d> {
    pub(crate) fn new(bound: &'d Bound, name: &str) -> Query<'d> {
        Query {
            bound,
            asked: Asked::new(name),
        }
    }

    /// Gives an argument. `None` leaves an optional one out.
    pub fn arg(mut self, name: &str, held: impl Serialize) -> Self {
        self.asked = self.asked.arg(name, held);
        self
    }

    /// Gives several arguments: a struct, a map or [`values!`](crate::values!).
    pub fn args(mut self, values: impl Serialize) -> Self {
        self.asked = self.asked.args(values);
        self
    }

    /// The most items that are read for a page, instead of the pattern's own number.
    pub fn limit(mut self, items: u32) -> Self {
        self.asked = self.asked.limit(items);
        self
    }

    /// Continues after a page: takes the page's `next`.
    pub fn after(mut self, next: &str) -> Self {
        self.asked = self.asked.after(next);
        self
    }

    /// Reverses the pattern's order.
    pub fn backward(mut self) -> Self {
        self.asked = self.asked.backward();
        self
    }

    /// Reads with strong consistency, at twice the units: every write that was answered before is seen.
    /// A pattern of a global index is refused.
    pub fn strong(mut self) -> Self {
        self.asked = self.asked.strong();
        self
    }

    /// What becomes of an item that the model does not know, instead of what the database says: see
    /// [`crate::Database::on_unknown`].
    pub fn on_unknown(mut self, on_unknown: OnUnknown) -> Self {
        self.asked = self.asked.on_unknown(on_unknown);
        self
    }

    /// The most time of the call, instead of the database's: see [`crate::Database::within`]. A page of
    /// several is a call of its own.
    pub fn within(mut self, time: Duration) -> Self {
        self.asked = self.asked.within(time);
        self
    }

    /// One page. With a filter it may be empty although more follow: then `next` is set.
    ///
    /// # Errors
    /// `Invalid` when an argument is wrong, missing or unknown; `NotFound` when an item that must
    /// be there is not; `Service`.
    pub fn page(self) -> Result<Page, Error> {
        blocked(self.asked.read(self.bound, Extent::Page))
    }

    /// Everything, page by page until the end.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn all(self) -> Result<Vec<Item>, Error> {
        Ok(blocked(self.asked.read(self.bound, Extent::All))?.items)
    }

    /// The one item, or the first of several.
    ///
    /// # Errors
    /// As [`Query::page`].
    pub fn one(self) -> Result<Option<Item>, Error> {
        blocked(first(self.asked, self.bound))
    }

    /// The items of all pages as structs.
    ///
    /// # Errors
    /// As [`Query::page`]; `Invalid` when an item does not fit, as [`Item::to`] says.
    pub fn all_as<T: DeserializeOwned>(self) -> Result<Vec<T>, Error> {
        self.all()?.iter().map(Item::to).collect()
    }

    /// The one item, or the first of several, as a struct.
    ///
    /// # Errors
    /// As [`Query::all_as`].
    pub fn one_as<T: DeserializeOwned>(self) -> Result<Option<T>, Error> {
        self.one()?.map(|item| item.to()).transpose()
    }

    /// One page of structs.
    ///
    /// # Errors
    /// As [`Query::all_as`].
    pub fn page_as<T: DeserializeOwned>(self) -> Result<Page<T>, Error> {
        self.page()?.to()
    }

    /// The pages as pages of structs, each read when it is asked for.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// #[derive(serde::Deserialize)]
    /// struct Entry {
    ///     n: u32,
    /// }
    /// # let db = Keyfold::memory()?;
    /// # let log = db.model("model l 1\ntable Log (PK, SK)\nentity Entry\n  host: string, n: int\n  key \"H#{host}\" \"{n:04}\"\npattern entries(host) -> Entry[] page 2\n")?;
    /// # for n in 0..3 { log.put("Entry", values! { "host": "a", "n": n })?; }
    /// let mut sum = 0;
    /// for page in log.query("entries").arg("host", "a").pages_as::<Entry>() {
    ///     sum += page?.items.iter().map(|entry| entry.n).sum::<u32>();
    /// }
    /// assert_eq!(sum, 3);
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn pages_as<T: DeserializeOwned>(
        self,
    ) -> impl Iterator<Item = Result<Page<T>, Error>> + use<'d, T> {
        self.pages().map(|page| page?.to())
    }

    /// The pages, each read when it is asked for.
    pub fn pages(self) -> Pages<'d> {
        Pages {
            bound: self.bound,
            asked: Some(self.asked),
        }
    }
}

/// The pages of an answer, one after the other. Ends after an error.
pub struct Pages<'d> {
    bound: &'d Bound,
    asked: Option<Asked>,
}

impl Iterator for Pages<'_> {
    type Item = Result<Page, Error>;

    fn next(&mut self) -> Option<Result<Page, Error>> {
        let asked = self.asked.take()?;
        let page = blocked(asked.clone().read(self.bound, Extent::Page));
        self.asked = following(asked, &page);
        Some(page)
    }
}

impl std::fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Pages<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pages").finish_non_exhaustive()
    }
}
