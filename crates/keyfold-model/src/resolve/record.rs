//! Records of a list of which a write makes an item each: their fields provide attributes.

use crate::diagnostic::Diagnostic;
use crate::schema::{Attribute, Type};
use crate::syntax::ast::ActionDecl;

/// A field of a record that provides an attribute must have its type, and must be required where
/// the attribute is (`may_lack` is false).
pub(super) fn check_field(
    declared: &ActionDecl,
    attribute: &Attribute,
    may_lack: bool,
    (name, kind, optional): &(String, Type, bool),
) -> Result<(), Box<Diagnostic>> {
    let fits = *kind == attribute.kind || (*kind == Type::Int && attribute.kind == Type::Number);
    if fits && (!optional || may_lack) {
        return Ok(());
    }
    let message = if fits {
        format!(
            "`{name}` may be missing in a record, and every {} has one",
            declared.entity.text
        )
    } else {
        format!(
            "`{name}` of {} is {}, and a record's {}",
            declared.entity.text,
            attribute.kind.with_article(),
            kind.with_article()
        )
    };
    let span = declared
        .each
        .as_ref()
        .map_or(declared.entity.span, |each| each.span);
    Err(Box::new(
        Diagnostic::error("KF004", span, message, "records of this list")
            .label(attribute.span, "declared here")
            .help(format!(
                "declare the field as `{name}: {}`",
                declared_as(&attribute.kind)
            )),
    ))
}

/// A type as a declaration writes it: a single word stands in quotes, since it would be the name of a
/// type without them.
fn declared_as(kind: &Type) -> String {
    let text = kind.to_string();
    if let Type::Words(words) = kind
        && *words == [text.as_str()]
    {
        return format!("\"{text}\"");
    }
    text
}
