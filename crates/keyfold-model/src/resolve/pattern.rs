//! Patterns: parameters and what they return. The plan is found later.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::plan::PatternPlan;
use crate::schema::{Limit, Model, Order, Parameter, Pattern, Returned};
use crate::syntax::ast::{Name, ParameterDecl, PatternDecl};

pub(super) fn resolve(
    declared: &PatternDecl,
    declared_entities: &[&str],
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Pattern> {
    let mut returned = Vec::new();
    for one in &declared.returned {
        let Some(entity_at) = model.entities.iter().position(|entity| entity.name == one.entity.text) else {
            // An entity that is declared but broken has been reported where it is.
            if !declared_entities.contains(&one.entity.text.as_str()) {
                diagnostics.push(unknown("entity", &one.entity, declared_entities.iter().copied()));
            }
            return None;
        };
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
        let span = one.copy.as_ref().map_or(one.entity.span, |copy| one.entity.span.to(copy.span));
        returned.push(Returned { entity: entity_at, copy, many: one.many, optional: one.optional, span });
    }
    let mut parameters = Vec::new();
    for parameter in &declared.parameters {
        resolve_parameter(parameter, &returned, model, &mut parameters, diagnostics)?;
    }
    let (mut fixed, mut fixed_values) = (Vec::new(), Vec::new());
    for (attribute, value) in &declared.fixed {
        let kind = attribute_type(attribute, &returned, model, diagnostics)?;
        let taken = parameters.iter().any(|parameter| parameter.attribute == attribute.text)
            || fixed.iter().any(|(name, _)| *name == attribute.text);
        if taken {
            let message = format!("`{}` is limited twice", attribute.text);
            let help = "an attribute is a parameter or has a fixed value, once";
            diagnostics.push(Diagnostic::error("KF003", attribute.span, message, "again here").help(help));
            return None;
        }
        match crate::value::canonical(&attribute.text, &kind, value.unquoted()) {
            Ok(text) => {
                fixed_values.push((attribute.text.clone(), kind.clone(), text.clone()));
                fixed.push((attribute.text.clone(), text));
            }
            Err(error) => {
                let message = error.to_string();
                diagnostics.push(Diagnostic::error("KF004", value.span, message, "no value of its type"));
                return None;
            }
        }
    }
    let order = declared.order.as_ref().map(|order| {
        let meaning = match order.text.as_str() {
            "newest" => Order::Newest,
            "oldest" => Order::Oldest,
            "highest" => Order::Highest,
            _ => Order::Lowest,
        };
        (meaning, order.span)
    });
    Some(Pattern {
        name: declared.name.text.clone(),
        span: declared.name.span,
        parameters,
        fixed,
        fixed_values,
        returned,
        order,
        page: declared.page,
        strong: declared.strong,
        plan: PatternPlan::default(),
    })
}

/// The type of an attribute that every returned entity has.
fn attribute_type(
    name: &Name,
    returned: &[Returned],
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<crate::schema::Type> {
    let mut kind = None;
    for one in returned {
        let entity = model.entities.get(one.entity)?;
        match entity.attribute(&name.text) {
            Some(attribute) => kind = kind.or(Some(attribute.kind.clone())),
            None => {
                let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
                diagnostics.push(
                    unknown(&format!("attribute of {}", entity.name), name, names)
                        .note("a pattern's parameters are attributes of every entity it returns"),
                );
                return None;
            }
        }
    }
    kind
}

fn resolve_parameter(
    declared: &ParameterDecl,
    returned: &[Returned],
    model: &Model,
    parameters: &mut Vec<Parameter>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<()> {
    let (attribute, limits): (&Name, Vec<(&Name, Limit)>) = match declared {
        ParameterDecl::Equal(name) => (name, vec![(name, Limit::Equal)]),
        ParameterDecl::AtLeast(attribute, name) => (attribute, vec![(name, Limit::AtLeast)]),
        ParameterDecl::AtMost(attribute, name) => (attribute, vec![(name, Limit::AtMost)]),
        ParameterDecl::Within(attribute, low, high) => {
            (attribute, vec![(low, Limit::AtLeast), (high, Limit::AtMost)])
        }
    };
    let kind = attribute_type(attribute, returned, model, diagnostics)?;
    for (name, limit) in limits {
        let same_limit = |other: &&Parameter| {
            other.attribute == attribute.text && (other.limit == limit || other.limit == Limit::Equal)
        };
        if parameters.iter().any(|other| other.name == name.text) {
            let message = format!("the parameter `{}` is declared twice", name.text);
            diagnostics.push(Diagnostic::error("KF003", name.span, message, "again here"));
            return None;
        }
        if parameters.iter().any(|other| same_limit(&other)) {
            let message = format!("`{}` is limited twice in the same way", attribute.text);
            diagnostics.push(Diagnostic::error("KF003", attribute.span, message, "again here"));
            return None;
        }
        let (name, span) = (name.text.clone(), attribute.span.to(name.span));
        parameters.push(Parameter {
            name,
            attribute: attribute.text.clone(),
            kind: kind.clone(),
            limit,
            span,
        });
    }
    Some(())
}
