//! A pattern or named write with its arguments, before it is carried out: shared by the blocking
//! and the nonblocking calls.

use crate::awaited::carried;
use crate::error::Error;
use crate::given::{self, Given, add, unknown};
use crate::handle::Shared;
use crate::item::Item;
use crate::page::Page;
use keyfold_client::{Observer, Terms, origin};
use keyfold_lower::arguments::{self, Values};
use keyfold_lower::read::{self, Places};
use keyfold_lower::{Found, Lowering, OnUnknown, PageRequest, write};
use keyfold_model::{Model, Pattern, Write, value};
use keyfold_types::Value;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// A model and the database that its tables are on.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) shared: Shared,
    pub(crate) model: Arc<Model>,
    /// The most time of a call that has none of its own.
    pub(crate) time: Option<Duration>,
    pub(crate) observer: Option<Observer>,
    /// What becomes of an item that the model does not know, of a call that does not say it.
    pub(crate) on_unknown: OnUnknown,
}

impl Bound {
    /// The terms of a call that begins now: of a pattern, a write or an entity.
    pub(crate) fn terms(&self, name: &str, own: Option<Duration>) -> Terms {
        let terms = own.or(self.time).map(Terms::within).unwrap_or_default();
        terms.of_call(name).observed(self.observer.clone())
    }
}

/// A name and the arguments given so far, or why one of them cannot be an argument.
#[derive(Clone)]
pub(crate) struct Named {
    name: String,
    given: Result<Given, Error>,
    time: Option<Duration>,
}

impl Named {
    pub(crate) fn new(name: &str) -> Named {
        Named {
            name: name.to_owned(),
            given: Ok(Given::new()),
            time: None,
        }
    }

    pub(crate) fn within(mut self, time: Duration) -> Named {
        self.time = Some(time);
        self
    }

    fn terms(&self, bound: &Bound) -> Terms {
        bound.terms(&self.name, self.time)
    }

    /// A name with its arguments.
    pub(crate) fn with(name: &str, given: Result<Given, Error>) -> Named {
        Named {
            given,
            ..Named::new(name)
        }
    }

    pub(crate) fn arg(self, name: &str, held: impl Serialize) -> Named {
        Named {
            given: add(self.given, name, held),
            ..self
        }
    }

    pub(crate) fn args(self, values: impl Serialize) -> Named {
        let given = self.given.and_then(|mut given| {
            given.extend(given::members(values)?);
            Ok(given)
        });
        Named { given, ..self }
    }

    /// Carries out the named write.
    pub(crate) async fn write(self, bound: &Bound) -> Result<write::Written, Error> {
        let terms = self.terms(bound);
        let name = format!("the write {}", self.name);
        let of_write = self.of_write(&bound.model);
        let (write, arguments) = of_write.map_err(|error| error.owned(&name))?;
        let call = write::run(origin(), &bound.model, write, &arguments);
        let done = carried(&bound.shared, &terms, call).await;
        done.map_err(|error| error.owned(&name))
    }

    /// The write of the model, and its arguments.
    pub(crate) fn of_write(self, model: &Model) -> Result<(&Write, Values), Error> {
        let names = model.writes.iter().map(|write| write.name.as_str());
        let write = model
            .write(&self.name)
            .ok_or_else(|| unknown(&model.name, "write", &self.name, names))?;
        let arguments = arguments::of_write(write, &of_aliases(write, self.given?))?;
        Ok((write, arguments))
    }
}

/// A pattern with its arguments, and where in the answer to begin.
#[derive(Clone)]
pub(crate) struct Asked {
    named: Named,
    start: PageRequest,
    on_unknown: Option<OnUnknown>,
    /// The places at which the pages so far began.
    places: Places,
    /// Whether the page has been read before.
    comes_again: bool,
}

/// How much of an answer is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Page,
    All,
}

impl Asked {
    pub(crate) fn new(pattern: &str) -> Asked {
        Asked {
            named: Named::new(pattern),
            start: PageRequest::default(),
            on_unknown: None,
            places: Places::default(),
            comes_again: false,
        }
    }

    /// A pattern with its arguments.
    pub(crate) fn with(pattern: &str, given: Result<Given, Error>) -> Asked {
        Asked {
            named: Named::with(pattern, given),
            start: PageRequest::default(),
            on_unknown: None,
            places: Places::default(),
            comes_again: false,
        }
    }

    /// The pattern, and the arguments given so far, or why one of them cannot be an argument.
    pub(crate) fn named(&self) -> (&str, Result<&Given, &Error>) {
        (&self.named.name, self.named.given.as_ref())
    }

    /// The same pattern, which is refused when it is asked.
    pub(crate) fn refused(mut self, error: Error) -> Asked {
        self.named.given = self.named.given.and(Err(error));
        self
    }

    pub(crate) fn arg(self, name: &str, held: impl Serialize) -> Asked {
        Asked {
            named: self.named.arg(name, held),
            ..self
        }
    }

    pub(crate) fn args(self, values: impl Serialize) -> Asked {
        Asked {
            named: self.named.args(values),
            ..self
        }
    }

    pub(crate) fn limit(mut self, items: u32) -> Asked {
        self.start.limit = Some(items);
        self
    }

    pub(crate) fn after(mut self, next: &str) -> Asked {
        match keyfold_wire::client::decode_item(next.as_bytes()) {
            Ok(key) => self.start.after = Some(key),
            Err(_) => {
                self.named.given = Err(Error::invalid(format!(
                    "`after` takes the `next` of a page, not: {}",
                    value::shown_text(next)
                )));
            }
        }
        self
    }

