//! One kind of item as an entity: name, attributes, key and index keys; and the patterns its keys
//! serve.

use super::shape::{self, Piece, Written, attribute_of};
use super::types::{Records, type_of};
use super::{IndexDefinition, KeyColumn, TableDefinition, identifier};
use keyfold_model::{Entity, Model};
use keyfold_types::{Item, KeyKind, Value};
use std::collections::BTreeMap;

/// Items that look alike.
pub(super) struct Kind<'i> {
    /// What their mark says.
    pub(super) mark: String,
    /// The shape of each key attribute.
    pub(super) shapes: Vec<Vec<Piece>>,
    pub(super) items: Vec<&'i Item>,
}

/// What is known of an entity's attributes while its keys are read.
struct Attributes {
    /// Name and type, in the order of the lines.
    types: BTreeMap<String, String>,
    /// Those that are only in keys.
    made: Vec<String>,
    /// Guesses that could be others, to be read over.
    notes: Vec<String>,
}

pub(super) fn text(
    table: &TableDefinition,
    kind: &Kind<'_>,
    mark: Option<&str>,
    in_table: &str,
    taken: &mut Vec<String>,
    records: &mut Records,
) -> String {
    let indexes = table
        .indexes
        .iter()
        .flat_map(|index| index.partition.iter().chain(&index.sort));
    let key_names: Vec<&str> = table
        .key
        .iter()
        .chain(indexes)
        .map(|(name, _)| name.as_str())
        .collect();
    let mut names: Vec<String> = Vec::new();
    for item in &kind.items {
        for (name, _) in item.iter() {
            let is_own = table.key.iter().any(|(key, _)| key == name);
            let hidden = (key_names.contains(&name.as_str())
                && (is_own || super::is_key_name(name) || is_composed(name, &kind.items)))
                || Some(name.as_str()) == mark
                || table.ttl.as_ref() == Some(name);
            if !hidden && !names.contains(name) && identifier(name) == *name {
                names.push(name.clone());
            }
        }
    }
    let mut attributes = Attributes {
        types: BTreeMap::new(),
        made: Vec::new(),
        notes: Vec::new(),
    };
    let mut left_out: Vec<String> = Vec::new();
    for item in &kind.items {
        for (name, _) in item.iter().filter(|(name, _)| identifier(name) != **name) {
            let shown = format!("{name} (a model cannot declare its name)");
            if !key_names.contains(&name.as_str()) && !left_out.contains(&shown) {
                left_out.push(shown);
            }
        }
    }
    for name in &names {
        let held: Vec<&Value> = kind
            .items
            .iter()
            .filter_map(|item| item.get(name))
            .collect();
        let Some(found) = type_of(name, &held, records) else {
            left_out.push(format!("{name} ({})", kinds_of(&held)));
            continue;
        };
        let missing = held.len() < kind.items.len() || held.contains(&&Value::Null);
        attributes.types.insert(
            name.clone(),
            format!("{found}{}", if missing { "?" } else { "" }),
        );
    }
    let required: Vec<String> = attributes
        .types
        .iter()
        .filter(|(_, kind)| !kind.ends_with('?'))
        .map(|(name, _)| name.clone())
        .collect();
    let templates: Vec<String> = table
        .key
        .iter()
        .zip(&kind.shapes)
        .map(|(column, shape)| template(column, shape, &kind.items, &required, &mut attributes))
        .collect();
    let mut lines = vec![format!("  key {}", templates.join(" "))];
    for index in &table.indexes {
        lines.extend(index_line(
            table,
            index,
            &kind.items,
            &required,
            &mut attributes,
        ));
    }
    let name = name_of(table, kind, taken);
    let declared: Vec<String> = attributes
        .types
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    let mut out = String::new();
    if let Some(mark) = mark.filter(|_| !kind.mark.is_empty() && kind.mark != name) {
        out.push_str(&format!(
            "# its items say `{}` in {mark}; a put through this model writes `{name}` there\n",
            kind.mark
        ));
    }
    for note in &attributes.notes {
        out.push_str(&format!("# {note}\n"));
    }
    if !left_out.is_empty() {
        out.push_str(&format!(
            "# left out, and kept by a put: {}\n",
            left_out.join(", ")
        ));
    }
    if !attributes.made.is_empty() {
        out.push_str(&format!(
            "# only in the keys so far, no attribute of the items: {}\n",
            attributes.made.join(", ")
        ));
    }
    out.push_str(&format!("entity {name}{in_table}\n"));
    declared
        .chunks(4)
        .for_each(|some| out.push_str(&format!("  {}\n", some.join(", "))));
    out.push_str(&lines.join("\n"));
    out.push_str("\n\n");
    out
}

