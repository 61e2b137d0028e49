//! Patterns: their parameters, filters and results. The plan is found later.

use super::comparison::with_near_word;
use super::filter::{self, Filters};
use super::names::{Entities, unknown};
use super::together;
use super::types::Types;
use crate::check::meant;
use crate::diagnostic::{Diagnostic, Edit, Span, report};
use crate::period::Unit;
use crate::schema::{
    Entity, Limit, Model, Ordered, Parameter, Pattern, PatternPlan, Returned, Together, Type,
};
use crate::syntax::ast::{
    ExpectUnit, LimitDecl, Name, OrderDecl, ParameterDecl, PatternDecl, ReturnedDecl, texts,
};
use crate::written::written;

/// Resolves a pattern; `None` when it has an error.
pub(super) fn resolve(
    declared: &PatternDecl,
    entities: &Entities<'_>,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Pattern> {
    let returned = returned(declared, entities, model, diagnostics)?;
    let together = together(declared);
    if together.is_some() {
        report(together::check(declared, &returned, model), diagnostics)?;
    }
    let scope = Scope {
        model,
        returned: &returned,
        together,
        types,
        parameters: Vec::new(),
    };
    let pattern = report(scope.resolve(declared), diagnostics)?;
    warn_of_words(declared, &pattern, model, diagnostics);
    Some(pattern)
}

/// Warns of fixed values that are nearly names.
fn warn_of_words(
    declared: &PatternDecl,
    pattern: &Pattern,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (attribute, value) in &declared.fixed {
        let kind = pattern
            .fixed_values
            .iter()
            .find(|(name, ..)| *name == attribute.text);
        if let (Some(value), Some((_, kind, _))) = (value, kind) {
            let entities = pattern
                .returned
                .iter()
                .filter_map(|one| model.entities.get(one.entity));
            let attributes = entities.flat_map(|entity| &entity.attributes);
            let parameters = pattern.parameters.iter().map(|one| one.name.as_str());
            let names = attributes.map(|one| one.name.as_str()).chain(parameters);
            diagnostics.extend(meant::report(value, kind, names));
        }
    }
}

/// The entities and copies that a pattern returns.
fn returned(
    declared: &PatternDecl,
    entities: &Entities<'_>,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Returned>> {
    let mut returned: Vec<Returned> = Vec::new();
    for one in &declared.returned {
        let entity_at = entities.place(&one.entity, diagnostics)?;
        let entity = model.entities.get(entity_at)?;
        let copy = report(returned_copy(one, entity), diagnostics)?;
        let span = one
            .copy
            .as_ref()
            .map_or(one.entity.span, |copy| one.entity.span.to(copy.span));
        let one = Returned {
            entity: entity_at,
            copy,
            many: one.many,
            optional: one.optional,
            alias: one.alias.as_ref().map(|alias| alias.text.clone()),
            bound: one
                .bound
                .iter()
                .map(|(attribute, parameter)| (attribute.text.clone(), parameter.text.clone()))
                .collect(),
            span,
        };
        let name = model.name_of(&one);
        if returned.iter().any(|other| model.name_of(other) == name) {
            let message = format!("{} returns {name} twice", declared.name.text);
            let diagnostic = Diagnostic::error("KF003", span, message, "again here");
            diagnostics.push(if declared.is_together {
                diagnostic.help(format!(
                    "name each of them: `{name} as first where ... = ...`"
                ))
            } else {
                diagnostic.help("remove it")
            });
            return None;
        }
        returned.push(one);
    }
    Some(returned)
}

/// How the results in parentheses are read; `None` without them.
fn together(declared: &PatternDecl) -> Option<Together> {
    declared.is_together.then_some(match declared.batch {
        Some(_) => Together::Batch,
        None => Together::Snapshot,
    })
}

/// The index of the copy that a result names.
fn returned_copy(
    declared: &ReturnedDecl,
    entity: &Entity,
) -> Result<Option<usize>, Box<Diagnostic>> {
    let Some(name) = &declared.copy else {
        return Ok(None);
    };
    let at = entity.copies.iter().position(|copy| copy.name == name.text);
    if at.is_none() {
        let names = entity.copies.iter().map(|copy| copy.name.as_str());
        let what = format!("copy of {}", entity.name);
        return Err(Box::new(unknown(&what, name, names)));
    }
    Ok(at)
}

/// The scope of a pattern: the meaning of names inside it.
struct Scope<'m> {
    model: &'m Model,
    returned: &'m [Returned],
    together: Option<Together>,
    types: &'m Types<'m>,
    parameters: Vec<Parameter>,
}

