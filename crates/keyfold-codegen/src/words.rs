//! Parts of a model in words, for charts, documents and differences alike.

use keyfold_model::schema::{
    Aggregate, Assignment, Column, Joint, KeyPair, Ordered, Source, Taken, conjunction,
};
use keyfold_model::{
    Action, Attribute, DefaultValue, Entity, Index, KeyTemplate, Model, Operand, Part, Pattern,
    Returned, Sparse, Verb, is_word, value, written, written_list,
};

/// The result that a pattern promises, as the language writes it: `Order?`, `User + Order[]`.
pub(crate) fn promise(model: &Model, pattern: &Pattern) -> String {
    let one = |returned: &Returned| {
        let Returned {
            entity,
            copy,
            many,
            optional,
            alias,
            bound,
            span: _,
        } = returned;
        let Some(entity) = model.entities.get(*entity) else {
            return String::new();
        };
        let copy = copy
            .and_then(|at| entity.copies.get(at))
            .map_or(String::new(), |copy| format!(".{}", copy.name));
        let count = match (many, optional) {
            (true, _) => "[]",
            (false, true) => "?",
            (false, false) => "",
        };
        let alias = alias
            .as_ref()
            .map_or(String::new(), |alias| format!(" as {alias}"));
        let bound: Vec<String> = bound
            .iter()
            .map(|(attribute, parameter)| {
                format!("{} = {}", written(attribute), written(parameter))
            })
            .collect();
        let bound = if bound.is_empty() {
            String::new()
        } else {
            format!(" where {}", bound.join(" and "))
        };
        format!("{}{copy}{count}{alias}{bound}", entity.name)
    };
    let all: Vec<String> = pattern.returned.iter().map(one).collect();
    let all = match pattern.together {
        None => all.join(" + "),
        Some(_) => format!("({})", all.join(", ")),
    };
    match pattern.only.as_slice() {
        [] => all,
        only => format!(
            "{all} only {}",
            written_list(only.iter().map(String::as_str))
        ),
    }
}

/// The whole promise: the result, of which items, in which order, as the language writes it:
/// `Order[] only total where status = paid newest createdAt`.
pub fn whole_promise(model: &Model, pattern: &Pattern) -> String {
    let fixed = pattern
        .fixed
        .iter()
        .map(|(name, text)| format!("{} = {}", written(name), operand(text)));
    let present = pattern.present.iter().map(|name| written(name));
    let which: Vec<String> = fixed.chain(present).collect();
    let mut text = promise(model, pattern);
    if !which.is_empty() {
        text.push_str(&format!(" where {}", which.join(", ")));
    }
    if let Some(Ordered {
        order,
        attribute,
        span: _,
    }) = &pattern.order
    {
        text.push_str(&format!(" {}", order.word()));
        if let Some(attribute) = attribute {
            text.push_str(&format!(" {}", written(attribute)));
        }
    }
    text
}