/// Whether an attribute's texts have fixed pieces and delimiters, as those of keys.
fn is_composed(name: &str, items: &[&Item]) -> bool {
    let has_delimiter = |piece: &Piece| match piece {
        Piece::Fixed(text) => text.chars().any(|c| !c.is_ascii_alphanumeric() && c != '_'),
        Piece::Open => false,
    };
    let texts = items.iter().filter_map(|item| match item.get(name) {
        Some(Value::S(text)) => Some(text.as_str()),
        _ => None,
    });
    texts
        .into_iter()
        .any(|text| shape::pieces(text, &[]).iter().any(has_delimiter))
}

/// What kinds of values there are, in words.
fn kinds_of(values: &[&Value]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    values
        .iter()
        .for_each(|value| *counts.entry(value.kind().descriptor()).or_default() += 1);
    let each: Vec<String> = counts
        .into_iter()
        .map(|(kind, count)| format!("{kind} in {count} items"))
        .collect();
    each.join(", ")
}

/// A name: what the mark says, or the fixed texts of the keys.
fn name_of(table: &TableDefinition, kind: &Kind<'_>, taken: &mut Vec<String>) -> String {
    let word = |text: &str| {
        let lower = text.to_ascii_lowercase();
        let mut out = String::new();
        for part in lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|part| !part.is_empty())
        {
            let mut chars = part.chars();
            out.extend(chars.next().map(|c| c.to_ascii_uppercase()));
            out.extend(chars);
        }
        out
    };
    let usual = ["Profile", "Meta", "Metadata", "Info", "Details", "Data"];
    let mut fixed = kind.shapes.iter().rev().flat_map(|shape| {
        shape.iter().filter_map(|piece| match piece {
            Piece::Fixed(text) => Some(word(text)),
            Piece::Open => None,
        })
    });
    let mut from_keys = || fixed.find(|name| !name.is_empty() && !usual.contains(&name.as_str()));
    let base = match kind.mark.as_str() {
        "" => from_keys().unwrap_or_else(|| format!("{}Item", identifier(&table.name))),
        // As the items say it, so that the model writes the same.
        mark if identifier(mark) == mark => mark.to_owned(),
        mark => mark.split('.').map(capital).collect::<String>(),
    };
    let mut name = base.clone();
    let mut number = 2;
    while taken.contains(&name) {
        name = format!("{base}{number}");
        number += 1;
    }
    taken.push(name.clone());
    name
}

/// A name with a capital letter.
fn capital(text: &str) -> String {
    let name = identifier(text);
    let mut chars = name.chars();
    chars
        .next()
        .map(|c| c.to_ascii_uppercase())
        .into_iter()
        .chain(chars)
        .collect()
}