impl Scope<'_> {
    fn resolve(mut self, declared: &PatternDecl) -> Result<Pattern, Box<Diagnostic>> {
        for parameter in &declared.parameters {
            self.parameter(parameter)?;
        }
        let (mut fixed_values, mut present) = (Vec::new(), Vec::new());
        for (attribute, value) in &declared.fixed {
            match value {
                Some(value) => fixed_values.push(self.fixed(attribute, value, &fixed_values)?),
                None => {
                    self.attribute_type(attribute)?;
                    present.push(attribute.text.clone());
                }
            }
        }
        for name in &declared.only {
            match self.together {
                None => self.attribute_type(name).map(|_| ())?,
                Some(_) => together::check_returned(name, self.returned, self.model)?,
            }
        }
        let now = filter::now(&self.filters(), &declared.filters);
        self.parameters.extend(now);
        let filters = self.filters().resolve(&declared.filters)?;
        let order = match &declared.order {
            None => None,
            Some(order) => Some(self.order(order)?),
        };
        Ok(Pattern {
            name: declared.name.text.clone(),
            span: declared.name.span,
            parameters: self.parameters,
            fixed: fixed_values
                .iter()
                .map(|(name, _, text)| (name.clone(), text.clone()))
                .collect(),
            fixed_values,
            present,
            only: texts(&declared.only),
            returned: self.returned.to_vec(),
            together: self.together,
            returned_end: declared.returned_end,
            order,
            page: declared.page,
            strong: declared.strong,
            scan: declared.scan,
            fetch: declared.fetch,
            filters,
            rate: rate(declared),
            plan: PatternPlan::default(),
            variants: Vec::new(),
        })
    }

    /// The scope of the filters.
    fn filters(&self) -> Filters<'_> {
        Filters {
            model: self.model,
            returned: self.returned,
            parameters: &self.parameters,
        }
    }

    /// The returned entities.
    fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.returned
            .iter()
            .filter_map(|one| self.model.entities.get(one.entity))
    }

    /// The type of an attribute, which every returned entity must have.
    fn attribute_type(&self, name: &Name) -> Result<Type, Box<Diagnostic>> {
        let kinds = filter::types_of(self.entities(), name)?;
        let kind = kinds.first().map(|kind| (*kind).clone());
        kind.ok_or_else(|| Box::new(unknown("attribute", name, std::iter::empty())))
    }

    /// The type of an attribute that a range limits. In a collection, it limits the kinds with `[]`.
    fn limited_type(&self, name: &Name) -> Result<Type, Box<Diagnostic>> {
        let limited = self.returned.iter().filter(|one| one.many);
        let entities = limited.filter_map(|one| self.model.entities.get(one.entity));
        match filter::types_of(entities, name)?.first() {
            Some(kind) => Ok((*kind).clone()),
            None => self.attribute_type(name),
        }
    }

    fn parameter(&mut self, declared: &ParameterDecl) -> Result<(), Box<Diagnostic>> {
        let attribute = &declared.attribute;
        if self.together.is_some() {
            let kind = together::type_of(declared, self.returned, self.model)?;
            return self.add(declared, attribute, Limit::Equal, kind);
        }
        let kind = match &declared.limit {
            LimitDecl::Free(kind) => self.types.resolve(kind, attribute, 0)?,
            LimitDecl::Equal | LimitDecl::Among => self.attribute_type(attribute)?,
            LimitDecl::AtLeast(_)
            | LimitDecl::AtMost(_)
            | LimitDecl::Above(_)
            | LimitDecl::Below(_)
            | LimitDecl::Within(..)
            | LimitDecl::Starts(_)
            | LimitDecl::Period(..)
            | LimitDecl::Periods(..) => self.limited_type(attribute)?,
        };
        for (name, limit) in limits(declared, &kind)? {
            let kind = argument_type(declared, limit, &kind)?;
            self.add(declared, name, limit, kind)?;
        }
        Ok(())
    }

    /// Adds a parameter, unless it conflicts with an earlier one.
    fn add(
        &mut self,
        declared: &ParameterDecl,
        name: &Name,
        limit: Limit,
        kind: Type,
    ) -> Result<(), Box<Diagnostic>> {
        let attribute = &declared.attribute;
        if self.parameters.iter().any(|other| other.name == name.text) {
            let message = format!("the parameter `{}` is declared twice", name.text);
            return Err(Box::new(Diagnostic::error(
                "KF003",
                name.span,
                message,
                "again here",
            )));
        }
        let makes_range = |other: Limit| {
            (limit.is_lower() && other.is_upper()) || (limit.is_upper() && other.is_lower())
        };
        let conflicts =
            |other: &&Parameter| other.attribute == attribute.text && !makes_range(other.limit);
        let other = self.parameters.iter().find(conflicts);
        if let Some(other) = other.filter(|_| limit != Limit::Free) {
            let same_side = (limit.is_lower() && other.limit.is_lower())
                || (limit.is_upper() && other.limit.is_upper())
                || limit == other.limit;
            let (message, help) = match same_side {
                true => (
                    format!("`{}` is limited twice in the same way", attribute.text),
                    "leave one of them",
                ),
                false => (
                    format!(
                        "`{}` is limited by two that make no range together",
                        attribute.text
                    ),
                    "a range has two ends: `at >= from, at < to`; leave one of these, or compare the other in a filter",
                ),
            };
            return Err(Box::new(
                Diagnostic::error("KF003", attribute.span, message, "again here")
                    .label(other.span, "limited here")
                    .help(help),
            ));
        }
        if limit == Limit::Among {
            self.check_list(declared, name.span)?;
        }
        self.parameters.push(Parameter {
            name: name.text.clone(),
            attribute: if limit == Limit::Free {
                String::new()
            } else {
                attribute.text.clone()
            },
            kind,
            limit,
            optional: declared.optional,
            span: attribute.span.to(name.span),
        });
        Ok(())
    }

    /// A pattern has at most one list of ids, which is required.
    fn check_list(&self, declared: &ParameterDecl, span: Span) -> Result<(), Box<Diagnostic>> {
        let is_list = |other: &Parameter| other.limit == Limit::Among;
        if self.parameters.iter().any(is_list) {
            let message = "a pattern takes one list of ids";
            return Err(Box::new(
                Diagnostic::error("KF004", span, message, "a second one")
                    .help("give one of them as a single value, or make it two patterns"),
            ));
        }
        if declared.optional {
            let message = "a list of ids cannot be left out";
            return Err(Box::new(
                Diagnostic::error("KF004", span, message, "optional").help("remove the `?`"),
            ));
        }
        Ok(())
    }

    /// Resolves `where attribute = value`. `before` holds the fixed values declared earlier.
    fn fixed(
        &self,
        attribute: &Name,
        value: &Name,
        before: &[(String, Type, String)],
    ) -> Result<(String, Type, String), Box<Diagnostic>> {
        let kind = self.attribute_type(attribute)?;
        let is_limited = self.parameters.iter().any(|parameter| {
            parameter.attribute == attribute.text || parameter.name == attribute.text
        }) || before.iter().any(|(name, ..)| *name == attribute.text);
        if is_limited {
            let message = format!("`{}` is limited twice", attribute.text);
            return Err(Box::new(
                Diagnostic::error("KF003", attribute.span, message, "again here")
                    .help("an attribute is a parameter or has a fixed value, once"),
            ));
        }
        match crate::value::canonical(&attribute.text, &kind, value.unquoted()) {
            Ok(text) => Ok((attribute.text.clone(), kind, text)),
            Err(error) => {
                let message = error.to_string();
                let wrong = Diagnostic::error("KF004", value.span, message, "no value of its type");
                Err(Box::new(with_near_word(wrong, value, &kind)))
            }
        }
    }

    fn order(&self, declared: &OrderDecl) -> Result<Ordered, Box<Diagnostic>> {
        let order = declared.order;
        if let Some(name) = &declared.attribute {
            let kind = self.attribute_type(name)?;
            if !order.fits(&kind) {
                let message = format!("{} has no order `{}`", kind.with_article(), order.word());
                let diagnostic = Diagnostic::error("KF004", name.span, message, "wrong type");
                let fitting = order.of_type(&kind);
                let diagnostic = fitting.into_iter().fold(diagnostic, |diagnostic, fitting| {
                    let word = fitting.word();
                    diagnostic
                        .help(format!("say `{word} {}`", written(&name.text)))
                        .repair(vec![Edit::replace(declared.span, word)])
                });
                return Err(Box::new(diagnostic.otherwise(
                    "times are `newest` or `oldest`, numbers `highest` or `lowest`, and both and texts `ascending` or `descending`",
                )));
            }
        }
        let attribute = declared.attribute.as_ref();
        Ok(Ordered {
            order,
            attribute: attribute.map(|name| name.text.clone()),
            span: attribute.map_or(declared.span, |name| declared.span.to(name.span)),
        })
    }
}

