//! Patterns: parameters and what they return. The plan is found later.

use super::types::Types;
use super::{Entities, unknown};
use crate::diagnostic::Diagnostic;
use crate::period::Unit;
use crate::schema::PatternPlan;
use crate::schema::{
    Comparator, Comparison, Limit, Model, Operand, Order, Ordered, Parameter, Pattern, Returned,
    Type,
};
use crate::syntax::ast::{ConditionDecl, ExpectUnit, LimitDecl, Name, ParameterDecl, PatternDecl};

pub(super) fn resolve(
    declared: &PatternDecl,
    entities: &Entities<'_>,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Pattern> {
    let returned = returned(declared, entities, model, diagnostics)?;
    let mut scope = Scope {
        model,
        returned: &returned,
        types,
        parameters: Vec::new(),
    };
    for parameter in &declared.parameters {
        scope.parameter(parameter, diagnostics)?;
    }
    let (mut fixed, mut fixed_values) = (Vec::new(), Vec::new());
    let mut present = Vec::new();
    for (attribute, value) in &declared.fixed {
        let Some(value) = value else {
            scope.attribute_type(attribute, diagnostics)?;
            present.push(attribute.text.clone());
            continue;
        };
        let (kind, text) = scope.fixed(attribute, value, &fixed, diagnostics)?;
        fixed_values.push((attribute.text.clone(), kind, text.clone()));
        fixed.push((attribute.text.clone(), text));
    }
    for name in &declared.only {
        scope.attribute_type(name, diagnostics)?;
    }
    let mut filters = Vec::new();
    for filter in &declared.filters {
        filters.push(scope.filter(filter, diagnostics)?);
    }
    scope.check_used(&filters, diagnostics)?;
    let order = match &declared.order {
        None => None,
        Some((word, attribute)) => Some(scope.order(word, attribute.as_ref(), diagnostics)?),
    };
    let parameters = scope.parameters;
    let rate = declared
        .expects
        .iter()
        .find_map(|expect| match expect.unit {
            ExpectUnit::ASecond | ExpectUnit::WritesASecond => Some(expect.count),
            ExpectUnit::Items | ExpectUnit::Bytes | ExpectUnit::Per(_) => None,
        });
    Some(Pattern {
        name: declared.name.text.clone(),
        span: declared.name.span,
        parameters,
        fixed,
        fixed_values,
        present,
        only: declared.only.iter().map(|name| name.text.clone()).collect(),
        returned,
        order,
        page: declared.page,
        strong: declared.strong,
        scan: declared.scan,
        filters,
        rate,
        plan: PatternPlan::default(),
        variants: Vec::new(),
    })
}

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
        let copy = match &one.copy {
            None => None,
            Some(name) => match entity.copies.iter().position(|copy| copy.name == name.text) {
                Some(at) => Some(at),
                None => {
                    let names = entity.copies.iter().map(|copy| copy.name.as_str());
                    diagnostics.push(unknown(&format!("copy of {}", entity.name), name, names));
                    return None;
                }
            },
        };
        let span = one
            .copy
            .as_ref()
            .map_or(one.entity.span, |copy| one.entity.span.to(copy.span));
        if returned
            .iter()
            .any(|other| other.entity == entity_at && other.copy == copy)
        {
            let message = format!("{} returns {} twice", declared.name.text, entity.name);
            diagnostics
                .push(Diagnostic::error("KF003", span, message, "again here").help("remove it"));
            return None;
        }
        returned.push(Returned {
            entity: entity_at,
            copy,
            many: one.many,
            optional: one.optional,
            span,
        });
    }
    Some(returned)
}

/// The scope of a pattern: the meaning of names inside it.
struct Scope<'m> {
    model: &'m Model,
    returned: &'m [Returned],
    types: &'m Types<'m>,
    parameters: Vec<Parameter>,
}

