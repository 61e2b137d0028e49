//! The answer of a pattern from the rows of a relational database. The database is asked for the rows that
//! can be in it, of one moment; which of them are, and in what order, the proof's own SQL decides.

use super::report::LiveError;
use super::scope::{Scope, mapped_of};
use super::wrong::{Ignored, Wrong};
use crate::compare::{Expected, Question, offers_strong, ranked};
use crate::rows::Rows;
use crate::subject::{Client, Subject};
use crate::{ProveError, ask, kept, show, together_read};
use keyfold_client::arguments::Values;
use keyfold_client::{Backend, ClientError, PageRequest, origin, read};
use keyfold_model::schema::{Limit, Pattern, Returned};
use keyfold_model::value;
use keyfold_relational::{Bound, Mapped, Mapping, Source};
use keyfold_types::Value;
use std::collections::BTreeSet;

/// The most parents whose children are asked for by name.
const PARENTS_MAX: usize = 500;

/// What a pattern must find.
pub(super) struct Answer {
    pub(super) expected: Vec<Expected>,
    pub(super) ignored: Ignored,
}

/// The rows that can be in an answer.
pub(super) struct Oracle<'a, 'm> {
    mapping: &'a Mapping<'m>,
    backend: &'a Backend,
    rows: Rows<'m>,
    most: usize,
    /// The entities of which rows are loaded.
    loaded: BTreeSet<usize>,
}

/// A question for people.
pub(super) fn shown(pattern: &Pattern, arguments: &Values) -> String {
    format!("{}{}", pattern.name, show::values(arguments))
}

