//! KF013, injective: different values make different keys.
//!
//! A key must be splittable into the values that it was made of: a field of variable length must be
//! followed by a text whose first character the field cannot contain. The key of each copy must
//! contain the attributes that identify the item, or two items would write the same copy.

use super::rule::Rule;
use super::shape::Spaces;
use crate::diagnostic::{Diagnostic, Edit};
use crate::schema::{Copy, Entity, Model, Table, Unique, UniqueMember};
use crate::template::{Format, KeyTemplate, Part};
use crate::words::Compared;
use crate::written::fits_in_text;
use std::collections::BTreeSet;

pub(crate) const RULE: Rule = Rule {
    code: "KF013",
    name: "injective",
    summary: "Different values make different keys, and a key can be split into the values that it was \
        made of.",
    why: "If a value of variable length is followed directly by another value, `ab` + `c` and `a` + \
        `bc` make the same key, and one item overwrites the other. The same happens if a key \
        leaves out an attribute that distinguishes two items, or keeps only the day of a time. A \
        delimiter marks the end of the value before it. A write is refused if a value contains \
        the delimiter, unless the template escapes it: `{path:escape}`.",
    failing: r##"model m 1
table Notes (PK, SK)
entity Note
  author: string, title: string
  key  "NOTES"  "NOTE#{author}{title}"
"##,
    repaired: r##"model m 1
table Notes (PK, SK)
entity Note
  author: string, title: string
  key  "AUTHOR#{author}"  "NOTE#{title}"
"##,
};

pub(crate) fn check(model: &Model, spaces: &Spaces, diagnostics: &mut Vec<Diagnostic>) {
    for at in 0..model.tables.len() {
        // An index that has a key attribute of the table has its template, too: one mistake.
        let mut reported: Vec<(&str, &[Part])> = Vec::new();
        for shape in spaces.of_table(at).filter(|shape| !shape.owner.is_guard) {
            for template in std::iter::once(&shape.key.partition).chain(&shape.key.sort) {
                let one = (shape.what.as_str(), template.parts.as_slice());
                if let Some(found) = check_template(template, &shape.what)
                    && !reported.contains(&one)
                {
                    reported.push(one);
                    diagnostics.push(found);
                }
            }
        }
    }
    for entity in &model.entities {
        let fields = entity.key.fields_with_format();
        let mut identity = identifying(&fields);
        diagnostics.extend(unidentified(entity, &fields));
        let may_shorten = |name: &str| identity.contains(name) || !entity.identifies(name);
        // A row has the beginning of the period, and one item has a row of its own.
        let is_row = entity.view.is_some();
        let is_period = |format: &Format| is_row && matches!(format, Format::Truncated(_));
        let shortened = fields
            .iter()
            .find(|(name, format)| !may_shorten(name) && !is_period(format));
        diagnostics.extend(shortened.and_then(|(name, format)| lossy(entity, name, *format)));
        identity.retain(|name| entity.identifies(name));
        for copy in &entity.copies {
            let fields = identifying(&copy.key.fields_with_format());
            if let Some(missing) = identity.iter().find(|field| !fields.contains(*field)) {
                let table = model.tables.get(entity.table);
                let incomplete = |table| incomplete(table, entity, copy, missing);
                diagnostics.extend(table.map(incomplete));
            }
        }
    }
}

/// Reports a key that keeps only a part of an attribute's value.
fn lossy(entity: &Entity, name: &str, format: Format) -> Option<Diagnostic> {
    let (kept, part) = match format {
        Format::Truncated(unit) => (format!("only the {unit} of"), format!("{{{name}:{unit}}}")),
        Format::Lower => (
            "no capital letters of".to_owned(),
            format!("{{{name}:lower}}"),
        ),
        Format::Plain
        | Format::Bare
        | Format::Padded { .. }
        | Format::Reversed
        | Format::Hash
        | Format::Escaped => return None,
    };
    let message = format!(
        "two {} items can have the same key: it keeps {kept} `{name}`",
        entity.name
    );
    Some(
        Diagnostic::error(
            "KF013",
            entity.key.span,
            message,
            format!("two values of `{name}` make one text"),
        )
        .note("the second item would overwrite the first")
        .help(format!(
            "add {{{name}}} to the sort key; {part} alone is for grouping"
        )),
    )
}