impl Scope<'_> {
    /// The type of an attribute that every returned entity has.
    fn attribute_type(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
        let mut kind = None;
        for one in self.returned {
            let entity = self.model.entities.get(one.entity)?;
            match entity.attribute(&name.text) {
                Some(attribute) => kind = kind.or(Some(attribute.kind.clone())),
                None => {
                    let names = entity
                        .attributes
                        .iter()
                        .map(|attribute| attribute.name.as_str());
                    diagnostics.push(
                        unknown(&format!("attribute of {}", entity.name), name, names)
                            .note("a pattern speaks of attributes of every entity it returns"),
                    );
                    return None;
                }
            }
        }
        kind
    }

    fn parameter(
        &mut self,
        declared: &ParameterDecl,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        let attribute = &declared.attribute;
        if let LimitDecl::Free(kind) = &declared.limit {
            let kind = match self.types.resolve(kind, attribute, 0) {
                Ok(kind) => kind,
                Err(diagnostic) => {
                    diagnostics.push(*diagnostic);
                    return None;
                }
            };
            return self.add(
                attribute,
                attribute,
                kind,
                Limit::Free,
                declared.optional,
                diagnostics,
            );
        }
        let kind = self.attribute_type(attribute, diagnostics)?;
        let limits: Vec<(&Name, Limit)> = match &declared.limit {
            LimitDecl::Equal => vec![(attribute, Limit::Equal)],
            LimitDecl::Among => vec![(attribute, Limit::Among)],
            LimitDecl::AtLeast(name) => vec![(name, Limit::AtLeast)],
            LimitDecl::AtMost(name) => vec![(name, Limit::AtMost)],
            LimitDecl::Starts(name) => vec![(name, Limit::Starts)],
            LimitDecl::Within(low, high) => vec![(low, Limit::AtLeast), (high, Limit::AtMost)],
            LimitDecl::Period(word) => {
                let unit = Unit::of_word(&word.text)?;
                let fits =
                    matches!(kind, Type::Time(_)) || (kind == Type::Date && unit > Unit::Day);
                if !fits {
                    let diagnostic = if kind == Type::Date && unit == Unit::Day {
                        Diagnostic::error(
                            "KF004",
                            word.span,
                            "a date is a day already",
                            "of a date",
                        )
                        .help(format!("ask for `{}` itself", attribute.text))
                    } else {
                        Diagnostic::error(
                            "KF004",
                            word.span,
                            format!("a {kind} has no {unit}"),
                            "no time",
                        )
                    };
                    diagnostics.push(diagnostic);
                    return None;
                }
                vec![(word, Limit::In(unit))]
            }
            LimitDecl::Free(_) => Vec::new(),
        };
        for (name, limit) in limits {
            let kind = match limit {
                Limit::In(unit) => Type::Period(unit),
                Limit::Among => Type::List(Box::new(kind.clone())),
                Limit::Starts if !matches!(kind, Type::String | Type::Words(_)) => {
                    let message = format!("a {kind} has no beginning to ask for");
                    diagnostics.push(
                        Diagnostic::error(
                            "KF004",
                            attribute.span,
                            message,
                            "`starts` is for texts",
                        )
                        .help("ask for a range: `a >= low`, or `day of a` for times"),
                    );
                    return None;
                }
                Limit::Starts => Type::String,
                Limit::Equal | Limit::AtLeast | Limit::AtMost | Limit::Free => kind.clone(),
            };
            self.add(attribute, name, kind, limit, declared.optional, diagnostics)?;
        }
        Some(())
    }

    fn add(
        &mut self,
        attribute: &Name,
        name: &Name,
        kind: Type,
        limit: Limit,
        optional: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        if self.parameters.iter().any(|other| other.name == name.text) {
            let message = format!("the parameter `{}` is declared twice", name.text);
            diagnostics.push(Diagnostic::error("KF003", name.span, message, "again here"));
            return None;
        }
        let is_range = |limit: Limit| matches!(limit, Limit::AtLeast | Limit::AtMost);
        let meets = |other: &&Parameter| {
            other.attribute == attribute.text
                && (other.limit == limit || !is_range(other.limit) || !is_range(limit))
        };
        if limit != Limit::Free && self.parameters.iter().any(|other| meets(&other)) {
            let message = format!("`{}` is limited twice in the same way", attribute.text);
            diagnostics.push(Diagnostic::error(
                "KF003",
                attribute.span,
                message,
                "again here",
            ));
            return None;
        }
        if limit == Limit::Among
            && self
                .parameters
                .iter()
                .any(|other| other.limit == Limit::Among)
        {
            let message = "a pattern takes one list of ids";
            diagnostics.push(
                Diagnostic::error("KF004", name.span, message, "a second one")
                    .help("give one of them as a single value, or make it two patterns"),
            );
            return None;
        }
        if let (Limit::Among, true) = (limit, optional) {
            diagnostics.push(
                Diagnostic::error(
                    "KF004",
                    name.span,
                    "a list of ids cannot be left out",
                    "optional",
                )
                .help("remove the `?`"),
            );
            return None;
        }
        let span = attribute.span.to(name.span);
        let attribute = if limit == Limit::Free {
            String::new()
        } else {
            attribute.text.clone()
        };
        self.parameters.push(Parameter {
            name: name.text.clone(),
            attribute,
            kind,
            limit,
            optional,
            span,
        });
        Some(())
    }

    fn fixed(
        &self,
        attribute: &Name,
        value: &Name,
        before: &[(String, String)],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(Type, String)> {
        let kind = self.attribute_type(attribute, diagnostics)?;
        let taken = self.parameters.iter().any(|parameter| {
            parameter.attribute == attribute.text || parameter.name == attribute.text
        }) || before.iter().any(|(name, _)| *name == attribute.text);
        if taken {
            let message = format!("`{}` is limited twice", attribute.text);
            let help = "an attribute is a parameter or has a fixed value, once";
            diagnostics
                .push(Diagnostic::error("KF003", attribute.span, message, "again here").help(help));
            return None;
        }
        match crate::value::canonical(&attribute.text, &kind, value.unquoted()) {
            Ok(text) => Some((kind, text)),
            Err(error) => {
                let message = error.to_string();
                diagnostics.push(Diagnostic::error(
                    "KF004",
                    value.span,
                    message,
                    "no value of its type",
                ));
                None
            }
        }
    }

    fn filter(
        &self,
        declared: &ConditionDecl,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Comparison> {
        let kind = self.attribute_type(&declared.attribute, diagnostics)?;
        self.check_readable(&declared.attribute, diagnostics)?;
        let parameters: Vec<(&str, &Type)> = self
            .parameters
            .iter()
            .map(|p| (p.name.as_str(), &p.kind))
            .collect();
        comparison(declared, &kind, &parameters, None, diagnostics)
    }

    /// A compressed attribute can only be compared by the client, which unpacks it.
    fn check_readable(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
        let of = |one: &Returned| self.model.entities.get(one.entity);
        let is_packed = |entity: &crate::schema::Entity| entity.compressed.contains(&name.text);
        let entity = self
            .returned
            .iter()
            .filter_map(of)
            .find(|entity| is_packed(entity));
        let Some(entity) = entity else {
            return Some(());
        };
        let message = format!(
            "`{}` of {} is stored compressed, and cannot be compared",
            name.text, entity.name
        );
        diagnostics.push(
            Diagnostic::error("KF004", name.span, message, "DynamoDB sees its bytes only")
                .label(entity.span, "`compress` is declared here")
                .help("compare it when it is there, or do not compress it"),
        );
        None
    }

    /// A parameter that limits no attribute is there for a filter.
    fn check_used(&self, filters: &[Comparison], diagnostics: &mut Vec<Diagnostic>) -> Option<()> {
        for parameter in self
            .parameters
            .iter()
            .filter(|parameter| parameter.limit == Limit::Free)
        {
            let used = filters.iter().any(
                |filter| matches!(&filter.operand, Some(Operand::Parameter(name)) if *name == parameter.name),
            );
            if !used {
                let message = format!("the parameter `{}` is not used", parameter.name);
                diagnostics.push(
                    Diagnostic::error(
                        "KF002",
                        parameter.span,
                        message,
                        "no filter compares with it",
                    )
                    .help(format!(
                        "limit an attribute by it (`total >= {}`) or compare: `filter total >= {}`",
                        parameter.name, parameter.name
                    )),
                );
                return None;
            }
        }
        Some(())
    }

    fn order(
        &self,
        word: &Name,
        attribute: Option<&Name>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Ordered> {
        let order = match word.text.as_str() {
            "newest" => Order::Newest,
            "oldest" => Order::Oldest,
            "highest" => Order::Highest,
            _ => Order::Lowest,
        };
        if let Some(name) = attribute {
            let kind = self.attribute_type(name, diagnostics)?;
            let fits = match order {
                Order::Newest | Order::Oldest => kind.is_time(),
                Order::Highest | Order::Lowest => kind.is_number(),
            };
            if !fits {
                let message = format!("a {kind} has no order `{}`", word.text);
                diagnostics.push(
                    Diagnostic::error("KF004", name.span, message, "wrong type")
                        .help("times are `newest` or `oldest`, numbers `highest` or `lowest`"),
                );
                return None;
            }
        }
        let span = attribute.map_or(word.span, |name| word.span.to(name.span));
        Some(Ordered {
            order,
            attribute: attribute.map(|name| name.text.clone()),
            span,
        })
    }
}

/// A comparison of an attribute of this type with a parameter, a value, or (where `attributes` are
/// given) another attribute.
pub(super) fn comparison(
    declared: &ConditionDecl,
    kind: &Type,
    parameters: &[(&str, &Type)],
    attributes: Option<&crate::schema::Entity>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Comparison> {
    let all = [
        Comparator::Equal,
        Comparator::Unequal,
        Comparator::Less,
        Comparator::AtMost,
        Comparator::Greater,
        Comparator::AtLeast,
        Comparator::Contains,
        Comparator::Starts,
        Comparator::Exists,
        Comparator::Missing,
    ];
    let comparator = all
        .into_iter()
        .find(|one| one.word() == declared.comparator.text)?;
    let orders = matches!(
        comparator,
        Comparator::Less | Comparator::AtMost | Comparator::Greater | Comparator::AtLeast
    );
    let element = match (comparator, kind) {
        (Comparator::Contains, Type::List(of) | Type::Set(of)) => (**of).clone(),
        (Comparator::Contains | Comparator::Starts, kind) if kind.is_text() => Type::String,
        (Comparator::Contains | Comparator::Starts, kind) => {
            let message = format!("a {kind} cannot be compared by `{}`", comparator.word());
            diagnostics.push(Diagnostic::error(
                "KF004",
                declared.comparator.span,
                message,
                "wrong type",
            ));
            return None;
        }
        (_, kind) if orders && !kind.has_order() => {
            let message = format!("a {kind} has no order");
            diagnostics.push(
                Diagnostic::error("KF004", declared.comparator.span, message, "wrong type")
                    .help("compare with `=` or `<>`"),
            );
            return None;
        }
        (_, kind) => kind.clone(),
    };
    let operand = match &declared.operand {
        None => None,
        Some(name) => Some(operand(
            name,
            &element,
            parameters,
            attributes,
            diagnostics,
        )?),
    };
    let span = declared.attribute.span.to(declared
        .operand
        .as_ref()
        .map_or(declared.comparator.span, |o| o.span));
    Some(Comparison {
        attribute: declared.attribute.text.clone(),
        comparator,
        operand,
        span,
    })
}

/// The operand that a name or value denotes, if it has the wanted type.
pub(super) fn operand(
    name: &Name,
    kind: &Type,
    parameters: &[(&str, &Type)],
    attributes: Option<&crate::schema::Entity>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Operand> {
    let attribute = |name: &str| attributes.and_then(|entity| entity.attribute(name));
    let literal = |text: &str| crate::value::parse("the value", kind, text);
    let (found, operand) = if name.is_quoted() {
        match literal(name.unquoted()) {
            Ok(value) => return Some(Operand::Literal(value)),
            Err(error) => {
                diagnostics.push(Diagnostic::error(
                    "KF004",
                    name.span,
                    error.to_string(),
                    "wrong type",
                ));
                return None;
            }
        }
    } else if let Some((_, found)) = parameters
        .iter()
        .find(|(parameter, _)| *parameter == name.text)
    {
        (*found, Operand::Parameter(name.text.clone()))
    } else if let Some(found) = attribute(&name.text) {
        (&found.kind, Operand::Attribute(name.text.clone()))
    } else {
        if !matches!(kind, Type::String)
            && let Ok(value) = literal(&name.text)
        {
            return Some(Operand::Literal(value));
        }
        let attributes = attributes
            .iter()
            .flat_map(|e| &e.attributes)
            .map(|a| a.name.as_str());
        diagnostics.push(
            unknown(
                "parameter or value",
                name,
                parameters.iter().map(|(name, _)| *name).chain(attributes),
            )
            .note("a fixed text stands in quotes"),
        );
        return None;
    };
    if found == kind || (*found == Type::Int && *kind == Type::Number) {
        return Some(operand);
    }
    let wrong = format!("`{}` is a {found}, and a {kind} is needed", name.text);
    diagnostics.push(Diagnostic::error("KF004", name.span, wrong, "wrong type"));
    None
}