/// The limits that a declaration puts on its attribute, each with the parameter's name.
fn limits<'d>(
    declared: &'d ParameterDecl,
    kind: &Type,
) -> Result<Vec<(&'d Name, Limit)>, Box<Diagnostic>> {
    let attribute = &declared.attribute;
    if let LimitDecl::Period(unit, word) | LimitDecl::Periods(unit, word, _) = &declared.limit {
        check_period(*unit, word, kind, attribute)?;
    }
    if let LimitDecl::Periods(unit, _, range) = &declared.limit {
        check_no_moment(*unit, range, attribute)?;
    }
    Ok(ends(&declared.limit, attribute))
}

/// The present moment, which `now` is elsewhere, is no end of a range of periods.
fn check_no_moment(unit: Unit, range: &LimitDecl, attribute: &Name) -> Result<(), Box<Diagnostic>> {
    let mut ends = ends(range, attribute).into_iter();
    let Some((now, limit)) = ends.find(|(name, _)| name.text == "now") else {
        return Ok(());
    };
    let (name, sign) = if limit.is_lower() {
        ("first", ">=")
    } else {
        ("last", "<=")
    };
    let message = format!("`now` is a moment, and this end is a {unit}");
    let attribute = written(&attribute.text);
    Err(Box::new(
        Diagnostic::error("KF004", now.span, message, "a moment")
            .help(format!(
                "give the {name} {unit} as a parameter of another name, such as `{name}`"
            ))
            .help(format!(
                "or limit the time itself, where a key has it: `{attribute} {sign} now`"
            )),
    ))
}

