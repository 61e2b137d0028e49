//! Comparisons, their operands, and fixed values.

use super::condition::Subject;
use super::names::unknown;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Attribute, Comparator, Comparison, Entity, Measure, Operand, Type};
use crate::syntax::ast::{ComparisonDecl, Name, texts};
use keyfold_types::limits::IN_OPERANDS_MAX;

/// The names that an operand may have.
pub(super) struct Operands<'s> {
    /// Parameters and their types.
    pub(super) parameters: &'s [(&'s str, &'s Type)],
    /// The entity whose attributes are operands, too; `None` where only parameters are.
    pub(super) item: Option<&'s Entity>,
}

impl Operands<'_> {
    /// Resolves a comparison.
    pub(super) fn comparison(
        &self,
        declared: &ComparisonDecl,
        subject: &Subject,
    ) -> Result<Comparison, Box<Diagnostic>> {
        let compared = compared_type(declared, &subject.kind)?;
        check_count(declared)?;
        let operands = declared
            .operands
            .iter()
            .map(|name| self.operand(name, &compared))
            .collect::<Result<Vec<_>, _>>()?;
        let comparison = Comparison {
            measure: subject.measure,
            attribute: declared.attribute.text.clone(),
            fields: texts(&declared.fields),
            comparator: declared.comparator,
            operands,
            span: declared.span,
        };
        check_distinct(declared, &comparison)?;
        Ok(comparison)
    }

    /// Resolves an operand: a quoted text, a parameter or an attribute, which may stand in
    /// braces, or a value of this type.
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
        let braced = name.in_braces();
        let is_braced = braced.is_some();
        let name = braced.as_ref().unwrap_or(name);
        let Some((found, operand)) = self.named(name) else {
            // A text stands in quotes: a bare word would hide a misspelt name.
            let is_number = !is_braced
                && name
                    .text
                    .starts_with(|c: char| c.is_ascii_digit() || c == '-');
            return match literal(&name.text) {
                Ok(value) if *kind != Type::String && !is_braced => Ok(Operand::Literal(value)),
                Ok(_) if is_number => Err(number_for_text(name, kind)),
                Err(error) if is_number => Err(wrong(error.to_string())),
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
        let behind_alias = format!(".{}", name.text);
        let of_aliases = parameters
            .clone()
            .filter(|one| one.ends_with(&behind_alias));
        let of_aliases: Vec<String> = of_aliases.map(|one| format!("`{{{one}}}`")).collect();
        if !of_aliases.is_empty() {
            let message = format!("there is no parameter or value `{}`", name.text);
            let ways = of_aliases.join(" or ");
            return Diagnostic::error("KF002", name.span, message, "of which item?")
                .help(format!("say which: {ways}"));
        }
        let attributes = self
            .item
            .iter()
            .flat_map(|entity| &entity.attributes)
            .map(|attribute| attribute.name.as_str());
        unknown("parameter or value", name, parameters.chain(attributes)).note(
            "a fixed text stands in quotes, a name that is no plain word in braces: `{in-stock}`",
        )
    }
}

fn number_for_text(name: &Name, kind: &Type) -> Box<Diagnostic> {
    let message = format!("`{}` is a number, and a {kind} is needed", name.text);
    let quoted = format!("\"{}\"", name.text);
    Box::new(
        Diagnostic::error("KF004", name.span, message, "wrong type")
            .help(format!("a text stands in quotes: {quoted}"))
            .repair(vec![Edit::replace(name.span, quoted)]),
    )
}

/// The type that the operand of a comparison must have.
fn compared_type(declared: &ComparisonDecl, kind: &Type) -> Result<Type, Box<Diagnostic>> {
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
        Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast
        | Comparator::Within
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
        | Comparator::Missing
        | Comparator::In
        | Comparator::Within => Ok(kind.clone()),
    }
}

/// An expression compares with a limited number of values at once.
fn check_count(declared: &ComparisonDecl) -> Result<(), Box<Diagnostic>> {
    let count = declared.operands.len();
    if count <= IN_OPERANDS_MAX {
        return Ok(());
    }
    let message = format!("`in` has {count} values, more than an expression takes");
    Err(Box::new(
        Diagnostic::error("KF004", declared.span, message, "too many")
            .note(format!("DynamoDB takes at most {IN_OPERANDS_MAX}"))
            .help("compare in several lists: `a in (...) or a in (...)`"),
    ))
}

/// DynamoDB refuses to compare an attribute with itself.
fn check_distinct(
    declared: &ComparisonDecl,
    comparison: &Comparison,
) -> Result<(), Box<Diagnostic>> {
    let itself = Operand::Attribute(comparison.attribute.clone());
    let is_whole = comparison.fields.is_empty() && comparison.measure == Measure::Value;
    if !is_whole || !comparison.operands.contains(&itself) {
        return Ok(());
    }
    let name = &comparison.attribute;
    let message = format!("`{name}` is compared with itself");
    Err(Box::new(
        Diagnostic::error("KF004", declared.span, message, "says nothing").help(format!(
            "to compare with a value, name it among the write's parameters: `write ...({name})`"
        )),
    ))
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