/// Reports a key that lacks an attribute of `id`: two items of different identity would share it.
fn unidentified(entity: &Entity, fields: &[(&str, Format)]) -> Option<Diagnostic> {
    let in_key = |name: &String| fields.iter().any(|(field, _)| field == name);
    let missing = entity.id.iter().find(|name| !in_key(name))?;
    let message = format!(
        "two {} items can have the same key: it lacks `{missing}` of their `id`",
        entity.name
    );
    let span = entity.key.span;
    let label = format!("`{missing}` is not in this key");
    let diagnostic = Diagnostic::error("KF013", span, message, label)
        .note("one item would overwrite another, which has another id")
        .help(format!("add {{{missing}}} to the sort key"));
    let last = entity.key.templates().last();
    if !fits_in_text(missing) || last.is_none_or(KeyTemplate::is_bare) {
        return Some(diagnostic);
    }
    let added = format!("#{{{missing}}}");
    Some(diagnostic.repair(vec![Edit::insert(span.end - 1, added)]))
}

/// The report that a copy's key lacks an attribute that identifies the item.
fn incomplete(table: &Table, entity: &Entity, copy: &Copy, missing: &str) -> Diagnostic {
    if let Some(unique) = kept_apart(entity, copy) {
        return identified_by(table, (entity, copy), unique, missing);
    }
    let span = copy.key.span;
    let message = format!(
        "two {} items can write the same copy {}: its key lacks `{missing}`",
        entity.name, copy.name
    );
    let diagnostic = Diagnostic::error(
        "KF013",
        span,
        message,
        format!("`{missing}` is not in this key"),
    )
    .label(entity.key.span, "what identifies an item")
    .note("the copies would overwrite each other");
    let place = table.sort.as_ref().map_or("key", |_| "sort key");
    with_field(
        diagnostic,
        copy,
        missing,
        format!("add {{{missing}}} to the copy's {place}"),
    )
}

/// The `unique` line of which a copy's key has all attributes: no two copies are one item.
fn kept_apart<'e>(entity: &'e Entity, copy: &Copy) -> Option<&'e Unique> {
    let fields = copy.key.fields_with_format();
    let tells_apart = |member: &UniqueMember| {
        let mut formats = fields.iter().filter(|(name, _)| *name == member.attribute);
        // Values that differ in more than their capitals differ in small letters, too.
        let in_lower = member.compared == Compared::Lower;
        formats.any(|(_, format)| format.keeps_value() || (in_lower && *format == Format::Lower))
    };
    let mut uniques = entity.uniques.iter().filter(|one| !entity.is_id(one));
    uniques.find(|unique| unique.members.iter().all(tells_apart))
}

/// The report about a copy of which there is one for each value that is unique. Its key lacks what
/// identifies the item all the same.
fn identified_by(
    table: &Table,
    (entity, copy): (&Entity, &Copy),
    unique: &Unique,
    missing: &str,
) -> Diagnostic {
    let (name, label) = (&entity.name, format!("`{missing}` is not in this key"));
    let (kind, by) = (format!("{name}.{}", copy.name), unique.joined(", "));
    let message = format!(
        "the key of the copy {} lacks `{missing}`, which identifies its {name}",
        copy.name
    );
    let diagnostic = Diagnostic::error("KF013", copy.key.span, message, label)
        .label(entity.key.span, "what identifies an item")
        .note(format!(
            "a copy's key holds what identifies its item, although `unique {by}` keeps two of them apart"
        ));
    let in_key = unique.members.iter().map(|member| match member.compared {
        Compared::Whole => member.attribute.clone(),
        Compared::Lower => format!("{{{}:lower}}", member.attribute),
    });
    let in_key = in_key.collect::<Vec<_>>().join(", ");
    let through_index = format!(
        "declare an index with `{in_key}` in its key, in place of the copy: `{name}?` through it is one item, too"
    );
    if table.sort.is_none() {
        return diagnostic.help(through_index);
    }
    let added = format!(
        "add {{{missing}}} to the copy's sort key: `{kind}?` by {by} is still one item, since {by} is unique"
    );
    with_field(diagnostic, copy, missing, added).help(format!("or {through_index}"))
}

