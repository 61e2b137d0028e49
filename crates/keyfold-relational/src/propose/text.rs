//! The text of a draft. Each line knows what it says, so that a fault of the compiler leads to its part.

use super::draft::{Compares, Draft, Entity, Pattern, Place, Range, Returns, Template};
use super::names::{in_sql, words};
use super::values::Cast;
use crate::catalog::Catalog;
use crate::dialect::Dialect;
use keyfold_model::{in_braces, written, written_list};

/// What a piece of the text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    /// An entity.
    Entity(usize),
    /// An index of an entity, by its number.
    Index(usize, usize),
    /// A unique line of an entity, by its position.
    Unique(usize, usize),
    /// A pattern, by its position.
    Pattern(usize),
}

/// The text, and the ends of its parts.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub(super) all: String,
    ends: Vec<(usize, Part)>,
}

impl Text {
    fn push(&mut self, part: Part, text: &str) {
        self.all.push_str(text);
        self.ends.push((self.all.len(), part));
    }

    /// The part that holds a place.
    pub(super) fn part_at(&self, place: usize) -> Part {
        let found = self.ends.iter().find(|(end, _)| place < *end);
        found.map_or(Part::Head, |(_, part)| *part)
    }
}

/// What the text needs beside the draft.
pub(super) struct Written<'w> {
    pub(super) catalog: &'w Catalog,
    /// Whose SQL it is.
    pub(super) database: Dialect,
    pub(super) unquoted: &'w dyn Fn(&str) -> Option<String>,
    /// What stands over a pattern, by its position.
    pub(super) asked: &'w dyn Fn(usize) -> Vec<String>,
    /// What stands at the end.
    pub(super) unanswered: Vec<String>,
}

/// About how long a line of attributes is.
const LINE_MAX: usize = 90;
/// Words that an attribute of the entities' names may be called.
const KINDS: [&str; 5] = ["entity", "kind", "entityType", "entityKind", "kindOfItem"];

