//! Comparisons, their operands, and fixed values.

use super::above::{Above, fits};
use super::condition::{Subject, field_type};
use super::names::unknown;
use crate::diagnostic::{Diagnostic, Edit};
use crate::near::nearest;
use crate::schema::{Attribute, Comparator, Comparison, Entity, Measure, Operand, Path, Type};
use crate::syntax::ast::{ComparisonDecl, Name, PathDecl, texts};
use crate::written::{in_braces, written};
use keyfold_types::limits::IN_OPERANDS_MAX;

/// The names that an operand may have.
pub(super) struct Operands<'s> {
    /// Parameters and their types.
    pub(super) parameters: &'s [(&'s str, &'s Type)],
    /// The entity whose attributes are operands, too; `None` where only parameters are.
    pub(super) item: Option<&'s Entity>,
    /// The actions whose attributes are operands of assignments; `None` where they cannot be.
    pub(super) above: Option<&'s Above<'s>>,
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
            .map(|one| self.compared_operand(one, &compared))
            .collect::<Result<Vec<_>, _>>()?;
        let comparison = Comparison {
            measure: subject.measure,
            attribute: declared.attribute.text.clone(),
            fields: texts(&declared.fields),
            comparator: declared.comparator,
            operands,
            span: declared.span,
        };
        check_distinct(declared, &comparison, self.parameters.is_empty())?;
        Ok(comparison)
    }

    /// Resolves what an attribute of a type is compared with. An int and a number are compared as numbers.
    fn compared_operand(
        &self,
        declared: &PathDecl,
        kind: &Type,
    ) -> Result<Operand, Box<Diagnostic>> {
        if *kind == Type::Int
            && let Ok(found @ Operand::Attribute(_)) = self.path_operand(declared, &Type::Number)
        {
            return Ok(found);
        }
        self.path_operand(declared, kind)
    }

    /// Resolves an operand that may be a field inside an attribute of the item.
    pub(super) fn path_operand(
        &self,
        declared: &PathDecl,
        kind: &Type,
    ) -> Result<Operand, Box<Diagnostic>> {
        let PathDecl { name, fields } = declared;
        if fields.is_empty() {
            return self.operand(name, kind);
        }
        let braced = name.in_braces();
        let name = braced.as_ref().unwrap_or(name);
        let found = self.item.and_then(|entity| entity.attribute(&name.text));
        let is_parameter = self.parameters.iter().any(|(one, _)| *one == name.text);
        if let (Some(above), Some(of)) = (self.above, fields.first()) {
            // In braces a name is that of a parameter or an attribute.
            let is_attribute = found.is_some() && braced.is_none();
            let other = match (is_parameter, is_attribute) {
                (true, _) => Some("a parameter of the write"),
                (false, true) => Some("an attribute of the item"),
                (false, false) => None,
            };
            other.map_or(Ok(()), |other| above.check_alone((name, of), other))?;
        }
        let Some(found) = found.filter(|_| !is_parameter) else {
            let above = self.above.filter(|above| above.knows(name));
            return match (above, fields.as_slice()) {
                (Some(above), [of, inner @ ..]) => above
                    .operand((name, of, inner), kind, self.parameters)
                    .map(Operand::Lent),
                (Some(_), []) => Err(Box::new(self.unknown(name))),
                (None, _) => Err(Box::new(self.no_fields(name, fields, is_parameter))),
            };
        };
        let of = field_type(name, &found.kind, fields)?;
        if fits(of, kind) {
            return Ok(Operand::Attribute(Path {
                attribute: found.name.clone(),
                fields: texts(fields),
            }));
        }
        let path = written_path(name, fields);
        let message = format!(
            "`{path}` is {}, and {} is needed",
            of.with_article(),
            kind.with_article()
        );
        Err(Box::new(Diagnostic::error(
            "KF004",
            declared.span(),
            message,
            "wrong type",
        )))
    }

    /// The error about a field of what is no attribute of the item.
    fn no_fields(&self, name: &Name, fields: &[Name], is_parameter: bool) -> Diagnostic {
        let path = written_path(name, fields);
        let error =
            |message: String, label: &str| Diagnostic::error("KF004", name.span, message, label);
        if is_parameter {
            let message = format!("`{}` is a parameter, and a field of it is named", name.text);
            return error(message, "fields are of the stored item")
                .help("make the field a parameter of its own, or give the parameter another name than the attribute");
        }
        // The attributes of another action's item are parameters behind its name.
        if self.parameters.iter().any(|(one, _)| *one == path) {
            let message = format!("`{path}` is a parameter, whose name stands in braces");
            return error(message, "no field").help(format!("write `{{{path}}}`"));
        }
        if name.is_quoted()
            || name
                .text
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
        {
            let message = format!("{} is a fixed value, which has no fields", name.text);
            return error(message, "no attribute").help(
                "an attribute whose name is no plain word stands in braces: `{in-stock}.field`",
            );
        }
        if self.item.is_none() {
            let message = format!("`{path}` is no parameter and no fixed value");
            return error(message, "only these can stand here")
                .help("name a parameter, or give a fixed value");
        }
        self.unknown(name)
    }

    /// Resolves an operand: a quoted text, a parameter or an attribute, which may stand in
    /// braces, or a value of this type.
    pub(super) fn operand(&self, name: &Name, kind: &Type) -> Result<Operand, Box<Diagnostic>> {
        let wrong = |message: String| {
            Box::new(Diagnostic::error("KF004", name.span, message, "wrong type"))
        };
        let literal = |text: &str| crate::value::parse("the value", kind, text);
        if name.is_quoted() {
            let text = name.unquoted();
            return literal(text)
                .map(Operand::Literal)
                .map_err(|error| Box::new(self.meant_name(*wrong(error.to_string()), name)));
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
                Err(error) if !is_braced && !near_words(name, kind).is_empty() => {
                    let diagnostic = wrong(error.to_string());
                    Err(Box::new(with_near_word(*diagnostic, name, kind)))
                }
                Ok(_) | Err(_) => Err(Box::new(self.unknown(name))),
            };
        };
        if fits(found, kind) {
            return Ok(operand);
        }
        Err(wrong(format!(
            "`{}` is {}, and {} is needed",
            name.text,
            found.with_article(),
            kind.with_article()
        )))
    }

    /// Adds the repair of a text in quotes that is a name: in braces it is that of a parameter or
    /// an attribute.
    fn meant_name(&self, wrong: Diagnostic, name: &Name) -> Diagnostic {
        let text = name.unquoted();
        let is_parameter = self.parameters.iter().any(|(one, _)| *one == text);
        let is_attribute = self.item.is_some_and(|item| item.attribute(text).is_some());
        let what = match (is_parameter, is_attribute) {
            (true, _) => "parameter",
            (false, true) => "attribute",
            (false, false) => return wrong,
        };
        let braced = in_braces(text);
        wrong
            .help(format!("the {what} stands in braces: `{braced}`"))
            .repair(vec![Edit::replace(name.span, braced)])
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
        Some((&attribute.kind, Operand::Attribute(Path::of(&name.text))))
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
        let error = unknown("parameter or value", name, parameters.chain(attributes));
        if name.text == "now" {
            return error.note("`now` is a moment, and stands for a time or a date");
        }
        error.note(
            "a fixed text stands in quotes, a name that is no plain word in braces: `{in-stock}`",
        )
    }
}