/// The template of a key attribute; the attribute itself where it is no text or is not understood.
fn template(
    (column, kind): &KeyColumn,
    shape: &[Piece],
    items: &[&Item],
    required: &[String],
    attributes: &mut Attributes,
) -> String {
    let itself = |attributes: &mut Attributes| {
        let held: Vec<&Value> = items.iter().filter_map(|item| item.get(column)).collect();
        let found = match kind {
            KeyKind::S => "string",
            KeyKind::B => "binary",
            KeyKind::N
                if held
                    .iter()
                    .all(|v| matches!(v, Value::N(number) if number.exponent() >= 0)) =>
            {
                "int"
            }
            KeyKind::N => "number",
        };
        attributes.types.insert(column.clone(), found.to_owned());
        format!("{{{column}}}")
    };
    let is_open = matches!(shape, [Piece::Open]);
    let given: Vec<(&str, &Item)> = items
        .iter()
        .filter_map(|item| match item.get(column) {
            Some(Value::S(text)) => Some((text.as_str(), *item)),
            _ => None,
        })
        .collect();
    // A key that always has the value of an attribute is made of that attribute.
    if *kind == KeyKind::S
        && is_open
        && !items.is_empty()
        && given.len() == items.len()
        && let Some((name, written)) = attribute_of(&given, required, &mut attributes.notes)
        && written != Written::Day
    {
        return match written {
            Written::Padded(width) => format!("\"{{{name}:0{width}}}\""),
            Written::Plain | Written::Day => format!("\"{{{name}}}\""),
        };
    }
    if *kind != KeyKind::S || is_open {
        return itself(attributes);
    }
    let each: Option<Vec<Vec<&str>>> = items
        .iter()
        .map(|item| match item.get(column) {
            Some(Value::S(text)) => shape::values(text, shape),
            _ => None,
        })
        .collect();
    let Some(each) = each else {
        return itself(attributes);
    };
    let mut text = String::new();
    let (mut at, mut before) = (0, String::new());
    for piece in shape {
        match piece {
            Piece::Fixed(fixed) => {
                text.push_str(fixed);
                before = fixed.clone();
            }
            Piece::Open => {
                let pieces: Vec<(&str, &Item)> = each
                    .iter()
                    .zip(items)
                    .filter_map(|(values, item)| Some((values.get(at).copied()?, *item)))
                    .collect();
                text.push_str(&field(&pieces, &before, required, attributes));
                at += 1;
            }
        }
    }
    format!("\"{text}\"")
}

/// The field for an open piece: an attribute that always has its value, or a new one.
fn field(
    pieces: &[(&str, &Item)],
    before: &str,
    required: &[String],
    attributes: &mut Attributes,
) -> String {
    if let Some((name, written)) = attribute_of(pieces, required, &mut attributes.notes) {
        return match written {
            Written::Plain => format!("{{{name}}}"),
            Written::Padded(width) => format!("{{{name}:0{width}}}"),
            // Two times of one day make one key: the key is made of a day of its own.
            Written::Day => {
                let day = format!("{name}Day");
                if attributes
                    .types
                    .insert(day.clone(), "date".to_owned())
                    .is_none()
                {
                    attributes.made.push(day.clone());
                }
                format!("{{{day}}}")
            }
        };
    }
    new_field(before, attributes)
}