/// Adds the repair that puts an attribute at the end of a copy's key, where it can stand there.
fn with_field(diagnostic: Diagnostic, copy: &Copy, name: &str, help: String) -> Diagnostic {
    let last = copy.key.templates().last();
    if !fits_in_text(name) || last.is_none_or(KeyTemplate::is_bare) {
        return diagnostic;
    }
    let at = copy.key.span.end - 1;
    let edit = Edit::insert(at, format!("#{{{name}}}"));
    diagnostic.help(help).repair(vec![edit])
}

impl crate::schema::KeyPair {
    /// The fields of the key, with their formats.
    fn fields_with_format(&self) -> Vec<(&str, Format)> {
        let templates = std::iter::once(&self.partition).chain(&self.sort);
        templates
            .flat_map(|template| &template.parts)
            .filter_map(|part| match part {
                Part::Field { name, format, .. } => Some((name.as_str(), *format)),
                Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
            })
            .collect()
    }
}

/// The fields that keep the complete value of their attribute; the day of a time does not.
fn identifying(fields: &[(&str, Format)]) -> BTreeSet<String> {
    fields
        .iter()
        .filter(|(_, format)| format.keeps_value())
        .map(|(name, _)| (*name).to_owned())
        .collect()
}

/// Reports a field of variable length that no delimiter ends.
fn check_template(template: &KeyTemplate, what: &str) -> Option<Diagnostic> {
    let pairs = template.parts.iter().zip(template.parts.iter().skip(1));
    for (at, (part, next)) in pairs.enumerate() {
        if part.is_fixed_width() {
            continue;
        }
        let runs_on = match next {
            Part::Break => false,
            Part::Field { .. } | Part::Shard { .. } | Part::Chunk => true,
            Part::Text(text) => text
                .chars()
                .next()
                .is_some_and(|first| part.may_contain(first)),
        };
        if runs_on {
            let message =
                format!("the key of {what} cannot be taken apart: {part} runs into {next}");
            let behind = template.parts.iter().skip(at + 1);
            let mut behind = behind.take_while(|one| **one != Part::Break);
            let (label, note) = if behind.all(Part::is_fixed_width) {
                (
                    format!("nothing says where {part} ends"),
                    "a key is read from its start, and ranges and beginnings must end between two values",
                )
            } else {
                (
                    "two different values can make this same text".to_owned(),
                    "ab + c and a + bc would be one key, and one item would overwrite the other",
                )
            };
            return Some(
                Diagnostic::error("KF013", template.span, message, label)
                    .note(note)
                    .help(delimiter(part, next))
                    .repair(delimit(template, part, next)),
            );
        }
    }
    None
}

/// The advice to end a field with a character that its values do not have.
fn delimiter(part: &Part, next: &Part) -> String {
    let Part::Text(text) = next else {
        return format!("put a delimiter between them: {part}#{next}");
    };
    let first: String = text.chars().take(1).collect();
    let mut others = ['#', '|', '~'].into_iter();
    match others.find(|other| !part.may_contain(*other)) {
        Some(other) => format!(
            "put a character in place of `{first}` that {part} does not have: {part}{other}{}",
            text.strip_prefix(&first).unwrap_or_default()
        ),
        None => format!("put a character in place of `{first}` that {part} does not have"),
    }
}

/// Puts a delimiter between two adjacent fields of a template.
fn delimit(template: &KeyTemplate, part: &Part, next: &Part) -> Vec<Edit> {
    let is_plain = template
        .parts
        .iter()
        .all(|part| matches!(part, Part::Text(_) | Part::Field { .. }));
    if !is_plain || template.is_bare() || matches!(next, Part::Text(_)) {
        return Vec::new();
    }
    let text =
        template
            .to_string()
            .replacen(&format!("{part}{next}"), &format!("{part}#{next}"), 1);
    vec![Edit::replace(template.span, text)]
}