/// The words of an enumeration that are nearest to a given one.
fn near_words<'k>(given: &Name, kind: &'k Type) -> Vec<&'k str> {
    let Type::Words(words) = kind else {
        return Vec::new();
    };
    nearest(given.unquoted(), words.iter().map(String::as_str))
}

/// The error about a word that an enumeration does not have, with the nearest one as its repair. Of
/// several that are equally near the author chooses.
pub(super) fn with_near_word(diagnostic: Diagnostic, given: &Name, kind: &Type) -> Diagnostic {
    match near_words(given, kind).as_slice() {
        [] => diagnostic,
        [near] => diagnostic
            .help(format!("did you mean `{near}`?"))
            .repair(vec![Edit::replace(given.span, written(near))]),
        [first, second, ..] => diagnostic.help(format!("did you mean `{first}` or `{second}`?")),
    }
}

/// A path as it is written.
fn written_path(name: &Name, fields: &[Name]) -> String {
    let path = Path {
        attribute: name.text.clone(),
        fields: texts(fields),
    };
    path.to_string()
}

fn number_for_text(name: &Name, kind: &Type) -> Box<Diagnostic> {
    let message = format!(
        "`{}` is a number, and {} is needed",
        name.text,
        kind.with_article()
    );
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
                "{} cannot be compared by `{}`",
                kind.with_article(),
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
                wrong(format!("{} has no order", kind.with_article()))
                    .help("compare with `=` or `<>`"),
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
    is_of_copy: bool,
) -> Result<(), Box<Diagnostic>> {
    let path = comparison.path();
    let is_itself = comparison.operands.iter().any(|one| one.is_path(&path));
    if comparison.measure != Measure::Value || !is_itself {
        return Ok(());
    }
    let message = format!("`{path}` is compared with itself");
    let error = Diagnostic::error("KF004", declared.span, message, "says nothing");
    // The condition of a copy has no parameters.
    Err(Box::new(match (is_of_copy, path.is_whole()) {
        (true, _) => error.help("compare with a fixed value or another attribute"),
        (false, true) => error.help(format!(
            "to compare with a value, name it among the write's parameters: `write ...({path})`"
        )),
        (false, false) => {
            error.help("compare with a parameter, a fixed value or another attribute")
        }
    }))
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
