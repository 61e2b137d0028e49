//! A model proposed from a table's definition and a sample of its items: a starting point that
//! compiles.
//!
//! Items are grouped by an attribute that names their kind, and by the shape of their keys; a piece
//! of a key that is always the value of an attribute becomes its field. A table whose items are not
//! understood becomes one entity, with the key attributes as they are. Names and types are guesses
//! that the author of the model reads over.

mod attributes;
mod definition;
mod draft;
mod entity;
mod form;
mod index_key;
mod kind;
mod kinds;
mod made;
mod majority;
mod names;
mod nulls;
mod patterns;
mod regroup;
mod shape;
mod source;
mod strays;
mod table;
mod template;
mod types;

pub use definition::{IndexDefinition, KeyColumn, Projection, TableDefinition};
pub(crate) use draft::shown;
pub(crate) use names::identifier;

use draft::{Draft, Grouping, Part};
use entity::Names;
use keyfold_model::{Diagnostic, Model, Severity, compile};
use keyfold_types::Item;
use kinds::Kind;
use source::Source;

/// The reasons why no table can be declared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a model needs a table, and none can be declared: {}", reasons.join("; "))]
pub struct NoTable {
    /// A reason for each table; empty without tables.
    pub reasons: Vec<String>,
}

/// The text of a model for tables with samples of their items. It compiles; the parts of the tables
/// that the language cannot say are comments in it, with the reasons.
///
/// # Errors
/// When no table can be declared.
pub fn propose(name: &str, tables: &[(TableDefinition, Vec<Item>)]) -> Result<String, NoTable> {
    let mut drafts: Vec<Draft<'_>> = tables
        .iter()
        .map(|(table, items)| Draft::new(table, items))
        .collect();
    loop {
        let text = Text::of(name, &drafts);
        let compiled = compile(&text.all);
        let errors = compiled
            .diagnostics
            .iter()
            .filter(|one| one.severity == Severity::Error);
        let mut found: Vec<(usize, Part, String)> = errors
            .filter_map(|error| {
                let (table, part) = text.part_at(error.place())?;
                Some((table, part, reason(error)))
            })
            .collect();
        // An entity may be refused for the errors of its table.
        found.sort_by_key(|(_, part, _)| *part == Part::Entities);
        let Some((table, part, reason)) = found.into_iter().next() else {
            if compiled.has_errors() {
                let reasons = drafts.into_iter().flat_map(|draft| draft.notes);
                let reasons = reasons.map(|note| draft::shown(&note)).collect();
                return Err(NoTable { reasons });
            }
            take_back(name, &mut drafts);
            let all = Text::of(name, &drafts).all;
            let model = compile(&all).model;
            let refused = model.as_ref().and_then(|model| not_held(model, &drafts));
            let Some((refused, why)) = refused else {
                if let Some(model) = &model {
                    remark_unsaid(model, &mut drafts);
                }
                return Ok(with_patterns(Text::of(name, &drafts).all));
            };
            if let Some(draft) = drafts.get_mut(refused) {
                draft.take(Part::Entities, why);
            }
            continue;
        };
        if let Some(draft) = drafts.get_mut(table) {
            let stray = match part {
                Part::Entities => strays::next(draft, source_of(&draft.table, draft)),
                Part::Table | Part::Index(_) => None,
            };
            match stray {
                Some(stray) => draft.strays.push(stray),
                None => draft.take(part, &reason),
            }
        }
    }
}