/// A new attribute, named for the text before it: `USER#` gives `userId`.
fn new_field(before: &str, attributes: &mut Attributes) -> String {
    let word: String = before
        .trim_end_matches(|c: char| !c.is_ascii_alphanumeric())
        .rsplit(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let base = if word.is_empty() {
        "part".to_owned()
    } else {
        format!("{word}Id")
    };
    let mut name = base.clone();
    let mut number = 2;
    while attributes.types.contains_key(&name) {
        name = format!("{base}{number}");
        number += 1;
    }
    attributes.types.insert(name.clone(), "string".to_owned());
    attributes.made.push(name.clone());
    format!("{{{name}}}")
}

/// The key in an index: templates where all items have it, the attributes themselves where some do.
fn index_line(
    table: &TableDefinition,
    index: &IndexDefinition,
    items: &[&Item],
    required: &[String],
    attributes: &mut Attributes,
) -> Option<String> {
    let is_own = |(name, _): &&KeyColumn| !table.key.iter().any(|(key, _)| key == name);
    let columns: Vec<&KeyColumn> = index
        .partition
        .iter()
        .chain(&index.sort)
        .filter(is_own)
        .collect();
    let has = |item: &&&Item| columns.iter().all(|(name, _)| item.get(name).is_some());
    let present = items.iter().filter(has).count();
    if columns.is_empty() || present == 0 {
        return None;
    }
    // An attribute that another index has made already, or attributes of the items' own.
    let is_known = |(name, _): &&&KeyColumn| attributes.types.contains_key(name);
    if columns.iter().all(|column| is_known(&column))
        || columns
            .iter()
            .filter(is_known)
            .any(|(name, _)| super::is_key_name(name))
    {
        return None;
    }
    if present < items.len() {
        for (name, kind) in columns {
            if attributes.types.contains_key(name) {
                continue;
            }
            let found = match kind {
                KeyKind::S => "string?",
                KeyKind::N => "number?",
                KeyKind::B => "binary?",
            };
            attributes.types.insert(name.clone(), found.to_owned());
        }
        return None;
    }
    let mut templates = Vec::new();
    for (name, kind) in columns {
        if attributes.types.contains_key(name) {
            templates.push(format!("{{{name}}}"));
            continue;
        }
        let texts: Option<Vec<&str>> = items
            .iter()
            .map(|item| match item.get(name) {
                Some(Value::S(text)) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let shapes: Vec<Vec<Piece>> = texts
            .iter()
            .flatten()
            .zip(items)
            .map(|(text, item)| shape::pieces(text, &shape::values_of(item, None, table)))
            .collect();
        let shape = match shapes.first() {
            Some(first) if shapes.iter().all(|shape| shape == first) => first.clone(),
            _ => vec![Piece::Open],
        };
        templates.push(template(
            &(name.clone(), *kind),
            &shape,
            items,
            required,
            attributes,
        ));
    }
    // Attributes that are the key themselves need no line.
    let all_bare = templates.iter().all(|template| template.starts_with('{'));
    (!all_bare).then(|| format!("  {} {}", super::title(&index.name), templates.join(" ")))
}

/// Several of a word: `address` and `addresses`, `city` and `cities`.
fn plural(word: &str) -> String {
    let ends = |all: &[&str]| all.iter().any(|end| word.ends_with(end));
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends(&["s", "x", "z", "ch", "sh"]) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Patterns that an entity's keys serve: by its key, its partition, and each index.
pub(super) fn patterns(model: &Model, entity: &Entity, names: &mut Vec<String>) -> Vec<String> {
    let lower = {
        let mut chars = entity.name.chars();
        chars
            .next()
            .map(|c| c.to_ascii_lowercase())
            .into_iter()
            .chain(chars)
            .collect::<String>()
    };
    let mut lines = Vec::new();
    let mut asked: Vec<String> = Vec::new();
    let mut add = |name: String, parameters: Vec<&str>, result: String| {
        let mut unique: Vec<&str> = Vec::new();
        parameters.into_iter().for_each(|one| {
            if !unique.contains(&one) {
                unique.push(one);
            }
        });
        let question = format!("({}) -> {result}", unique.join(", "));
        if !names.contains(&name) && !asked.contains(&question) {
            lines.push(format!("pattern {name}{question}"));
            names.push(name);
            asked.push(question);
        }
    };
    add(
        lower.clone(),
        entity.key.fields().collect(),
        format!("{}?", entity.name),
    );
    let partition: Vec<&str> = entity.key.partition.fields().collect();
    if entity
        .key
        .sort
        .as_ref()
        .is_some_and(|sort| sort.fields().next().is_some())
    {
        let by = if partition.is_empty() {
            String::new()
        } else {
            format!("_by_{}", partition.join("_and_"))
        };
        add(
            format!("{}{by}", plural(&lower)),
            partition,
            format!("{}[] page 50", entity.name),
        );
    }
    let table = model.tables.get(entity.table);
    for key in &entity.indexes {
        let Some(index) = table.and_then(|table| table.indexes.get(key.index)) else {
            continue;
        };
        let fields: Vec<&str> = key.key.partition.fields().collect();
        let by = if fields.is_empty() {
            format!("_in_{}", index.name)
        } else {
            format!("_by_{}", fields.join("_and_"))
        };
        add(
            format!("{lower}{by}"),
            fields,
            format!("{}[] page 50", entity.name),
        );
    }
    lines
}