impl<'a, 'm> Oracle<'a, 'm> {
    pub(super) fn new(
        (mapping, backend): (&'a Mapping<'m>, &'a Backend),
        now_epoch_ms: i64,
        most: usize,
    ) -> Result<Oracle<'a, 'm>, ProveError> {
        Ok(Oracle {
            mapping,
            backend,
            rows: Rows::new(mapping.model, now_epoch_ms)?,
            most,
            loaded: BTreeSet::new(),
        })
    }

    /// What a pattern must find by the rows of a moment; `None` where more rows can be in it than are read.
    pub(super) fn answer(
        &mut self,
        source: &mut dyn Source,
        scope: &Scope,
        pattern: &Pattern,
        arguments: &Values,
    ) -> Result<Option<Answer>, LiveError> {
        for at in std::mem::take(&mut self.loaded) {
            self.rows.refill(at, Vec::new())?;
        }
        self.rows.now_epoch_ms = origin().now_epoch_ms;
        source.hold()?;
        let read = self.read(source, scope, pattern, arguments);
        source.release()?;
        if !read? {
            return Ok(None);
        }
        kept::fill(&mut self.rows)?;
        let plan = pattern.plan_for(|name| arguments.contains_key(name));
        let expected = ranked(&self.rows, pattern, plan, arguments)?;
        let ignored = pattern.returned.iter();
        let ignored = ignored.map(|one| self.ignored(scope, one)).collect();
        Ok(Some(Answer { expected, ignored }))
    }

    /// Reads the rows that can be in an answer, and those that are counted in them: whether that is all.
    fn read(
        &mut self,
        source: &mut dyn Source,
        scope: &Scope,
        pattern: &Pattern,
        arguments: &Values,
    ) -> Result<bool, LiveError> {
        for returned in &pattern.returned {
            let bounds = self.bounds(pattern, returned, arguments);
            let Some(rows) = self.load(source, returned.entity, &bounds)? else {
                return Ok(false);
            };
            let Some(entity) = self.mapping.model.entities.get(returned.entity) else {
                continue;
            };
            let ignored = scope.ignored.get(returned.entity);
            let is_ignored = |name| ignored.is_some_and(|all| all.contains(name));
            for aggregate in &entity.aggregates {
                if is_ignored(&aggregate.attribute) {
                    continue;
                }
                let link = aggregate.link.iter().filter(|_| rows.len() <= PARENTS_MAX);
                let bounds = link.map(|(own, attribute)| Bound {
                    attribute: attribute.clone(),
                    values: distinct(rows.iter().filter_map(|row| row.get(own))),
                });
                let bounds: Vec<Bound> = bounds.collect();
                if self.load(source, aggregate.entity, &bounds)?.is_none() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Reads and loads rows of an entity; `None` where there are too many.
    fn load(
        &mut self,
        source: &mut dyn Source,
        at: usize,
        bounds: &[Bound],
    ) -> Result<Option<Vec<Values>>, LiveError> {
        let entity = self.mapping.model.entities.get(at);
        let Some(mapped) = entity.and_then(|one| mapped_of(self.mapping, one)) else {
            return Ok(Some(Vec::new()));
        };
        let Some(rows) = mapped.rows_with(source, bounds, self.most)? else {
            return Ok(None);
        };
        let rows = self.unexpired(mapped, rows)?;
        self.loaded.insert(at);
        self.rows.load(at, rows.clone())?;
        Ok(Some(rows))
    }

    /// The rows without those whose items have expired: the time of such a row is over, and the tables have no item of
    /// it any more.
    fn unexpired(&self, mapped: &Mapped<'m>, rows: Vec<Values>) -> Result<Vec<Values>, LiveError> {
        let (over, mut left): (Vec<Values>, Vec<Values>) =
            rows.into_iter().partition(|row| mapped.is_over(row));
        let identity = mapped.entity.identity();
        let key = |row: &Values| -> Values {
            let own = row
                .iter()
                .filter(|(name, _)| identity.contains(&name.as_str()));
            own.map(|(name, value)| (name.clone(), value.clone()))
                .collect()
        };
        let keys: Vec<Values> = over.iter().map(key).collect();
        if !keys.is_empty() {
            let found = read::many(self.backend, self.mapping.model, mapped.entity, &keys, true)?;
            let there = over.into_iter().zip(found.items);
            left.extend(there.filter_map(|(row, item)| item.map(|_| row)));
        }
        Ok(left)
    }

    /// The values by which the rows of a returned entity are asked for.
    fn bounds(&self, pattern: &Pattern, returned: &Returned, arguments: &Values) -> Vec<Bound> {
        let model = self.mapping.model;
        let one = |attribute: &str, value: &Value| Bound {
            attribute: attribute.to_owned(),
            values: if let Value::L(all) = value {
                distinct(all.iter())
            } else {
                vec![value.clone()]
            },
        };
        if pattern.together.is_some() {
            let names = together_read::key_attributes(model, returned).into_iter();
            let names = names.filter(|name| !together_read::is_lower(model, returned, name));
            let bounds = names.filter_map(|name| {
                let parameter = together_read::parameter_of(returned, &name);
                Some(one(&name, arguments.get(&parameter)?))
            });
            return bounds.collect();
        }
        let plan = pattern.plan_for(|name| arguments.contains_key(name));
        let equal = pattern.parameters.iter().filter(|parameter| {
            matches!(parameter.limit, Limit::Equal | Limit::Among)
                && parameter.period().is_none()
                && !ask::is_lower(plan, &parameter.attribute, &parameter.name)
        });
        let bounds = equal.filter_map(|parameter| {
            let value = arguments.get(&parameter.name)?;
            Some(one(&parameter.attribute, value))
        });
        let fixed = pattern.fixed_values.iter();
        let fixed = fixed.filter_map(|(name, kind, text)| {
            let value = value::parse(name, kind, text).ok()?;
            Some(one(name, &value))
        });
        bounds.chain(fixed).collect()
    }

    /// The attributes of a returned entity that are not compared: among them those for which a row says
    /// nothing, and whose value is made for the write.
    fn ignored(&self, scope: &Scope, returned: &Returned) -> (String, BTreeSet<String>) {
        let entity = self.mapping.model.entities.get(returned.entity);
        let copy = entity.and_then(|entity| entity.copies.get(returned.copy?));
        let name = entity.map_or("", |entity| entity.name.as_str());
        let kind = match (&returned.alias, copy) {
            (Some(alias), _) => alias.clone(),
            (None, Some(copy)) => format!("{name}.{}", copy.name),
            (None, None) => name.to_owned(),
        };
        let mut ignored = scope
            .ignored
            .get(returned.entity)
            .cloned()
            .unwrap_or_default();
        let attributes = entity.into_iter().flat_map(|entity| &entity.attributes);
        // Counts and sums have a default, too, and no row says them.
        for attribute in attributes.filter(|one| one.default.is_some() && !one.is_kept) {
            let mut rows = self.rows.of(returned.entity);
            if rows.any(|(_, row)| !row.contains_key(&attribute.name)) {
                ignored.insert(attribute.name.clone());
            }
        }
        (kind, ignored)
    }

    /// What differs of the answer of the tables.
    pub(super) fn beside(
        &self,
        pattern: &Pattern,
        arguments: &Values,
        expected: Vec<Expected>,
        ignored: &Ignored,
    ) -> Result<Wrong, ClientError> {
        let plan = pattern.plan_for(|name| arguments.contains_key(name));
        let subject = Subject::Embedded;
        let question = Question {
            client: Client {
                model: self.mapping.model,
                backend: self.backend,
                subject: &subject,
                faults: None,
                now_epoch_ms: self.rows.now_epoch_ms,
            },
            rows: &self.rows,
            pattern,
            plan,
            arguments,
            expected,
        };
        let way = PageRequest {
            strong: offers_strong(self.mapping.model, plan),
            now_epoch_ms: Some(self.rows.now_epoch_ms),
            ..PageRequest::default()
        };
        match question.client.all(pattern, arguments, &way) {
            Ok(found) => Ok(Wrong::of(&question.expected, &found.items, ignored)),
            Err(error) if question.may_refuse(&error) => Ok(Wrong::default()),
            Err(ClientError::NotFound(_)) => Ok(Wrong::of(&question.expected, &[], ignored)),
            Err(error @ ClientError::UnknownItem(_)) => Ok(Wrong::said(error.to_string())),
            Err(error) => Err(error),
        }
    }
}

/// Each of some values once.
fn distinct<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for value in values {
        if !all.contains(value) {
            all.push(value.clone());
        }
    }
    all
}
