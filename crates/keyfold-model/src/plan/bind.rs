//! Templates and arguments: how far a key is given by a pattern's parameters and fixed values.

use crate::period::Unit;
use crate::schema::Fan;
use crate::schema::{Limit, Parameter, Pattern, Type};
use crate::template::{Format, Part, fields_of};
use crate::value;
use std::collections::{BTreeMap, BTreeSet};

/// Binds the templates of one key, and remembers what has been used.
pub(super) struct Binder<'p> {
    pub(super) pattern: &'p Pattern,
    /// The table's, for values that are escaped.
    delimiters: &'p [char],
    /// The attributes whose equality is part of the key.
    used: BTreeSet<String>,
    /// Limits that are part of the key, by the parameter's name.
    used_limits: BTreeSet<String>,
    pub(super) fan: Fan,
}

/// Which key a template makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Partition,
    Sort,
}

impl<'p> Binder<'p> {
    pub(super) fn new(pattern: &'p Pattern, delimiters: &'p [char]) -> Binder<'p> {
        Binder {
            pattern,
            delimiters,
            used: BTreeSet::new(),
            used_limits: BTreeSet::new(),
            fan: Fan::One,
        }
    }

    /// The parameter that limits an attribute in this way.
    pub(super) fn limit(&self, attribute: &str, limit: Limit) -> Option<&'p Parameter> {
        self.pattern
            .parameters
            .iter()
            .find(|p| p.limit == limit && p.attribute == attribute)
    }

    /// Parameters that are a range, a beginning or a period of an attribute.
    pub(super) fn limits_of(&self, attribute: &str) -> Vec<&'p Parameter> {
        let is_limit = |limit: Limit| {
            matches!(
                limit,
                Limit::AtLeast | Limit::AtMost | Limit::Starts | Limit::In(_)
            )
        };
        self.pattern
            .parameters
            .iter()
            .filter(|p| p.attribute == attribute && is_limit(p.limit))
            .collect()
    }

    pub(super) fn use_limits(&mut self, parameters: &[&Parameter]) {
        self.used_limits
            .extend(parameters.iter().map(|parameter| parameter.name.clone()));
    }

    /// Limits that no key has taken up.
    pub(super) fn open_limits(&self) -> Vec<&'p Parameter> {
        let equal = |limit: Limit| matches!(limit, Limit::Equal | Limit::Among | Limit::Free);
        let open = |p: &&Parameter| !equal(p.limit) && !self.used_limits.contains(&p.name);
        self.pattern.parameters.iter().filter(open).collect()
    }

    /// Attributes that are given and that no key has taken up.
    pub(super) fn open_attributes(&self) -> Vec<&'p str> {
        let by_parameter = |p: &&Parameter| matches!(p.limit, Limit::Equal | Limit::Among);
        let parameters = self
            .pattern
            .parameters
            .iter()
            .filter(by_parameter)
            .map(|p| p.attribute.as_str());
        let fixed = self.pattern.fixed.iter().map(|(name, _)| name.as_str());
        parameters
            .chain(fixed)
            .filter(|name| !self.used.contains(*name))
            .collect()
    }

    /// The parts up to the first that is not given, with fixed values put in, and the rest.
    pub(super) fn bind<'t>(&mut self, parts: &'t [Part], place: Place) -> (Vec<Part>, &'t [Part]) {
        let mut bound = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match self.given(part, place) {
                Some(part) => bound.push(part),
                None => return (bound, parts.get(at..).unwrap_or_default()),
            }
        }
        (bound, &[])
    }

    fn given(&mut self, part: &Part, place: Place) -> Option<Part> {
        match part {
            Part::Text(_) | Part::Break => Some(part.clone()),
            Part::Chunk => None,
            Part::Shard { count, of } => {
                if fields_of(of)
                    .into_iter()
                    .all(|name| is_given(self.pattern, name))
                {
                    return Some(part.clone());
                }
                let free = place == Place::Partition && self.fan == Fan::One;
                // Every shard is asked for, so what the number is made of does not matter.
                free.then(|| {
                    self.fan = Fan::Shards(*count);
                    Part::Shard {
                        count: *count,
                        of: Vec::new(),
                    }
                })
            }
            Part::Field { name, kind, format } => self.field(part, name, kind, *format, place),
        }
    }

    fn field(
        &mut self,
        part: &Part,
        name: &str,
        kind: &Type,
        format: Format,
        place: Place,
    ) -> Option<Part> {
        let fixed = self.pattern.fixed.iter().find(|(fixed, _)| fixed == name);
        let equal = fixed.is_some()
            || self.limit(name, Limit::Equal).is_some()
            || self.limit(name, Limit::Among).is_some();
        if equal {
            // The day of a time is shared by other times: only the time itself gives it exactly.
            // What is asked for in small letters is found whatever its capitals; a fixed value is
            // itself.
            let is_exact = match format {
                Format::Truncated(_) => false,
                Format::Lower => fixed.is_none(),
                _ => true,
            };
            if is_exact {
                self.used.insert(name.to_owned());
            }
            return Some(match fixed {
                Some((_, text)) => fixed_part(part, (name, kind, text), format, self.delimiters),
                None => part.clone(),
            });
        }
        let cut = match (kind, format) {
            (_, Format::Truncated(unit)) => Some(unit),
            (Type::Date, Format::Plain | Format::Bare) => Some(Unit::Day),
            _ => None,
        };
        if let Format::Truncated(unit) = format
            && let Some(parameter) = self.limit(name, Limit::In(unit))
        {
            self.use_limits(&[parameter]);
            return Some(Part::plain(&parameter.name, &parameter.kind));
        }
        match (place, cut) {
            (Place::Partition, Some(unit)) => self.fan_out(part, name, kind, unit, format),
            (Place::Partition | Place::Sort, _) => None,
        }
    }

    /// A range of times over a partition key that is cut into periods: one request for each.
    fn fan_out(
        &mut self,
        part: &Part,
        name: &str,
        kind: &Type,
        unit: Unit,
        format: Format,
    ) -> Option<Part> {
        let low = self.limit(name, Limit::AtLeast)?;
        let high = self.limit(name, Limit::AtMost);
        if self.fan != Fan::One {
            return None;
        }
        self.fan = Fan::Periods {
            unit,
            attribute: name.to_owned(),
            kind: kind.clone(),
            low: low.name.clone(),
            high: high.map(|parameter| parameter.name.clone()),
        };
        // Days of a date are exactly what is asked for; a period of a time is more, which the sort
        // key cuts.
        if !matches!(format, Format::Truncated(_)) {
            self.use_limits(&[low]);
            high.iter().for_each(|high| self.use_limits(&[high]));
        }
        Some(part.clone())
    }
}