impl Written<'_> {
    /// The text of a draft.
    pub(super) fn text(&self, draft: &Draft, is_bare: bool) -> Text {
        let mut text = Text::default();
        text.push(Part::Head, &head(draft, is_bare));
        for at in super::place::in_order(&draft.entities) {
            self.entity(draft, at, is_bare, &mut text);
        }
        for (at, pattern) in draft.patterns.iter().enumerate() {
            let mut lines = String::new();
            if !is_bare {
                for line in (self.asked)(at) {
                    lines.push_str(&format!("# {line}\n"));
                }
            }
            lines.push_str(&pattern_line(draft, pattern));
            text.push(Part::Pattern(at), &lines);
        }
        for line in &self.unanswered {
            text.push(Part::Head, &format!("\n# {line}"));
        }
        text
    }

    fn entity(&self, draft: &Draft, at: usize, is_bare: bool, text: &mut Text) {
        let Some(entity) = draft.entities.get(at) else {
            return;
        };
        let mut lines = String::new();
        if !is_bare {
            for remark in placed(draft, entity)
                .into_iter()
                .chain(entity.remarks.clone())
            {
                lines.push_str(&format!("# {remark}\n"));
            }
        }
        lines.push_str(&format!("entity {}\n", entity.name.entity));
        let mut line = String::new();
        for attribute in &entity.attributes {
            let kind = match attribute
                .refers
                .and_then(|(of, to)| Some((draft.entities.get(of)?, to)))
            {
                Some((of, to)) => format!("{}.{}", of.name.entity, written(of.name_of(to))),
                None => attribute.judged.kind.written(),
            };
            let optional = if attribute.is_optional { "?" } else { "" };
            let default = attribute
                .default
                .as_ref()
                .filter(|_| !attribute.is_optional);
            let default = default.map_or(String::new(), |one| format!(" = {one}"));
            let name = written(&attribute.name);
            let one = format!("{name}: {kind}{optional}{default}");
            if !line.is_empty() && line.len() + one.len() > LINE_MAX {
                lines.push_str(&format!("  {}\n", std::mem::take(&mut line)));
            }
            line.push_str(&if line.is_empty() {
                one
            } else {
                format!(", {one}")
            });
        }
        lines.push_str(&format!("  {line}\n"));
        let key = templates(entity, [&entity.partition, &entity.sort]);
        lines.push_str(&format!("  key {key}\n"));
        if entity.has_id {
            let names = entity.identity.iter().map(|one| entity.name_of(*one));
            lines.push_str(&format!("  id {}\n", written_list(names)));
        }
        text.push(Part::Entity(at), &lines);
        for index in &entity.indexes {
            let key = templates(entity, [&index.partition, &index.sort]);
            let line = format!("  GSI{} {key}\n", index.slot);
            text.push(Part::Index(at, index.slot), &line);
        }
        for (position, unique) in entity.uniques.iter().enumerate() {
            let names = written_list(unique.attributes.iter().map(|one| entity.name_of(*one)));
            let line = match (unique.is_folded, unique.attributes.len()) {
                (true, _) => format!("  unique lower({names})\n"),
                (false, 1) => format!("  unique {names}\n"),
                (false, _) => format!("  unique ({names})\n"),
            };
            text.push(Part::Unique(at, position), &line);
        }
        text.push(Part::Entity(at), &self.origin(entity, is_bare));
    }

    /// The `from` line; a comment where its rows cannot be carried as they are.
    fn origin(&self, entity: &Entity, is_bare: bool) -> String {
        let Some(table) = self.catalog.tables.get(entity.table) else {
            return "\n".to_owned();
        };
        let mut set = Vec::new();
        let letters = words(&table.name)
            .into_iter()
            .flat_map(|one| one.chars().next());
        let alias: String = letters.filter(char::is_ascii_alphabetic).take(1).collect();
        let alias = if alias.is_empty() {
            "t".to_owned()
        } else {
            alias
        };
        for attribute in &entity.attributes {
            let Some(column) = table.columns.get(attribute.column) else {
                continue;
            };
            let is_other = |name: &str| table.columns.iter().any(|one| one.name == name);
            let is_like = column.name == attribute.name
                || (column.name == in_sql(&attribute.name)
                    && attribute.name.is_ascii()
                    && !is_other(&attribute.name));
            let name = written(&attribute.name);
            let sql = (self.unquoted)(&column.name).map(|one| format!("{alias}.{one}"));
            match (attribute.judged.cast, attribute.is_emptied, sql) {
                (Cast::Text, _, Some(sql)) => {
                    let text = self.database.text_type();
                    set.push(format!("{name} = \"CAST({sql} AS {text})\""));
                }
                (Cast::Bytes, _, Some(sql)) => {
                    set.push(format!("{name} = \"CAST({sql} AS BLOB)\""))
                }
                (Cast::None, true, Some(sql)) => {
                    set.push(format!("{name} = \"nullif({sql}, '')\""))
                }
                _ if is_like => {}
                _ => set.push(format!("{name} = {alias}.{}", title(&column.name))),
            }
        }
        let schema = table
            .schema
            .as_ref()
            .map_or(String::new(), |one| format!("{}.", title(one)));
        let mut line = format!("from {schema}{}", title(&table.name));
        if !set.is_empty() || !entity.only.is_empty() {
            line.push_str(&format!(" {alias}"));
        }
        if !entity.only.is_empty() {
            let all = entity.only.iter().map(|one| format!("{alias}.{one}"));
            line.push_str(&format!(
                " where \"{}\"",
                all.collect::<Vec<String>>().join(" AND ")
            ));
        }
        if !set.is_empty() {
            line.push_str(&format!(" set {}", set.join(", ")));
        }
        match &entity.blocked {
            Some(_) if is_bare => "\n".to_owned(),
            Some(why) => format!("  # {why}; then take the # away:\n  # {line}\n\n"),
            None => format!("  {line}\n\n"),
        }
    }
}

