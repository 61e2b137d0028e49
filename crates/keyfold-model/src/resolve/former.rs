//! Former names: `was oldName` says which name an attribute or an entity had in an earlier version of
//! the model. The old name is one that the model has no more, and nothing else had it.

use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{EntityDecl, FormerDecl, Name, Tree};

/// A declaration that may have had another name.
struct Declared<'d> {
    name: &'d Name,
    was: Vec<&'d Name>,
}

/// Refuses former names of entities that mean nothing, and those of the fields of records.
pub(super) fn check(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let entities = tree.entities.iter().map(|one| Declared {
        name: &one.name,
        // Several entities are made of the items of one, which may go on with the others.
        was: one
            .was
            .iter()
            .filter(|was| one.part.is_none() || was.text == one.name.text)
            .collect(),
    });
    check_all("entity", &entities.collect::<Vec<_>>(), diagnostics);
    let fields = tree.records.iter().flat_map(|record| &record.fields);
    for was in fields.filter_map(|field| Some(field.was.as_ref()?.span())) {
        let message = "a field of a record has no former name";
        diagnostics.push(
            Diagnostic::error("KF004", was, message, "`was` stands here").help(
                "attributes of entities have former names: add the field as a new one, or give the attribute that holds the record another name",
            ),
        );
    }
}

/// Refuses former names of an entity's attributes that mean nothing.
pub(super) fn check_attributes(declared: &EntityDecl, diagnostics: &mut Vec<Diagnostic>) {
    let attributes = declared.attributes.iter().map(|one| Declared {
        name: &one.name,
        was: one.was.as_ref().map(FormerDecl::names).unwrap_or_default(),
    });
    check_all("attribute", &attributes.collect::<Vec<_>>(), diagnostics);
}

/// Refuses a former name that is still declared, and one that two declarations had.
fn check_all(what: &str, all: &[Declared<'_>], diagnostics: &mut Vec<Diagnostic>) {
    let mut known: Vec<&Name> = Vec::new();
    let each = all
        .iter()
        .flat_map(|one| one.was.iter().map(move |was| (one, *was)));
    for (one, was) in each {
        // One of several that become one may have had its own name.
        if one.was.len() > 1
            && one.name.text == was.text
            && !known.iter().any(|other| other.text == was.text)
        {
            known.push(was);
            continue;
        }
        let holder = all.iter().find(|other| other.name.text == was.text);
        let earlier = known.iter().find(|other| other.text == was.text);
        let refused = match (holder, earlier) {
            (Some(holder), _) => Some(still_there(what, one, was, holder)),
            (None, Some(earlier)) => Some(had_by_two(what, was, earlier.span)),
            (None, None) => None,
        };
        diagnostics.extend(refused);
        known.push(was);
    }
}

/// The error about a former name that a declaration still has.
fn still_there(what: &str, one: &Declared<'_>, was: &Name, holder: &Declared<'_>) -> Diagnostic {
    let name = &was.text;
    if one.name.span == holder.name.span {
        let message = format!("the {what} `{name}` had its own name");
        return Diagnostic::error("KF003", was.span, message, "the same name")
            .help(format!("remove `was {name}`"));
    }
    let message = format!("`{name}` is no former name: there is still an {what} `{name}`");
    let diagnostic = Diagnostic::error("KF003", was.span, message, "is still declared")
        .label(holder.name.span, "declared here");
    if !holder.was.is_empty() {
        let note = "a name is not given on in one version: items of the earlier one would be read with the values of each other";
        return diagnostic
            .note(note)
            .help("give one of them a third name first, and its new one in the next version");
    }
    diagnostic.help(format!("remove `was {name}`, or the {what} `{name}`"))
}

/// The error about a former name that two declarations had.
fn had_by_two(what: &str, was: &Name, first: Span) -> Diagnostic {
    let name = &was.text;
    let message = format!("two declarations were the {what} `{name}`");
    Diagnostic::error("KF003", was.span, message, "the second one")
        .label(first, "the first one")
        .help(format!(
            "keep `was {name}` at one of them; the other is a new {what}"
        ))
}