/// The names of a limit's parameters, and what each is.
fn ends<'d>(limit: &'d LimitDecl, attribute: &'d Name) -> Vec<(&'d Name, Limit)> {
    match limit {
        LimitDecl::Equal => vec![(attribute, Limit::Equal)],
        LimitDecl::Among => vec![(attribute, Limit::Among)],
        LimitDecl::AtLeast(name) => vec![(name, Limit::AtLeast)],
        LimitDecl::AtMost(name) => vec![(name, Limit::AtMost)],
        LimitDecl::Above(name) => vec![(name, Limit::Above)],
        LimitDecl::Below(name) => vec![(name, Limit::Below)],
        LimitDecl::Starts(name) => vec![(name, Limit::Starts)],
        LimitDecl::Within(low, high) => vec![(low, Limit::AtLeast), (high, Limit::AtMost)],
        LimitDecl::Free(_) => vec![(attribute, Limit::Free)],
        LimitDecl::Period(unit, word) => vec![(word, Limit::In(*unit))],
        LimitDecl::Periods(_, _, range) => ends(range, attribute),
    }
}

/// `day of attribute` needs values that are finer than the unit.
fn check_period(
    unit: Unit,
    word: &Name,
    kind: &Type,
    attribute: &Name,
) -> Result<(), Box<Diagnostic>> {
    if matches!(kind, Type::Time(_)) || (*kind == Type::Date && unit > Unit::Day) {
        return Ok(());
    }
    Err(Box::new(if *kind == Type::Date && unit == Unit::Day {
        Diagnostic::error("KF004", word.span, "a date is a day already", "of a date")
            .help(format!("ask for `{}` itself", attribute.text))
    } else {
        let message = format!("{} has no {unit}", kind.with_article());
        Diagnostic::error("KF004", word.span, message, "no time")
    }))
}

/// The type of the argument that limits an attribute of type `kind`.
fn argument_type(
    declared: &ParameterDecl,
    limit: Limit,
    kind: &Type,
) -> Result<Type, Box<Diagnostic>> {
    if let LimitDecl::Periods(unit, ..) = declared.limit {
        return Ok(Type::Period(unit));
    }
    match limit {
        Limit::In(unit) => Ok(Type::Period(unit)),
        Limit::Among => Ok(Type::List(Box::new(kind.clone()))),
        Limit::Starts if !matches!(kind, Type::String | Type::Words(_)) => {
            let message = format!("{} has no beginning to ask for", kind.with_article());
            Err(Box::new(
                Diagnostic::error(
                    "KF004",
                    declared.attribute.span,
                    message,
                    "`starts` is for texts",
                )
                .help("ask for a range: `a >= low`, or `day of a` for times"),
            ))
        }
        Limit::Starts => Ok(Type::String),
        Limit::Equal
        | Limit::AtLeast
        | Limit::AtMost
        | Limit::Above
        | Limit::Below
        | Limit::Free => Ok(kind.clone()),
    }
}

/// The declared runs a second.
fn rate(declared: &PatternDecl) -> Option<u64> {
    declared
        .expects
        .iter()
        .find_map(|expect| match expect.unit {
            ExpectUnit::ASecond | ExpectUnit::WritesASecond => Some(expect.count),
            ExpectUnit::Items | ExpectUnit::Bytes | ExpectUnit::Per(_) => None,
        })
}
