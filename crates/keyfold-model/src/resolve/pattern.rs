//! Patterns: parameters and what they return. The plan is found later.

use super::unknown;
use crate::diagnostic::Diagnostic;
use crate::plan::PatternPlan;
use crate::schema::{Limit, Model, Order, Parameter, Pattern, Returned};
use crate::syntax::ast::{Name, ParameterDecl, PatternDecl};

pub(super) fn resolve(
    declared: &PatternDecl,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Pattern> {
    let mut returned = Vec::new();
    for one in &declared.returned {
        let Some(entity_at) = model.entities.iter().position(|entity| entity.name == one.entity.text) else {
            let names = model.entities.iter().map(|entity| entity.name.as_str());
            diagnostics.push(unknown("entity", &one.entity, names));
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
    let mut fixed = Vec::new();
    for (attribute, value) in &declared.fixed {
        let kind = attribute_type(attribute, &returned, model, diagnostics)?;
        if let Err(error) = crate::value::parse(&attribute.text, &kind, &value.text) {
            diagnostics.push(Diagnostic::error(
                "KF004",
                value.span,
                error.to_string(),
                "no value of its type",
            ));
            return None;
        }
        fixed.push((attribute.text.clone(), value.text.clone()));
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
        if parameters.iter().any(|other| other.name == name.text) {
            let message = format!("the parameter `{}` is declared twice", name.text);
            diagnostics.push(Diagnostic::error("KF003", name.span, message, "again here"));
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
