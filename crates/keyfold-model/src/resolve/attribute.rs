//! Attributes: types, references and default values.

use super::aggregate;
use super::comparison::with_near_word;
use super::former;
use super::made;
use super::names::distinct;
use super::types::{Types, reference};
use crate::check::meant;
use crate::diagnostic::Diagnostic;
use crate::schema::{Attribute, DefaultValue, Type};
use crate::syntax::ast::{AttributeDecl, EntityDecl, FormerDecl, Name, TypeDecl};

/// Resolves the attributes of an entity: those it declares, and those that the model keeps.
pub(super) fn resolve_all(
    declared: &EntityDecl,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Attribute> {
    distinct(
        "attribute",
        declared.attributes.iter().map(|attribute| &attribute.name),
        diagnostics,
    );
    former::check_attributes(declared, diagnostics);
    let mut all: Vec<Attribute> = declared
        .attributes
        .iter()
        .map(|attribute| resolve(attribute, types, diagnostics))
        .collect();
    for (one, attribute) in declared.attributes.iter().zip(&all) {
        let names = all.iter().map(|attribute| attribute.name.as_str());
        let given = one.default.as_ref();
        diagnostics.extend(
            given.and_then(|given| {
                meant::report(given, &attribute.kind, names.chain(["now", "new"]))
            }),
        );
    }
    for one in &declared.aggregates {
        let of = one
            .of
            .as_ref()
            .map(|of| TypeDecl::Reference(one.entity.clone(), of.clone()));
        // Errors in it are reported when the aggregate is resolved.
        let kind = of.and_then(|of| types.resolve(&of, &one.attribute, 0).ok());
        keep(&mut all, aggregate::kept_attribute(one, kind), diagnostics);
    }
    if let Some(version) = &declared.version {
        let attribute = Attribute {
            name: version.text.clone(),
            span: version.span,
            kind: Type::Int,
            optional: false,
            mark: None,
            default: Some(DefaultValue::Value(keyfold_types::Value::from(1))),
            refers: None,
            is_kept: true,
            was: Vec::new(),
            former: None,
        };
        keep(&mut all, attribute, diagnostics);
    }
    all
}

/// Adds an attribute that the model keeps. The entity may declare it too, with the same type.
fn keep(all: &mut Vec<Attribute>, kept: Attribute, diagnostics: &mut Vec<Diagnostic>) {
    match all.iter_mut().find(|known| known.name == kept.name) {
        None => all.push(kept),
        Some(known) if known.is_kept => diagnostics.push(
            Diagnostic::error(
                "KF003",
                kept.span,
                format!("`{}` is kept twice", kept.name),
                "again here",
            )
            .label(known.span, "first here")
            .help("give it a name of its own"),
        ),
        Some(known) if known.kind == kept.kind => {
            *known = Attribute {
                span: known.span,
                was: std::mem::take(&mut known.was),
                ..kept
            };
        }
        Some(known) => diagnostics.push(
            Diagnostic::error(
                "KF004",
                known.span,
                format!(
                    "`{}` is {}, and what is kept in it {}",
                    known.name,
                    known.kind.with_article(),
                    kept.kind.with_article()
                ),
                "another type",
            )
            .label(kept.span, "kept from here")
            .help("remove the declaration: the line that keeps it declares it too"),
        ),
    }
}

fn resolve(
    declared: &AttributeDecl,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Attribute {
    // An attribute with a faulty type stays declared, so that its uses cause no further errors.
    let kind = types.of(declared).unwrap_or_else(|diagnostic| {
        diagnostics.push(*diagnostic);
        Type::String
    });
    let refers = reference(&declared.kind);
    let default = default(declared, &kind, diagnostics);
    let former = made::resolve(declared, &kind, diagnostics);
    let was = declared.was.as_ref().map(FormerDecl::names);
    let was = was.unwrap_or_default().into_iter();
    Attribute {
        name: declared.name.text.clone(),
        span: declared.name.span,
        kind,
        optional: declared.optional,
        mark: declared.mark,
        default,
        refers,
        is_kept: false,
        was: was.map(|was| was.text.clone()).collect(),
        former,
    }
}

fn default(
    declared: &AttributeDecl,
    kind: &Type,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<DefaultValue> {
    let given = declared.default.as_ref()?;
    if declared.always {
        return always(declared, given, kind, diagnostics);
    }
    match (given.text.as_str(), kind) {
        ("now", Type::Time(_) | Type::Date) => Some(DefaultValue::Now),
        ("new", Type::Ulid | Type::Uuid) => Some(DefaultValue::New),
        _ => match crate::value::parse(&declared.name.text, kind, given.unquoted()) {
            Ok(value) => Some(DefaultValue::Value(value)),
            Err(error) => {
                let wrong = Diagnostic::error(
                    "KF004",
                    given.span,
                    error.to_string(),
                    "no value of its type",
                );
                let wrong = match kind {
                    Type::Time(_) | Type::Date => wrong.note("it may also be `now`"),
                    Type::Ulid | Type::Uuid => wrong.note("it may also be `new`"),
                    Type::Int | Type::Number if given.text == "now" => wrong.help(
                        "`now` is a moment: declare the attribute as `time`, or give the number as a parameter",
                    ),
                    Type::String
                    | Type::Int
                    | Type::Number
                    | Type::Bool
                    | Type::Period(_)
                    | Type::Binary
                    | Type::Words(_)
                    | Type::List(_)
                    | Type::Map(_)
                    | Type::Set(_)
                    | Type::Record(_) => with_near_word(wrong, given, kind),
                };
                diagnostics.push(wrong);
                None
            }
        },
    }
}

/// The default of an attribute that each write sets: only the present moment is another each time,
/// and an item never lacks it.
fn always(
    declared: &AttributeDecl,
    given: &Name,
    kind: &Type,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<DefaultValue> {
    let is_moment = given.text == "now" && matches!(kind, Type::Time(_) | Type::Date);
    if is_moment && !declared.optional {
        return Some(DefaultValue::Always);
    }
    let (message, help) = if is_moment {
        let message = "every write sets it, so that no item lacks it".to_owned();
        (message, "remove the `?` behind its type")
    } else {
        let message = format!("`{}` is no moment that every write could set", given.text);
        (
            message,
            "times and dates may be `now always`; remove `always`",
        )
    };
    diagnostics
        .push(Diagnostic::error("KF004", given.span, message, "`always` does not fit").help(help));
    None
}
