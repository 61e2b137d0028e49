//! Comparisons, their operands, and fixed values.

use super::names::unknown;
use crate::diagnostic::Diagnostic;
use crate::schema::{Attribute, Comparator, Comparison, Entity, Operand, Type};
use crate::syntax::ast::{ConditionDecl, Name};

/// The names that an operand may have.
pub(super) struct Operands<'s> {
    /// Parameters and their types.
    pub(super) parameters: &'s [(&'s str, &'s Type)],
    /// The entity whose attributes are operands, too; `None` where only parameters are.
    pub(super) item: Option<&'s Entity>,
}

impl Operands<'_> {
    /// Resolves a comparison of an attribute of this type.
    pub(super) fn comparison(
        &self,
        declared: &ConditionDecl,
        kind: &Type,
    ) -> Result<Comparison, Box<Diagnostic>> {
        let compared = compared_type(declared, kind)?;
        let operand = match &declared.operand {
            None => None,
            Some(name) => Some(self.operand(name, &compared)?),
        };
        let end = declared
            .operand
            .as_ref()
            .map_or(declared.comparator_span, |operand| operand.span);
        Ok(Comparison {
            attribute: declared.attribute.text.clone(),
            comparator: declared.comparator,
            operand,
            span: declared.attribute.span.to(end),
        })
    }

    /// Resolves an operand: a quoted text, a parameter, an attribute or a value of this type.
    pub(super) fn operand(&self, name: &Name, kind: &Type) -> Result<Operand, Box<Diagnostic>> {
        let wrong = |message: String| {
            Box::new(Diagnostic::error("KF004", name.span, message, "wrong type"))
        };
        let literal = |text: &str| crate::value::parse("the value", kind, text);
        if name.is_quoted() {
            return literal(name.unquoted())
                .map(Operand::Literal)
                .map_err(|error| wrong(error.to_string()));
        }
        let Some((found, operand)) = self.named(name) else {
            // A text stands in quotes: a bare word would hide a misspelt name.
            return match literal(&name.text) {
                Ok(value) if *kind != Type::String => Ok(Operand::Literal(value)),
                Ok(_) | Err(_) => Err(Box::new(self.unknown(name))),
            };
        };
        if found == kind || (*found == Type::Int && *kind == Type::Number) {
            return Ok(operand);
        }
        Err(wrong(format!(
            "`{}` is a {found}, and a {kind} is needed",
            name.text
        )))
    }

    /// The parameter or attribute of a name, with its type.
    fn named(&self, name: &Name) -> Option<(&Type, Operand)> {
        let parameter = self
            .parameters
            .iter()
            .find(|(parameter, _)| *parameter == name.text);
        if let Some((_, kind)) = parameter {
            return Some((kind, Operand::Parameter(name.text.clone())));
        }
        let attribute = self.item?.attribute(&name.text)?;
        Some((&attribute.kind, Operand::Attribute(name.text.clone())))
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        let parameters = self.parameters.iter().map(|(name, _)| *name);
        let attributes = self
            .item
            .iter()
            .flat_map(|entity| &entity.attributes)
            .map(|attribute| attribute.name.as_str());
        unknown("parameter or value", name, parameters.chain(attributes))
            .note("a fixed text stands in quotes")
    }
}

/// The type that the operand of a comparison must have.
fn compared_type(declared: &ConditionDecl, kind: &Type) -> Result<Type, Box<Diagnostic>> {
    let comparator = declared.comparator;
    let wrong = |message: String| {
        Diagnostic::error("KF004", declared.comparator_span, message, "wrong type")
    };
    match comparator {
        Comparator::Contains | Comparator::Starts => match (comparator, kind) {
            (Comparator::Contains, Type::List(of) | Type::Set(of)) => Ok((**of).clone()),
            (_, kind) if kind.is_text() => Ok(Type::String),
            (_, kind) => Err(Box::new(wrong(format!(
                "a {kind} cannot be compared by `{}`",
                comparator.word()
            )))),
        },
        Comparator::Less | Comparator::AtMost | Comparator::Greater | Comparator::AtLeast
            if !kind.has_order() =>
        {
            Err(Box::new(
                wrong(format!("a {kind} has no order")).help("compare with `=` or `<>`"),
            ))
        }
        Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast
        | Comparator::Equal
        | Comparator::Unequal
        | Comparator::Exists
        | Comparator::Missing => Ok(kind.clone()),
    }
}

/// The text of a fixed value of an attribute, in its stored form.
pub(super) fn stored_text(attribute: &Attribute, value: &Name) -> Result<String, Box<Diagnostic>> {
    crate::value::canonical(&attribute.name, &attribute.kind, value.unquoted()).map_err(|error| {
        Box::new(Diagnostic::error(
            "KF004",
            value.span,
            error.to_string(),
            "no such value",
        ))
    })
}