/// A fixed value as the key writes it. A bare value stays a field: the client gives it its value.
fn fixed_part(
    part: &Part,
    (name, kind, text): (&str, &Type, &str),
    format: Format,
    delimiters: &[char],
) -> Part {
    let written = value::parse(name, kind, text).ok().and_then(|held| {
        let values = BTreeMap::from([(name.to_owned(), held)]);
        value::text(std::slice::from_ref(part), &values, delimiters).ok()
    });
    match written {
        Some(written) if format != Format::Bare => Part::Text(written),
        _ => part.clone(),
    }
}

/// Whether an argument (or a fixed value) gives the attribute exactly.
pub(super) fn is_given(pattern: &Pattern, attribute: &str) -> bool {
    let by_parameter =
        |p: &Parameter| matches!(p.limit, Limit::Equal | Limit::Among) && p.attribute == attribute;
    pattern.parameters.iter().any(by_parameter)
        || pattern.fixed.iter().any(|(name, _)| name == attribute)
}

/// Whether what is left open only tells the parts of one split item apart.
pub(super) fn is_split_tail(rest: &[Part]) -> bool {
    rest.iter()
        .all(|part| matches!(part, Part::Text(_) | Part::Chunk))
        && rest.iter().any(|part| matches!(part, Part::Chunk))
}
