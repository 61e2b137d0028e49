//! Fills in the templates of a key with a pattern's parameters and fixed values, as far as the
//! pattern gives them.

use crate::period::Unit;
use crate::schema::{Fan, KeyPair, Limit, Parameter, Pattern, Type};
use crate::template::{Format, Part};
use crate::value;
use std::collections::{BTreeMap, BTreeSet};

/// Binds the templates of one key, and records which parameters the key uses.
pub(super) struct Binder<'p> {
    pub(super) pattern: &'p Pattern,
    /// The attributes that the key contains with the pattern's exact value.
    used: BTreeSet<String>,
    /// The limits that the key already applies, by the parameter's name.
    used_limits: BTreeSet<String>,
    /// The attributes that the key holds in lower case only: the pattern finds them in whatever
    /// capitals.
    folded: BTreeSet<&'p str>,
    /// The partitions that the key is read from.
    pub(super) fan: Fan,
}

/// The key that a template makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Partition,
    Sort,
}

impl<'p> Binder<'p> {
    pub(super) fn new(pattern: &'p Pattern, key: &'p KeyPair) -> Binder<'p> {
        Binder {
            pattern,
            used: BTreeSet::new(),
            used_limits: BTreeSet::new(),
            folded: folded(key),
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

    /// The parameter that is the lower end of a range of an attribute.
    pub(super) fn lower(&self, attribute: &str) -> Option<&'p Parameter> {
        let mut parameters = self.pattern.parameters.iter();
        parameters.find(|p| p.limit.is_lower() && p.attribute == attribute)
    }

    /// The parameter that is the upper end of a range of an attribute.
    pub(super) fn upper(&self, attribute: &str) -> Option<&'p Parameter> {
        let mut parameters = self.pattern.parameters.iter();
        parameters.find(|p| p.limit.is_upper() && p.attribute == attribute)
    }

    /// The parameter that gives a period of an attribute shorter than a unit.
    fn within(&self, attribute: &str, unit: Unit) -> Option<&'p Parameter> {
        let is_shorter = |limit: Limit| matches!(limit, Limit::In(of) if of < unit);
        let mut parameters = self.pattern.parameters.iter();
        parameters.find(|p| p.attribute == attribute && is_shorter(p.limit))
    }

    /// The parameters that are a range, a beginning or a period of an attribute.
    pub(super) fn limits_of(&self, attribute: &str) -> Vec<&'p Parameter> {
        self.pattern
            .parameters
            .iter()
            .filter(|p| p.attribute == attribute && is_range(p.limit))
            .collect()
    }

    /// Records that the key applies these limits.
    pub(super) fn use_limits(&mut self, parameters: &[&Parameter]) {
        self.used_limits
            .extend(parameters.iter().map(|parameter| parameter.name.clone()));
    }

    /// The limits that the key does not apply yet.
    pub(super) fn open_limits(&self) -> Vec<&'p Parameter> {
        let open = |p: &&Parameter| is_range(p.limit) && !self.used_limits.contains(&p.name);
        self.pattern.parameters.iter().filter(open).collect()
    }

    /// The attributes that the pattern gives and that the key does not contain yet.
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

    /// Splits parts at the first that the pattern does not give. Fixed values are filled in before
    /// it.
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

    /// The part as the request contains it; `None` if the pattern does not give it.
    fn given(&mut self, part: &Part, place: Place) -> Option<Part> {
        match part {
            Part::Text(_) | Part::Break => Some(part.clone()),
            Part::Chunk => None,
            Part::Shard { count, of } => {
                if of.iter().all(|part| self.is_known(part)) {
                    return Some(part.clone());
                }
                if place == Place::Sort {
                    return None;
                }
                match &mut self.fan {
                    Fan::One => self.fan = Fan::Shards(*count),
                    Fan::Periods {
                        shards: shards @ None,
                        ..
                    } => *shards = Some(*count),
                    Fan::Shards(_) | Fan::Periods { .. } => return None,
                }
                // Every shard is read, so the parts that the number is made of do not matter.
                Some(Part::Shard {
                    count: *count,
                    of: Vec::new(),
                })
            }
            Part::Field {
                name, kind, format, ..
            } => self.field(part, name, kind, *format, place),
        }
    }

    /// Whether the pattern gives the text of a part, of which the number of a shard is made. An
    /// attribute that is found in whatever capitals has several texts, unless this one has no
    /// capitals either.
    fn is_known(&self, part: &Part) -> bool {
        match part {
            Part::Field { name, format, .. } => {
                let is_of_one_case =
                    *format == Format::Lower || !self.folded.contains(name.as_str());
                is_given(self.pattern, name) && is_of_one_case
            }
            Part::Shard { of, .. } => of.iter().all(|part| self.is_known(part)),
            Part::Text(_) | Part::Chunk | Part::Break => true,
        }
    }

    /// A field as the request contains it; `None` if the pattern does not give it.
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
            // A period contains other times too, so a truncated time is not exact. A lower-case
            // field is exact for a parameter, which ignores capitals, but not for a fixed value.
            let is_exact = match format {
                Format::Truncated(_) => false,
                Format::Lower => fixed.is_none(),
                Format::Plain
                | Format::Bare
                | Format::Padded { .. }
                | Format::Reversed
                | Format::Hash
                | Format::Escaped => true,
            };
            if is_exact {
                self.used.insert(name.to_owned());
            }
            return Some(match fixed {
                Some((_, text)) => fixed_part(part, (name, kind, text), format),
                None => part.clone(),
            });
        }
        if let Format::Truncated(unit) = format
            && let Some(parameter) = self.limit(name, Limit::In(unit))
        {
            self.use_limits(&[parameter]);
            return Some(Part::plain(&parameter.name, &parameter.kind));
        }
        // A shorter period lies in one of these. The rest of the key must narrow it.
        if let Format::Truncated(unit) = format
            && let Some(parameter) = self.within(name, unit)
        {
            return Some(Part::Field {
                name: parameter.name.clone(),
                kind: parameter.kind.clone(),
                format,
                excluded: Vec::new(),
            });
        }
        match place {
            Place::Partition => self.fan_out(part, name, kind, format),
            Place::Sort => None,
        }
    }

    /// Reads a range of times from a partition key that is cut into periods, by one request for
    /// each period. `None` if the key is not cut or the pattern gives no lower end.
    fn fan_out(&mut self, part: &Part, name: &str, kind: &Type, format: Format) -> Option<Part> {
        let unit = match (kind, format) {
            (_, Format::Truncated(unit)) => unit,
            (Type::Date, Format::Plain | Format::Bare) => Unit::Day,
            (_, _) => return None,
        };
        // The periods that are read one after the other are those of a range of times.
        let low = self.lower(name).filter(|low| low.period().is_none())?;
        let high = self.upper(name);
        if high.is_some_and(|high| high.period().is_some()) {
            return None;
        }
        let shards = match self.fan {
            Fan::One => None,
            Fan::Shards(count) => Some(count),
            Fan::Periods { .. } => return None,
        };
        self.fan = Fan::Periods {
            shards,
            unit,
            attribute: name.to_owned(),
            kind: kind.clone(),
            low: low.name.clone(),
            high: high.map(|parameter| parameter.name.clone()),
        };
        // The days of a range of dates are exactly that range. The periods of a range of times
        // contain more, so the sort key must apply the limits as well.
        if !matches!(format, Format::Truncated(_)) {
            self.use_limits(&[low]);
            high.iter().for_each(|high| self.use_limits(&[high]));
        }
        Some(part.clone())
    }
}