/// A name of SQL in a `from` line.
fn title(name: &str) -> String {
    let is_plain = name.is_ascii() && keyfold_model::is_word(name);
    let is_word = [
        "on", "join", "left", "where", "set", "from", "and", "as", "inner", "right", "full",
        "cross", "using",
    ]
    .contains(&name.to_ascii_lowercase().as_str());
    match is_plain && !is_word {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    }
}

/// What was decided about the place of an entity.
fn placed(draft: &Draft, entity: &Entity) -> Option<String> {
    let target = |at: usize| {
        let link = entity.links.get(at);
        let target = link.and_then(|link| draft.entities.get(link.target));
        target.map_or("", |one| one.name.entity.as_str())
    };
    let name = &entity.name.entity;
    Some(match entity.place {
        Place::Own if entity.links.is_empty() => return None,
        Place::Own => {
            let targets = entity
                .links
                .iter()
                .filter_map(|link| draft.entities.get(link.target));
            let mut names: Vec<&str> = targets.map(|one| one.name.entity.as_str()).collect();
            names.dedup();
            format!(
                "{name} has a key of its own; an index finds it by its {}.",
                names.join(", ")
            )
        }
        Place::Child(at) if entity.has_id => format!(
            "{name} lies with its {}, with which it goes (ON DELETE CASCADE); `id` says what identifies it.",
            target(at)
        ),
        Place::Child(at) => format!(
            "{name} lies with its {}, whose key is part of its own.",
            target(at)
        ),
        Place::Between(one, other) => format!(
            "{name} joins {} and {}: it lies with the first, and an index finds it by the second.",
            target(one),
            target(other)
        ),
    })
}

fn head(draft: &Draft, is_bare: bool) -> String {
    let mut head = String::new();
    if !is_bare {
        for (name, why) in &draft.left_out {
            head.push_str(&format!("# {} {why}\n", super::entities::one_line(name)));
        }
    }
    let slots = draft.entities.iter().flat_map(|one| &one.indexes);
    let slots = slots.map(|one| one.slot).max().unwrap_or(0);
    let is_taken = |name: &str| {
        let mut all = draft.entities.iter().flat_map(|one| &one.attributes);
        all.any(|one| one.name == name)
    };
    let kind = KINDS.iter().find(|one| !is_taken(one)).unwrap_or(&"KIND");
    let name: String = words(&draft.name)
        .iter()
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect::<String>()
        })
        .collect();
    let name = if name.len() < 3 {
        format!("{name}Table")
    } else {
        name
    };
    let name: String = name.chars().take(200).collect();
    head.push_str(&format!(
        "model {} 1\n\ntable {name} (PK, SK) type {kind}\n",
        draft.name
    ));
    for slot in 1..=slots {
        head.push_str(&format!("  gsi GSI{slot} (GSI{slot}PK, GSI{slot}SK)\n"));
    }
    head.push('\n');
    head
}

fn templates(entity: &Entity, both: [&Template; 2]) -> String {
    let one = |template: &Template| {
        let mut text = template.label.clone();
        for field in &template.fields {
            text.push_str(&format!(
                "#{{{}{}}}",
                entity.name_of(field.attribute),
                field.format
            ));
        }
        format!("\"{text}\"")
    };
    both.map(one).join(" ")
}

/// A parameter that is no attribute: a name that none has.
fn parameter(entity: &Entity, base: &str, taken: &mut Vec<String>) -> String {
    let is_taken = |name: &str| {
        taken.iter().any(|one| one == name) || entity.attributes.iter().any(|one| one.name == name)
    };
    let name = super::names::distinct(base, is_taken);
    taken.push(name.clone());
    name
}

/// A name in a condition.
fn operand(name: &str) -> String {
    match written(name) == name {
        true => name.to_owned(),
        false => in_braces(name),
    }
}