/// Takes back the strays that did no harm.
fn take_back(name: &str, drafts: &mut [Draft<'_>]) {
    for at in 0..drafts.len() {
        let all = drafts
            .get(at)
            .map_or_else(Vec::new, |draft| draft.strays.clone());
        for stray in all {
            if let Some(draft) = drafts.get_mut(at) {
                draft.strays.retain(|one| *one != stray);
            }
            if compiles(&Text::of(name, drafts).all) {
                continue;
            }
            if let Some(draft) = drafts.get_mut(at) {
                draft.strays.push(stray);
            }
        }
    }
}

/// A draft of which the proposed model says too little of the sample, or something else, with the
/// reason.
fn not_held(model: &Model, drafts: &[Draft<'_>]) -> Option<(usize, &'static str)> {
    if let Some(taken) = taken_for_another(model, drafts) {
        return Some((taken, "items of one kind have keys as those of another"));
    }
    let is_little = |draft: &Draft<'_>| {
        let unsaid = strays::unsaid(model, draft, source_of(&draft.table, draft));
        strays::are_many(unsaid.len(), draft)
    };
    let found = drafts.iter().position(is_little)?;
    Some((
        found,
        "values in their keys hold what the templates cannot hold there",
    ))
}

/// Remarks the few items that the proposed model does not say.
fn remark_unsaid(model: &Model, drafts: &mut [Draft<'_>]) {
    for draft in drafts {
        let unsaid = strays::unsaid(model, draft, source_of(&draft.table, draft));
        let remark = strays::unsaid_remark(draft, &unsaid);
        draft.remarks.extend(remark);
    }
}

/// The draft of which an item would be taken for one of an entity that it is not of.
fn taken_for_another(model: &Model, drafts: &[Draft<'_>]) -> Option<usize> {
    let are_mixed =
        |draft: &Draft<'_>| strays::are_mixed(model, draft, source_of(&draft.table, draft));
    drafts.iter().position(are_mixed)
}

/// Where the items of a draft come from.
fn source_of<'t>(table: &'t TableDefinition, draft: &Draft<'_>) -> Source<'t> {
    Source {
        table,
        kind_attribute: match draft.grouping {
            Grouping::ByKind => kinds::type_attribute(table, draft.items),
            Grouping::AsOne | Grouping::Keys | Grouping::Nothing => None,
        },
        is_declared: true,
    }
}

/// The message of an error with its first note.
fn reason(error: &Diagnostic) -> String {
    match error.notes.first() {
        Some(note) => format!("{} ({note})", error.message),
        None => error.message.clone(),
    }
}

fn compiles(text: &str) -> bool {
    !compile(text).has_errors()
}

/// The text of a model without patterns.
struct Text {
    all: String,
    /// The end of each part, with its table.
    ends: Vec<(usize, usize, Part)>,
}

impl Text {
    fn of(name: &str, drafts: &[Draft<'_>]) -> Text {
        let mut names = Names::default();
        let mut text = Text {
            all: format!("model {} 1\n\n", identifier(name)),
            ends: Vec::new(),
        };
        let mut bodies: Vec<(usize, String)> = Vec::new();
        let has_several = drafts.iter().filter(|draft| draft.is_declared).count() > 1;
        for (at, draft) in drafts.iter().enumerate() {
            let strays = draft.strays.iter();
            let strays = strays
                .filter_map(|stray| strays::remark(draft, source_of(&draft.table, draft), stray));
            text.all.push_str(&draft.comments(strays));
            if !draft.is_declared {
                text.all.push('\n');
                continue;
            }
            let mut source = source_of(&draft.table, draft);
            let kinds = kinds_of(draft, source);
            source.is_declared = kinds::are_names(source, &kinds, &names.entities);
            text.push(at, Part::Table, &table::head(source));
            for (place, index) in draft.table.indexes.iter().enumerate() {
                text.push(at, Part::Index(place), &table::index_line(index));
            }
            text.all.push('\n');
            let place = if has_several {
                format!(" in {}", names::title(&draft.table.name))
            } else {
                String::new()
            };
            let has_keys_only = draft.grouping == Grouping::Keys;
            for kind in kinds {
                let text = entity::text(source, &kind, &place, has_keys_only, &mut names);
                bodies.push((at, std::mem::take(&mut names.records.text) + &text));
            }
        }
        for (at, body) in bodies {
            text.push(at, Part::Entities, &body);
        }
        text
    }

    fn push(&mut self, table: usize, part: Part, text: &str) {
        self.all.push_str(text);
        self.ends.push((self.all.len(), table, part));
    }

    /// The part that holds a place of the text; `None` for the first line.
    fn part_at(&self, place: usize) -> Option<(usize, Part)> {
        let is_header = self.all.find('\n').is_none_or(|end| place <= end);
        let part = self.ends.iter().find(|(end, ..)| place < *end);
        part.or(self.ends.last())
            .filter(|_| !is_header)
            .map(|(_, table, part)| (*table, *part))
    }
}

/// The kinds of a table's items.
fn kinds_of<'i>(draft: &Draft<'i>, source: Source<'_>) -> Vec<Kind<'i>> {
    match draft.grouping {
        Grouping::ByKind => {
            let mut kinds = kinds::by_kind(source, draft.items);
            let is_stray =
                |kind: &Kind<'_>| draft.strays.iter().any(|one| strays::is_of(kind, one));
            kinds.retain(|kind| !is_stray(kind));
            kinds
        }
        Grouping::AsOne | Grouping::Keys => kinds::as_one(&draft.table, draft.items),
        Grouping::Nothing => Vec::new(),
    }
}

/// Adds the patterns that the keys serve, as far as they compile.
fn with_patterns(text: String) -> String {
    let Some(model) = compile(&text).model else {
        return keyfold_model::format(&text);
    };
    let mut all = text;
    let mut names: Vec<String> = Vec::new();
    for entity in &model.entities {
        for line in patterns::patterns(&model, entity, &mut names) {
            let longer = format!("{all}{line}\n");
            if compiles(&longer) {
                all = longer;
            }
        }
    }
    keyfold_model::format(&all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::{KeyKind, Value};
    use std::collections::BTreeMap;

    fn item(pairs: &[(&str, Value)]) -> Item {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect()
    }

    fn shop() -> TableDefinition {
        let text = |name: &str| (name.to_owned(), KeyKind::S);
        TableDefinition {
            name: "Shop".to_owned(),
            key: vec![text("PK"), text("SK")],
            indexes: vec![IndexDefinition {
                name: "GSI1".to_owned(),
                is_local: false,
                partition: vec![text("GSI1PK")],
                sort: vec![text("GSI1SK")],
                projection: Projection::All,
            }],
            ttl: None,
        }
    }

    #[test]
    fn kinds_and_fields_are_found_in_the_keys() {
        let user = |n: i64| {
            item(&[
                ("PK", format!("USER#u{n}").into()),
                ("SK", "PROFILE".into()),
                ("userId", format!("u{n}").into()),
                ("email", format!("a{n}@b.c").into()),
                ("GSI1PK", format!("EMAIL#a{n}@b.c").into()),
                ("GSI1SK", "PROFILE".into()),
            ])
        };
        let order = |n: i64| {
            item(&[
                ("PK", format!("USER#u{n}").into()),
                ("SK", format!("ORDER#2024-01-0{n}#{n:08}").into()),
                ("orderId", n.into()),
                ("orderedAt", format!("2024-01-0{n}T10:00:00.000Z").into()),
                (
                    "lines",
                    Value::L(vec![Value::M(BTreeMap::from([(
                        "sku".to_owned(),
                        "a".into(),
                    )]))]),
                ),
            ])
        };
        let items: Vec<Item> = (1..4).flat_map(|n| [user(n), order(n)]).collect();
        let text = propose("shop", &[(shop(), items)]).unwrap();
        let compiled = compile(&text);
        assert!(!compiled.has_errors(), "{text}");
        for expected in [
            "\"USER#{userId}\"",
            "\"ORDER#{orderedAtDay}#{orderId:08}\"",
            "\"EMAIL#{email}\"",
            "record Lines",
            "lines: list of Lines",
            "orderedAt: time",
            "orderedAtDay: date",
        ] {
            assert!(text.contains(expected), "{expected} is missing:\n{text}");
        }
        assert!(compiled.model.unwrap().patterns.len() >= 3, "{text}");
    }

    /// Strange items beside many that are understood: they are remarked, and the others stay apart.
    #[test]
    fn a_few_strange_items_do_not_hide_what_the_others_are() {
        let usual = |n: usize| {
            let sort = match n % 4 {
                0 => "PROFILE".to_owned(),
                _ => format!("ORDER#{n}"),
            };
            item(&[
                ("PK", format!("USER#{}", n / 4).into()),
                ("SK", sort.into()),
            ])
        };
        let strange = [
            ("tmp", "test123", true),
            ("tmp", "x#1", false),
            ("CONFIG", "version", false),
            ("", "", true),
        ];
        for (partition, sort, is_left_out) in strange {
            let mut items: Vec<Item> = (0..60).map(usual).collect();
            items.insert(7, item(&[("PK", partition.into()), ("SK", sort.into())]));
            let text = propose("shop", &[(shop(), items)]).unwrap();
            for expected in ["\"ORDER#{orderId}\"", "\"PROFILE\""] {
                assert!(text.contains(expected), "{expected} is missing:\n{text}");
            }
            let remark =
                format!("# the item PK = {partition:?}, SK = {sort:?} is of no entity here");
            assert_eq!(text.contains(&remark), is_left_out, "{text}");
            assert!(!compile(&text).has_errors(), "{text}");
        }
    }

    #[test]
    fn keys_that_are_not_understood_become_attributes() {
        let table = shop();
        let strange = vec![
            item(&[("PK", "x!y".into()), ("SK", "1".into()), ("a", 1.into())]),
            item(&[
                ("PK", "Z#A#B".into()),
                ("SK", "#".into()),
                ("a", "text".into()),
                ("GSI1PK", "p".into()),
            ]),
        ];
        for items in [strange, Vec::new()] {
            let text = propose("strange model!", &[(table.clone(), items)]).unwrap();
            assert!(!compile(&text).has_errors(), "{text}");
        }
    }
}