/// A fixed value as the key writes it. A bare value stays a field, whose value the client fills in.
fn fixed_part(part: &Part, (name, kind, text): (&str, &Type, &str), format: Format) -> Part {
    let written = value::parse(name, kind, text).ok().and_then(|held| {
        let values = BTreeMap::from([(name.to_owned(), held)]);
        value::text(std::slice::from_ref(part), &values).ok()
    });
    match written {
        Some(written) if format != Format::Bare => Part::Text(written),
        Some(_) | None => part.clone(),
    }
}

/// Whether a limit is a range, a beginning or a period of its attribute.
pub(super) fn is_range(limit: Limit) -> bool {
    match limit {
        Limit::AtLeast
        | Limit::AtMost
        | Limit::Above
        | Limit::Below
        | Limit::Starts
        | Limit::In(_) => true,
        Limit::Equal | Limit::Among | Limit::Free => false,
    }
}

/// Whether a parameter or a fixed value gives the attribute exactly.
pub(super) fn is_given(pattern: &Pattern, attribute: &str) -> bool {
    let by_parameter =
        |p: &Parameter| matches!(p.limit, Limit::Equal | Limit::Among) && p.attribute == attribute;
    pattern.parameters.iter().any(by_parameter)
        || pattern.fixed.iter().any(|(name, _)| name == attribute)
}

/// The attributes that a key holds in lower case, and in no other form that keeps their capitals.
fn folded(key: &KeyPair) -> BTreeSet<&str> {
    let parts = key.templates().flat_map(|template| &template.parts);
    let fields = parts.filter_map(|part| match part {
        Part::Field { name, format, .. } => Some((name.as_str(), *format)),
        Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    });
    let fields: Vec<(&str, Format)> = fields.collect();
    let is_whole = |name: &str| {
        let mut others = fields.iter();
        others.any(|(other, format)| *other == name && format.keeps_value())
    };
    fields
        .iter()
        .copied()
        .filter(|(name, format)| *format == Format::Lower && !is_whole(name))
        .map(|(name, _)| name)
        .collect()
}

/// Whether the open parts of a key only number the parts of one split item.
pub(super) fn is_split_tail(open: &[Part]) -> bool {
    open.iter()
        .all(|part| matches!(part, Part::Text(_) | Part::Chunk))
        && open.iter().any(|part| matches!(part, Part::Chunk))
}
