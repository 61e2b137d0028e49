//! Assignments of named writes: their types, and what may be assigned.

use super::comparison::Operands;
use super::condition::field_type;
use super::names::attribute_of;
use super::present::path_of;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Assignment, Attribute, Entity, Joint, Operand, Path, Type, Verb};
use crate::syntax::ast::{ActionDecl, AssignmentDecl, Name, PathDecl, texts};
use crate::written::written_list;
use std::collections::BTreeMap;

/// Resolves an assignment of an action.
pub(super) fn resolve(
    declared: &AssignmentDecl,
    entity: &Entity,
    operands: &Operands<'_>,
    verb: Verb,
) -> Result<Assignment, Box<Diagnostic>> {
    let found = attribute_of(entity, &declared.attribute)?;
    check_changeable(&declared.attribute, found, entity, verb)?;
    let kind = field_type(&declared.attribute, &found.kind, &declared.fields)?;
    check_stored(declared, found, entity, operands)?;
    check_read(declared, entity, operands)?;
    let (left, right) = match &declared.right {
        None => (operands.path_operand(&declared.left, kind)?, None),
        Some((is_plus, name)) => {
            let (joint, left, right) = joined(declared, (*is_plus, name), kind, operands)?;
            (left, Some((joint, right)))
        }
    };
    let path = Path {
        attribute: found.name.clone(),
        fields: texts(&declared.fields),
    };
    if right.is_none() && left.is_path(&path) {
        return Err(wrong(
            declared,
            format!("`{path}` is set to what it is"),
            "changes nothing",
            match path.is_whole() {
                true => format!(
                    "to give it a value, name it among the write's parameters: `write ...({path})`"
                ),
                false => "to give it a value, name a parameter or a fixed value".to_owned(),
            },
        ));
    }
    let may_lack = entity.at(&path).is_some_and(|(_, may_lack)| may_lack);
    if let (Type::Set(_), Some((Joint::Minus, _)), false) = (kind, &right, may_lack) {
        let message = format!("`{path}` of {} could lose its last element", entity.name);
        let span = declared.target().span();
        let error = Diagnostic::error("KF004", span, message, "a required set is never empty");
        let error = match path.is_whole() {
            true => error.label(found.span, "declared here"),
            false => error,
        };
        return Err(Box::new(
            error
                .note("DynamoDB stores no empty set: the attribute goes with the last element")
                .help("declare it optional with `?` behind its type"),
        ));
    }
    Ok(Assignment {
        attribute: path.attribute,
        fields: path.fields,
        left,
        right,
    })
}

/// The type of the first time or date that is set to the word `now`.
pub(super) fn type_of_now(declared: &ActionDecl, entity: &Entity) -> Option<(Type, Name)> {
    let mut assigned = declared.assignments.iter().chain(&declared.otherwise);
    assigned.find_map(|one| {
        let is_now = one.right.is_none() && one.left.is_word("now");
        let kind = &entity.attribute(&one.attribute.text)?.kind;
        let kind = field_type(&one.attribute, kind, &one.fields).ok()?;
        let is_time = matches!(kind, Type::Time(_) | Type::Date);
        (is_now && is_time).then(|| (kind.clone(), one.left.name.clone()))
    })
}

fn wrong(declared: &AssignmentDecl, message: String, label: &str, help: String) -> Box<Diagnostic> {
    let span = declared.target().span();
    Box::new(Diagnostic::error("KF004", span, message, label).help(help))
}

/// What is added to or taken from is read of an item that exists.
fn check_read(
    declared: &AssignmentDecl,
    entity: &Entity,
    operands: &Operands<'_>,
) -> Result<(), Box<Diagnostic>> {
    let Some((_, right)) = &declared.right else {
        return Ok(());
    };
    let is_parameter = |name: &str| operands.parameters.iter().any(|(known, _)| *known == name);
    let is_stored = |one: &&PathDecl| {
        let name = one.name.text.as_str();
        one.fields.is_empty() && !is_parameter(name) && entity.attribute(name).is_some()
    };
    let read = [&declared.left, right].into_iter().find(is_stored);
    let Some(read) = read.filter(|_| operands.item.is_none()) else {
        return Ok(());
    };
    let name = &read.name.text;
    let message = format!("a new {} has no `{name}` yet", entity.name);
    Err(Box::new(
        Diagnostic::error("KF004", read.name.span, message, "no stored value")
            .note("`create` and `put` write a whole item, without reading one")
            .help(format!("`update {}` changes what is stored; or give the whole value by a parameter of another name", entity.name)),
    ))
}

/// A field is set in an item that exists.
fn check_stored(
    declared: &AssignmentDecl,
    found: &Attribute,
    entity: &Entity,
    operands: &Operands<'_>,
) -> Result<(), Box<Diagnostic>> {
    if declared.fields.is_empty() || operands.item.is_some() {
        return Ok(());
    }
    let name = &found.name;
    Err(wrong(
        declared,
        format!(
            "a new {} has no `{name}` yet whose field could be set",
            entity.name
        ),
        "no field of a new item",
        format!("give the whole of it: `{name} = ...`"),
    ))
}