/// A fixed value as the language writes it: a word or a number as it is, any other text in quotes.
fn operand(text: &str) -> String {
    if is_word(text) || text.parse::<f64>().is_ok() {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}

/// The aggregates that an entity keeps of others: `orders: count of Order`.
pub(crate) fn aggregates(model: &Model, entity: &Entity) -> Vec<String> {
    let one = |aggregate: &Aggregate| {
        let Aggregate {
            kind,
            attribute,
            span: _,
            entity,
            of,
            by,
            condition,
            // These follow from the other properties.
            link: _,
            next: _,
            next_copy: _,
        } = aggregate;
        let child = model
            .entities
            .get(*entity)
            .map_or("", |child| child.name.as_str());
        let of = of
            .as_ref()
            .map_or(String::new(), |of| format!(".{}", written(of)));
        let by = match by.as_slice() {
            [] => String::new(),
            names => format!(" by {}", written_list(names.iter().map(String::as_str))),
        };
        let condition = condition.as_ref().map_or(String::new(), |(name, text)| {
            format!(" where {} = {text}", written(name))
        });
        format!(
            "{}: {} of {child}{of}{by}{condition}",
            written(attribute),
            kind.word()
        )
    };
    entity.aggregates.iter().map(one).collect()
}

/// An action among those of a named write: `update Product (stock = stock - 1) if stock >= 1`.
pub(crate) fn action_text(model: &Model, actions: &[Action], action: &Action) -> String {
    let Action {
        verb,
        entity,
        alias,
        taken,
        each,
        assignments,
        otherwise,
        removed,
        conditions,
    } = action;
    let entity = model.entities.get(*entity);
    let parameter = |attribute: &str| match alias {
        Some(alias) => format!("{alias}.{attribute}"),
        None => attribute.to_owned(),
    };
    // The entity says which attributes every write sets.
    let is_said = |one: &&Assignment| {
        let found = entity.and_then(|entity| entity.attribute(&one.attribute));
        let by_itself = one.left == Operand::Parameter(parameter(&one.attribute));
        !(by_itself && found.is_some_and(Attribute::is_touched))
    };
    let name = entity.map_or("", |entity| entity.name.as_str());
    let mut text = format!("{} {name}", verb.word());
    if let Some(alias) = alias {
        text.push_str(&format!(" as {alias}"));
    }
    if let Some(each) = each {
        text.push_str(&format!(" for each of {}", written(each)));
    }
    let found: Vec<String> = taken
        .iter()
        .filter(|one| one.is_declared)
        .map(|one| taken_text(model, actions, one))
        .collect();
    if !found.is_empty() {
        text.push_str(&format!(" where {}", found.join(", ")));
    }
    // Of a new item it is said what it has from other actions.
    let changes_stored = matches!(verb, Verb::Update | Verb::Upsert);
    let is_shown = |one: &&Assignment| changes_stored || one.lent().next().is_some();
    let changes = assignments.iter().filter(is_said).filter(is_shown);
    let changes = changes.map(assignment_text);
    let removed = removed.iter().map(|path| format!("remove {path}"));
    let changes: Vec<String> = changes.chain(removed).collect();
    if changes_stored || !changes.is_empty() {
        text.push_str(&format!(" ({})", changes.join(", ")));
    }
    if !otherwise.is_empty() {
        let new: Vec<String> = otherwise.iter().map(assignment_text).collect();
        text.push_str(&format!(" else ({})", new.join(", ")));
    }
    if !conditions.is_empty() {
        text.push_str(&format!(" if {}", conjunction(conditions)));
    }
    text
}

/// An attribute and the source that `where` names: `memberId = Post.authorId`.
fn taken_text(model: &Model, actions: &[Action], taken: &Taken) -> String {
    let Taken {
        attribute,
        source,
        is_declared: _,
    } = taken;
    let source = match source {
        Source::Parameter(name) => Operand::Parameter(name.clone()).to_string(),
        Source::Literal(value) => value::display(value),
        Source::Attribute { action, attribute } => {
            let of = actions.get(*action);
            let entity = of.and_then(|of| model.entities.get(of.entity));
            let alias = of.and_then(|of| of.alias.as_deref());
            let name = alias.or(entity.map(|entity| entity.name.as_str()));
            format!("{}.{}", name.unwrap_or_default(), written(attribute))
        }
    };
    format!("{} = {source}", written(attribute))
}

fn assignment_text(assignment: &Assignment) -> String {
    let Assignment {
        attribute: _,
        fields: _,
        left,
        right,
    } = assignment;
    let made = match right {
        None => left.to_string(),
        Some((Joint::Plus, right)) => format!("{left} + {right}"),
        Some((Joint::Minus, right)) => format!("{left} - {right}"),
        Some((Joint::Before, right)) => format!("{right} + {left}"),
    };
    format!("{} = {made}", assignment.path())
}

/// A default as the language writes it.
pub(crate) fn default_text(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Value(value) => value::display(value),
        DefaultValue::Now => "now".to_owned(),
        DefaultValue::Always => "now always".to_owned(),
        DefaultValue::New => "new".to_owned(),
    }
}

/// The condition of a sparse index: an attribute that items must have, and its value if the index
/// holds only one.
pub(crate) fn sparse_text(sparse: &Sparse) -> String {
    let Sparse { attribute, value } = sparse;
    match value {
        Some(value) => format!("{} = {value}", written(attribute)),
        None => written(attribute),
    }
}

/// A name, with `?` behind it when the thing may be missing.
pub(crate) fn optional(name: &str, may_lack: bool) -> String {
    let mark = if may_lack { "?" } else { "" };
    format!("{name}{mark}")
}

/// The templates of a key, the partition key's first.
pub(crate) fn templates(key: &KeyPair) -> impl Iterator<Item = &KeyTemplate> {
    let KeyPair {
        partition,
        sort,
        span: _,
    } = key;
    std::iter::once(partition).chain(sort)
}

/// The key attributes of an index, each with the parts that it is made of.
pub(crate) fn key_columns<'k>(
    index: &'k Index,
    key: &'k KeyPair,
) -> impl Iterator<Item = (&'k Column, &'k [Part])> {
    index
        .columns()
        .zip(templates(key).flat_map(KeyTemplate::columns))
}