    pub(crate) fn backward(mut self) -> Asked {
        self.start.backward = true;
        self
    }

    pub(crate) fn on_unknown(mut self, on_unknown: OnUnknown) -> Asked {
        self.on_unknown = Some(on_unknown);
        self
    }

    /// What becomes of an item that the model does not know.
    pub(crate) fn of_unknown(&self, bound: &Bound) -> OnUnknown {
        self.on_unknown.unwrap_or(bound.on_unknown)
    }

    fn only_first(mut self) -> Asked {
        self.start.only_first = true;
        self
    }

    pub(crate) fn strong(mut self) -> Asked {
        self.start.strong = true;
        self
    }

    pub(crate) fn within(mut self, time: Duration) -> Asked {
        self.named = self.named.within(time);
        self
    }

    /// Asks the pattern.
    pub(crate) async fn read(self, bound: &Bound, extent: Extent) -> Result<Page, Error> {
        let terms = self.named.terms(bound);
        self.read_on(&terms, bound, extent).await
    }

    /// Asks the pattern as a part of a call.
    async fn read_on(self, terms: &Terms, bound: &Bound, extent: Extent) -> Result<Page, Error> {
        let name = self.named.name.clone();
        if self.comes_again {
            return Err(read::had_before(&name).into());
        }
        let name = format!("the pattern {name}");
        let question = self.of_pattern(bound, extent);
        let question = question.map_err(|error| error.owned(&name))?;
        let found = carried(&bound.shared, terms, question.call()).await;
        Ok(page_of(found.map_err(|error| error.owned(&name))?))
    }

    /// The pattern of the model, and its arguments.
    fn of_pattern(self, bound: &Bound, extent: Extent) -> Result<Question<'_>, Error> {
        let on_unknown = self.of_unknown(bound);
        let model = &*bound.model;
        let Named { name, given, .. } = self.named;
        let names = model.patterns.iter().map(|pattern| pattern.name.as_str());
        let pattern = model
            .pattern(&name)
            .ok_or_else(|| unknown(&model.name, "pattern", &name, names))?;
        let arguments = arguments::of_pattern(pattern, &given?)?;
        if self.start.limit == Some(0) {
            return Err(Error::invalid(
                "limit: a page has at least 1 item".to_owned(),
            ));
        }
        Ok(Question {
            model,
            pattern,
            arguments,
            start: PageRequest {
                on_unknown,
                ..self.start
            },
            extent,
        })
    }
}

/// A pattern of a model with its arguments.
struct Question<'m> {
    model: &'m Model,
    pattern: &'m Pattern,
    arguments: Values,
    start: PageRequest,
    extent: Extent,
}

impl Question<'_> {
    fn call(&self) -> Lowering<'_, Found> {
        let pages = match self.extent {
            Extent::All => read::Pages::All,
            Extent::Page => read::Pages::One,
        };
        let Question {
            model,
            pattern,
            arguments,
            ..
        } = self;
        read::run(origin(), model, pattern, arguments, (&self.start, pages))
    }
}

fn page_of(found: Found) -> Page {
    Page {
        items: found.items.into_iter().map(Item::new).collect(),
        next: found.next.map(|key| {
            let mut out = Vec::new();
            keyfold_wire::encode::encode_item(&mut out, &key);
            String::from_utf8_lossy(&out).into_owned()
        }),
        requests: found.requests,
        units: found.capacity.units(),
    }
}

/// The first item of an answer: pages are read until one has an item, since a filter may leave a page
/// empty.
pub(crate) async fn first(asked: Asked, bound: &Bound) -> Result<Option<Item>, Error> {
    first_as(asked, bound, |item| Ok(Some(item))).await
}

/// The first item of an answer that `seen` does not leave out, as it makes it.
pub(crate) async fn first_as<T>(
    asked: Asked,
    bound: &Bound,
    seen: impl Fn(Item) -> Result<Option<T>, Error>,
) -> Result<Option<T>, Error> {
    let terms = asked.named.terms(bound);
    let mut next = Some(asked.only_first());
    while let Some(asked) = next {
        let page = asked.clone().read_on(&terms, bound, Extent::Page).await;
        next = following(asked, &page);
        for item in page?.items {
            if let Some(made) = seen(item)? {
                return Ok(Some(made));
            }
        }
    }
    Ok(None)
}

/// The question for the page behind one; none behind the last, or behind an error.
pub(crate) fn following(asked: Asked, page: &Result<Page, Error>) -> Option<Asked> {
    let next = page.as_ref().ok()?.next.as_deref()?;
    let mut asked = asked.after(next);
    if let Some(after) = &asked.start.after {
        asked.comes_again = asked.places.comes_again(after);
    }
    Some(asked)
}

/// The arguments of a write, with the members of an object that is given for an alias behind its name:
/// `from.accountId` for `{"from": {"accountId": ...}}`.
fn of_aliases(write: &Write, given: Given) -> Given {
    let is_alias = |name: &String| {
        let mut actions = write.actions.iter();
        actions.any(|action| action.alias.as_ref() == Some(name))
    };
    let mut all = Given::new();
    for (name, held) in given {
        if let (true, Value::M(members)) = (is_alias(&name), &held) {
            let given = members.iter().filter(|(_, held)| **held != Value::Null);
            all.extend(given.map(|(member, held)| (format!("{name}.{member}"), held.clone())));
        } else {
            all.insert(name, held);
        }
    }
    all
}