/// The operands of `a + b` or `a - b`: two numbers, a list and one element, or a set and one
/// element. The element of a list may stand before it.
fn joined(
    declared: &AssignmentDecl,
    (is_plus, name): (bool, &PathDecl),
    kind: &Type,
    operands: &Operands<'_>,
) -> Result<(Joint, Operand, Operand), Box<Diagnostic>> {
    let joint = if is_plus { Joint::Plus } else { Joint::Minus };
    let left = &declared.left;
    let both = |of: &Type| {
        Ok((
            joint,
            operands.path_operand(left, kind)?,
            operands.path_operand(name, of)?,
        ))
    };
    if let Some(error) = hyphenated(left, (is_plus, name), kind) {
        return Err(error);
    }
    match kind {
        Type::Int | Type::Number => both(kind),
        Type::Set(of) => both(of),
        Type::List(of) if is_plus => match both(of) {
            Err(first) => {
                let before = operands.path_operand(left, of).ok().zip(operands.path_operand(name, kind).ok());
                before.map(|(element, list)| (Joint::Before, list, element)).ok_or(first)
            }
            found => found,
        },
        Type::List(_) => Err(wrong(
            declared,
            format!("nothing can be taken from {}", kind.with_article()),
            "not by value",
            "an element is found by its value in a set; of a list give the new one: `a = b`".to_owned(),
        )),
        Type::String
        | Type::Bool
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::Map(_)
        | Type::Record(_) => Err(wrong(
            declared,
            format!("{} cannot be added to or taken from", kind.with_article()),
            "no number",
            "numbers are added to and taken from; to a list or set one element is added, and from a set one is taken".to_owned(),
        )),
    }
}

/// The error about a word of an enumeration with a hyphen that was read as a subtraction.
fn hyphenated(
    left: &PathDecl,
    (is_plus, right): (bool, &PathDecl),
    kind: &Type,
) -> Option<Box<Diagnostic>> {
    let Type::Words(words) = kind else {
        return None;
    };
    let text = format!("{}-{}", left.name.text, right.name.text);
    if is_plus || !words.contains(&text) {
        return None;
    }
    let span = left.span().to(right.span());
    let message = format!("`{text}` is no plain word");
    let quoted = format!("\"{text}\"");
    Some(Box::new(
        Diagnostic::error("KF004", span, message, "read as a subtraction")
            .help(format!("write it in quotes: {quoted}"))
            .repair(vec![Edit::replace(span, quoted)]),
    ))
}

/// Refuses an assignment to a key attribute, or to an attribute that the model keeps.
fn check_changeable(
    name: &Name,
    found: &Attribute,
    entity: &Entity,
    verb: Verb,
) -> Result<(), Box<Diagnostic>> {
    if found.is_kept {
        let message = format!("`{}` of {} is kept by the model", found.name, entity.name);
        return Err(Box::new(
            Diagnostic::error("KF016", name.span, message, "would overwrite what is kept")
                .label(found.span, "kept from here")
                .help("write the items that it follows from"),
        ));
    }
    if matches!(verb, Verb::Update | Verb::Upsert) && entity.identifies(&found.name) {
        return Err(Box::new(key_stays(name, found, entity)));
    }
    Ok(())
}

/// The error about a change of an attribute that identifies the item.
fn key_stays(name: &Name, found: &Attribute, entity: &Entity) -> Diagnostic {
    let what = if entity.moves() { "`id`" } else { "the key" };
    let message = format!("`{}` is part of {what} of {}", found.name, entity.name);
    let diagnostic = if entity.moves() {
        Diagnostic::error("KF016", name.span, message, "an id does not change")
            .note("an item with another id is another item")
    } else {
        Diagnostic::error("KF016", name.span, message, "a key does not change")
            .label(entity.key.span, "the key")
            .note("an item with another key is another item")
    };
    let again = format!(
        "delete the {} and create it again, in two writes",
        entity.name
    );
    let others: Vec<&str> = entity.identity();
    let others = others.into_iter().filter(|other| *other != found.name);
    let others: Vec<&str> = others.collect();
    let may_move = !entity.moves()
        && entity.aggregates.is_empty()
        && entity.ttl.is_none()
        && entity.period_attribute.is_none()
        && entity.key.templates().all(|template| !template.is_bare());
    if !may_move || others.is_empty() {
        return diagnostic.help(again);
    }
    diagnostic.help(again).help(format!(
        "or say what identifies it, and it moves: `id {}`",
        written_list(others)
    ))
}

/// A request changes an attribute, or a field inside it, once.
pub(super) fn check_changed_once(declared: &ActionDecl) -> Result<(), Box<Diagnostic>> {
    let assigned = declared.assignments.iter().map(AssignmentDecl::target);
    let changed: Vec<PathDecl> = assigned.chain(declared.removed.iter().cloned()).collect();
    check_distinct(&changed)?;
    let otherwise = declared.otherwise.iter().map(AssignmentDecl::target);
    check_distinct(&otherwise.collect::<Vec<_>>())
}

/// No two paths are the same, and none leads through another.
fn check_distinct(all: &[PathDecl]) -> Result<(), Box<Diagnostic>> {
    let mut by_attribute: BTreeMap<&str, Vec<&PathDecl>> = BTreeMap::new();
    for declared in all {
        let path = path_of(declared);
        let earlier = by_attribute.entry(&declared.name.text).or_default();
        let overlaps = |first: &&PathDecl| {
            let first = path_of(first);
            path.starts_with(&first) || first.starts_with(&path)
        };
        let Some(first) = earlier.iter().copied().find(overlaps) else {
            earlier.push(declared);
            continue;
        };
        let other = path_of(first);
        let (message, label) = if path == other {
            let message = format!("`{path}` is changed twice");
            (message, "a request changes an attribute once")
        } else {
            let (inner, outer) = match path.starts_with(&other) {
                true => (&path, &other),
                false => (&other, &path),
            };
            let message = format!("`{inner}` lies in `{outer}`, and both are changed");
            (message, "a request changes a place once")
        };
        let error = Diagnostic::error("KF016", declared.span(), message, label)
            .label(first.span(), "changed here");
        return Err(Box::new(match path == other {
            true => error,
            false => error.help("change the whole of it, or fields that lie beside each other"),
        }));
    }
    Ok(())
}
