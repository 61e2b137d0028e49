//! The patterns that keys and indexes of a draft answer: an item by its key, what lies beside it, what refers to
//! it, and an item by what is unique.

use super::draft::{Draft, Entity, Pattern, Place, Returns};
use super::names::distinct;
use super::place::{self, Forms, Wanted, begins_key, is_partition, label_of};

/// Adds the patterns.
pub(super) fn add(draft: &mut Draft, forms: &Forms) {
    for at in place::in_order(&draft.entities) {
        add_key(draft, at);
        add_collection(draft, at);
        add_links(draft, at);
        add_uniques(draft, forms, at);
    }
}

impl Pattern {
    /// A pattern by attributes.
    pub(super) fn by(name: String, entity: usize, returns: Returns, equal: Vec<usize>) -> Pattern {
        Pattern {
            name,
            entity,
            returns,
            beside: Vec::new(),
            equal,
            range: None,
            order: None,
            page: None,
            filters: Vec::new(),
            answers: Vec::new(),
        }
    }
}

impl Draft {
    /// A name that no pattern has.
    pub(super) fn free_name(&self, base: &str) -> String {
        distinct(base, |name| {
            self.patterns.iter().any(|one| one.name == name)
        })
    }

    /// Adds a pattern, unless there is one that answers the same: the position of the one or the other.
    pub(super) fn add_pattern(&mut self, mut pattern: Pattern) -> usize {
        let is_same = |one: &Pattern| {
            one.entity == pattern.entity
                && one.returns == pattern.returns
                && one.beside == pattern.beside
                && Entity::is_set(&one.equal, &pattern.equal)
                && one.range == pattern.range
                && one.order == pattern.order
                && one.filters == pattern.filters
        };
        if let Some(at) = self.patterns.iter().position(is_same) {
            return at;
        }
        pattern.name = self.free_name(&pattern.name);
        self.patterns.push(pattern);
        self.patterns.len() - 1
    }
}

fn add_key(draft: &mut Draft, at: usize) {
    let Some(entity) = draft.entities.get(at) else {
        return;
    };
    let one = entity.name.one.clone();
    let identity = entity.identity.clone();
    draft.add_pattern(Pattern::by(one, at, Returns::One, identity));
}

/// Adds an entity with everything that lies in its partition.
fn add_collection(draft: &mut Draft, at: usize) {
    let Some(entity) = draft.entities.get(at) else {
        return;
    };
    let is_alone =
        entity.sort.fields.is_empty() && is_partition(&entity.partition, &entity.identity);
    if entity.place != Place::Own || !is_alone {
        return;
    }
    let order = place::in_order(&draft.entities).into_iter();
    let beside: Vec<usize> = order
        .filter(|other| {
            let found = draft.entities.get(*other);
            *other != at && found.is_some_and(|one| one.partition.label == entity.partition.label)
        })
        .collect();
    // A collection is asked for by attributes that all of it have.
    let names: Vec<&str> = entity
        .identity
        .iter()
        .map(|one| entity.name_of(*one))
        .collect();
    let has_names = |other: &usize| {
        let other = draft.entities.get(*other);
        other.is_some_and(|other| {
            names
                .iter()
                .all(|name| other.attributes.iter().any(|one| one.name == *name))
        })
    };
    if !beside.iter().all(has_names) {
        return;
    }
    let name = match beside.as_slice() {
        [] => return,
        [child] => {
            let many = draft.entities.get(*child).map_or("", |one| &one.name.many);
            with(&entity.name.one, many)
        }
        _ => format!("{}_with_all", entity.name.one),
    };
    let mut pattern = Pattern::by(name, at, Returns::Collection, entity.identity.clone());
    pattern.beside = beside;
    draft.add_pattern(pattern);
}

/// The name of an entity with others: `invoice_with_lines` of `invoice_lines`.
pub(super) fn with(one: &str, many: &str) -> String {
    let short = many.strip_prefix(&format!("{one}_")).unwrap_or(many);
    format!("{one}_with_{short}")
}

/// The name of what refers to another entity: `orders_of_customer`, or `orders_by_owner` where the attribute has
/// another name.
fn name_of(draft: &Draft, at: usize, attributes: &[usize], target: usize, is_one: bool) -> String {
    let (Some(entity), Some(target)) = (draft.entities.get(at), draft.entities.get(target)) else {
        return String::new();
    };
    let what = if is_one {
        &entity.name.one
    } else {
        &entity.name.many
    };
    let named = attributes.iter().map(|one| entity.name_of(*one));
    let known = target.identity.iter().map(|one| target.name_of(*one));
    if named.clone().eq(known) {
        return format!("{what}_of_{}", target.name.one);
    }
    format!("{what}_by_{}", by(named))
}

/// The names of attributes behind `by`: `reports_to`, `owner` of `ownerId`.
pub(super) fn by<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let words = names.map(|name| {
        let mut words = super::names::words(name);
        if words.len() > 1 && words.last().is_some_and(|one| one == "id") {
            words.pop();
        }
        words.join("_")
    });
    words.collect::<Vec<String>>().join("_and_")
}

fn add_links(draft: &mut Draft, at: usize) {
    let Some(entity) = draft.entities.get(at) else {
        return;
    };
    for link in entity.links.clone() {
        let Some(entity) = draft.entities.get(at) else {
            return;
        };
        let is_sole = entity
            .uniques
            .iter()
            .any(|one| !one.is_folded && Entity::is_set(&one.attributes, &link.attributes));
        let is_indexed = entity
            .indexes
            .iter()
            .any(|one| one.equal == link.attributes);
        let is_whole = Entity::is_set(&link.attributes, &entity.identity);
        if !(is_indexed || begins_key(entity, &link.attributes)) || is_whole {
            continue;
        }
        let returns = if is_sole { Returns::One } else { Returns::Many };
        let name = name_of(draft, at, &link.attributes, link.target, is_sole);
        draft.add_pattern(Pattern::by(name, at, returns, link.attributes.clone()));
    }
}

fn add_uniques(draft: &mut Draft, forms: &Forms, at: usize) {
    let uniques = draft
        .entities
        .get(at)
        .map_or_else(Vec::new, |one| one.uniques.clone());
    for unique in uniques {
        let Some(entity) = draft.entities.get(at) else {
            return;
        };
        let known = entity
            .indexes
            .iter()
            .any(|one| one.equal == unique.attributes);
        let names: Vec<&str> = unique
            .attributes
            .iter()
            .map(|one| entity.name_of(*one))
            .collect();
        let name = format!("{}_by_{}", entity.name.one, by(names.iter().copied()));
        if !known {
            let label = label_of(entity, &unique.attributes);
            let equal = unique.attributes.clone();
            let wanted = Wanted {
                label,
                equal,
                order: Vec::new(),
            };
            let Some(slot) = place::add_index(draft, forms, at, &wanted) else {
                continue;
            };
            if let Some(entity) = draft.entities.get_mut(at)
                && let Some(index) = entity.indexes.iter_mut().find(|one| one.slot == slot)
            {
                // One item has it, so nothing stands behind.
                index.sort.fields.clear();
                index.is_sole = true;
                if let Some(field) = index
                    .partition
                    .fields
                    .first_mut()
                    .filter(|_| unique.is_folded)
                {
                    field.format = ":lower".to_owned();
                }
            }
        }
        draft.add_pattern(Pattern::by(name, at, Returns::One, unique.attributes));
    }
}