/// The line of a pattern.
pub(super) fn pattern_line(draft: &Draft, pattern: &Pattern) -> String {
    let Some(entity) = draft.entities.get(pattern.entity) else {
        return String::new();
    };
    let mut taken = Vec::new();
    let mut parameters: Vec<String> = Vec::new();
    for at in &pattern.equal {
        let several = if pattern.returns == Returns::Batch {
            "[]"
        } else {
            ""
        };
        parameters.push(format!("{}{several}", written(entity.name_of(*at))));
    }
    if let Some((at, range)) = &pattern.range {
        let name = written(entity.name_of(*at));
        let mut free = |base: &str| parameter(entity, base, &mut taken);
        parameters.push(match range {
            Range::From => format!("{name} >= {}", free("least")),
            Range::After => format!("{name} > {}", free("above")),
            Range::To => format!("{name} <= {}", free("most")),
            Range::Before => format!("{name} < {}", free("below")),
            Range::Between => format!("{name} in {}..{}", free("least"), free("most")),
            Range::Starts => format!("{name} starts {}", free("beginning")),
        });
    }
    let filters = filters(entity, pattern, &mut taken, &mut parameters);
    let mut line = format!(
        "pattern {}({}) -> {}",
        pattern.name,
        parameters.join(", "),
        returns(draft, entity, pattern)
    );
    if !filters.is_empty() {
        line.push_str(&format!(" filter {}", filters.join(" and ")));
    }
    if let Some((at, is_descending)) = pattern.order {
        line.push_str(&format!(" {}", order(entity, at, is_descending)));
    }
    if let Some(page) = pattern.page {
        line.push_str(&format!(" page {page}"));
    }
    line.push('\n');
    line
}

/// The conditions of a pattern; their values are parameters.
fn filters(
    entity: &Entity,
    pattern: &Pattern,
    taken: &mut Vec<String>,
    parameters: &mut Vec<String>,
) -> Vec<String> {
    let mut filters = Vec::new();
    for filter in &pattern.filters {
        let Some(attribute) = entity.attributes.get(filter.attribute) else {
            continue;
        };
        let name = operand(&attribute.name);
        let sign = match filter.compares {
            Compares::Unequal => "<>",
            Compares::From => ">=",
            Compares::After => ">",
            Compares::To => "<=",
            Compares::Before => "<",
            Compares::Missing => {
                filters.push(format!("missing {name}"));
                continue;
            }
            Compares::Exists => {
                filters.push(format!("exists {name}"));
                continue;
            }
        };
        let own = super::names::attribute(&format!("with_{}", attribute.name), filter.attribute);
        let own = parameter(entity, &own, taken);
        let kind = attribute.judged.kind.written();
        parameters.push(format!("{}: {kind}", written(&own)));
        filters.push(format!("{name} {sign} {}", operand(&own)));
        // In SQL, NULL is unequal to nothing.
        if filter.compares == Compares::Unequal && attribute.is_optional {
            filters.push(format!("exists {name}"));
        }
    }
    filters
}

fn returns(draft: &Draft, entity: &Entity, pattern: &Pattern) -> String {
    let name = &entity.name.entity;
    match pattern.returns {
        Returns::One => format!("{name}?"),
        Returns::Many | Returns::Batch => format!("{name}[]"),
        Returns::Collection => {
            let beside = pattern
                .beside
                .iter()
                .filter_map(|at| draft.entities.get(*at));
            let beside = beside.map(|one| {
                let is_one =
                    one.sort.fields.is_empty() && one.partition.label == entity.partition.label;
                format!(" + {}{}", one.name.entity, if is_one { "?" } else { "[]" })
            });
            format!("{name}{}", beside.collect::<String>())
        }
    }
}

fn order(entity: &Entity, at: usize, is_descending: bool) -> String {
    use super::values::Kind;
    let kind = entity.attributes.get(at).map(|one| &one.judged.kind);
    let word = match (kind, is_descending) {
        (Some(Kind::Time(_) | Kind::Date), true) => "newest",
        (Some(Kind::Time(_) | Kind::Date), false) => "oldest",
        (Some(Kind::Int(_) | Kind::Number(_)), true) => "highest",
        (Some(Kind::Int(_) | Kind::Number(_)), false) => "lowest",
        (_, true) => "descending",
        (_, false) => "ascending",
    };
    format!("{word} {}", written(entity.name_of(at)))
}
