//! Where entities lie: children beside their parents, what joins two tables between both, others under keys of
//! their own; and the indexes that find them by what they refer to.

use super::draft::{Draft, Entity, Field, Index, Place, Template};
use super::values::{IN_KEY_MAX, Kind};
use std::collections::BTreeSet;

/// How attributes are written in keys: those that refer to each other are written alike.
#[derive(Debug, Default)]
pub(super) struct Forms {
    /// Entities and attributes whose texts hold the sign between parts of keys.
    escaped: BTreeSet<(usize, usize)>,
    /// Those whose texts are too long for a key.
    hashed: BTreeSet<(usize, usize)>,
    /// Those with numbers below 0.
    signed: BTreeSet<(usize, usize)>,
    /// Those with numbers of more digits than usual.
    wide: BTreeSet<(usize, usize)>,
}

/// Adds what refers to members of a set, and what they refer to.
fn spread(entities: &[Entity], set: &mut BTreeSet<(usize, usize)>) {
    loop {
        let before = set.len();
        for (at, entity) in entities.iter().enumerate() {
            for link in entity.links.iter().filter(|link| link.is_exact) {
                for (own, to) in link.attributes.iter().zip(&link.to) {
                    let pair = [(at, *own), (link.target, *to)];
                    if pair.iter().any(|one| set.contains(one)) {
                        set.extend(pair);
                    }
                }
            }
        }
        if set.len() == before {
            return;
        }
    }
}

impl Forms {
    /// The forms that the values ask for.
    pub(super) fn of(entities: &[Entity], escaped: &BTreeSet<(usize, usize)>) -> Forms {
        let mut forms = Forms::default();
        for (at, entity) in entities.iter().enumerate() {
            for (position, attribute) in entity.attributes.iter().enumerate() {
                let one = (at, position);
                let measured = &attribute.measured;
                if measured.delimited > 0 || escaped.contains(&(entity.table, attribute.column)) {
                    forms.escaped.insert(one);
                }
                if measured.longest > IN_KEY_MAX {
                    forms.hashed.insert(one);
                }
                if measured.least < 0 {
                    forms.signed.insert(one);
                }
                if matches!(attribute.judged.kind, Kind::Int(width) if width > 10) {
                    forms.wide.insert(one);
                }
            }
        }
        for set in [
            &mut forms.escaped,
            &mut forms.hashed,
            &mut forms.signed,
            &mut forms.wide,
        ] {
            spread(entities, set);
        }
        forms
    }

    /// An attribute as a part of a partition key, or of a sort key with the order of its values.
    pub(super) fn field(
        &self,
        entities: &[Entity],
        entity: usize,
        attribute: usize,
        is_sort: bool,
    ) -> Field {
        let one = (entity, attribute);
        let found = entities.get(entity);
        let kind = found.and_then(|one| one.attributes.get(attribute));
        let signed = match self.signed.contains(&one) {
            true => ":signed",
            false => "",
        };
        let format = match kind.map(|one| &one.judged.kind) {
            Some(Kind::Text) if self.hashed.contains(&one) => ":hash".to_owned(),
            Some(Kind::Text) if self.escaped.contains(&one) => ":escape".to_owned(),
            Some(Kind::Int(width)) if is_sort => {
                let width = if self.wide.contains(&one) {
                    19.max(*width)
                } else {
                    *width
                };
                format!(":0{width}{signed}")
            }
            Some(Kind::Number(Some((all, places)))) if is_sort => {
                let whole = (all - places).max(1);
                match places {
                    0 => format!(":0{whole}{signed}"),
                    _ => format!(":0{whole}.{places}{signed}"),
                }
            }
            _ => String::new(),
        };
        Field { attribute, format }
    }

    fn fields(
        &self,
        entities: &[Entity],
        entity: usize,
        all: &[usize],
        is_sort: bool,
    ) -> Vec<Field> {
        let field = |at: &usize| self.field(entities, entity, *at, is_sort);
        all.iter().map(field).collect()
    }
}

/// The entities, each behind those that it refers to, as far as there is no circle.
pub(super) fn in_order(entities: &[Entity]) -> Vec<usize> {
    fn visit(entities: &[Entity], at: usize, seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
        if !seen.insert(at) {
            return;
        }
        for link in entities.get(at).map_or(&[][..], |one| &one.links) {
            visit(entities, link.target, seen, order);
        }
        order.push(at);
    }
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    (0..entities.len()).for_each(|at| visit(entities, at, &mut seen, &mut order));
    order
}

/// Decides where each entity lies, and gives it its keys.
pub(super) fn place(draft: &mut Draft, forms: &Forms) {
    let mut placed = BTreeSet::new();
    for at in in_order(&draft.entities) {
        let Some(entity) = draft.entities.get(at) else {
            continue;
        };
        let place = match draft.ruling.own.contains(&entity.table) {
            true => Place::Own,
            false => place_of(draft, entity, at, &placed),
        };
        adopt_names(draft, at, place);
        key(draft, forms, at, place);
        placed.insert(at);
    }
    for at in 0..draft.entities.len() {
        index_links(draft, forms, at);
    }
}

fn place_of(draft: &Draft, entity: &Entity, at: usize, placed: &BTreeSet<usize>) -> Place {
    let exact = || {
        entity
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.is_exact)
    };
    let is_within = |all: &[usize]| all.iter().all(|one| entity.identity.contains(one));
    // What joins two tables has nothing in its key but both references.
    let parts: Vec<usize> = exact()
        .filter(|(_, link)| {
            link.attributes.len() < entity.identity.len() && is_within(&link.attributes)
        })
        .map(|(at, _)| at)
        .collect();
    if let [one, other] = parts.as_slice()
        && let (Some(first), Some(second)) = (entity.links.get(*one), entity.links.get(*other))
    {
        let both: Vec<usize> = first
            .attributes
            .iter()
            .chain(&second.attributes)
            .copied()
            .collect();
        if Entity::is_set(&both, &entity.identity) && is_root(draft, first.target) {
            return match entity
                .identity
                .first()
                .is_some_and(|at| second.attributes.contains(at))
                && is_root(draft, second.target)
            {
                true => Place::Between(*other, *one),
                false => Place::Between(*one, *other),
            };
        }
    }
    // A key that begins with the whole key of another table is that of a part of it.
    let begins = exact().filter(|(_, link)| {
        let beginning = entity.identity.get(..link.attributes.len());
        link.target != at
            && placed.contains(&link.target)
            && beginning.is_some_and(|all| Entity::is_set(all, &link.attributes))
    });
    if let Some((parent, _)) = begins.max_by_key(|(_, link)| link.attributes.len()) {
        return Place::Child(parent);
    }
    let is_required = |all: &[usize]| {
        let of = |at: &usize| entity.attributes.get(*at);
        all.iter()
            .filter_map(of)
            .all(|one| !one.is_optional && one.measured.empty == 0)
    };
    let mut going = exact().filter(|(_, link)| link.cascades && is_required(&link.attributes));
    match (going.next(), going.next()) {
        (Some((parent, link)), None)
            if link.target != at
                && placed.contains(&link.target)
                && !link
                    .attributes
                    .iter()
                    .any(|one| entity.identity.contains(one)) =>
        {
            Place::Child(parent)
        }
        _ => Place::Own,
    }
}

/// Whether an entity's own label begins its partition.
fn is_root(draft: &Draft, entity: usize) -> bool {
    draft
        .entities
        .get(entity)
        .is_some_and(|one| one.place == Place::Own)
}

/// Gives the attributes of a child by which it lies beside its parent the parent's names, where they are free.
fn adopt_names(draft: &mut Draft, at: usize, place: Place) {
    let parent = match place {
        Place::Child(parent) => parent,
        Place::Between(one, other) => {
            let links = draft.entities.get(at).map(|one| &one.links);
            let target = |at: usize| {
                links
                    .and_then(|links| links.get(at))
                    .map(|link| link.target)
            };
            // Of two references to one entity, neither is more than the other.
            if target(one) == target(other) {
                return;
            }
            one
        }
        Place::Own => return,
    };
    let Some(link) = draft
        .entities
        .get(at)
        .and_then(|one| one.links.get(parent))
        .cloned()
    else {
        return;
    };
    for (own, to) in link.attributes.iter().zip(&link.to) {
        let name = draft
            .entities
            .get(link.target)
            .map_or("", |one| one.name_of(*to))
            .to_owned();
        let Some(entity) = draft.entities.get_mut(at) else {
            return;
        };
        let is_taken = entity.attributes.iter().any(|one| one.name == name);
        if let Some(attribute) = entity.attributes.get_mut(*own).filter(|_| !is_taken) {
            attribute.name = name;
        }
    }
}

/// The fields of a parent's template as a child has them.
fn mapped(fields: &[Field], own: &[usize], to: &[usize]) -> Option<Vec<Field>> {
    let of = |field: &Field| {
        let at = to.iter().position(|one| *one == field.attribute)?;
        Some(Field {
            attribute: *own.get(at)?,
            format: field.format.clone(),
        })
    };
    fields.iter().map(of).collect()
}

fn key(draft: &mut Draft, forms: &Forms, at: usize, place: Place) {
    let entities = &draft.entities;
    let Some(entity) = entities.get(at) else {
        return;
    };
    let label = entity.name.label.clone();
    let sort = |all: &[usize]| Template {
        label: label.clone(),
        fields: forms.fields(entities, at, all, true),
    };
    let rest = |known: &[usize], link: &[usize]| -> Vec<usize> {
        let own = entity.identity.iter().filter(|one| !link.contains(one));
        let all = link.iter().chain(own).copied();
        all.filter(|one| !known.contains(one)).collect()
    };
    let own = || {
        let (first, others) = entity.identity.split_at(1.min(entity.identity.len()));
        let partition = Template {
            label: label.clone(),
            fields: forms.fields(entities, at, first, false),
        };
        (partition, sort(others))
    };
    let (partition, sort, place) = match place {
        Place::Own => {
            let (partition, sort) = own();
            (partition, sort, Place::Own)
        }
        Place::Between(one, _) | Place::Child(one) => match entity.links.get(one) {
            Some(link) => {
                let (partition, known) = beside(entities, forms, at, link);
                let more = rest(&known, &link.attributes);
                (partition, sort(&more), place)
            }
            None => {
                let (partition, sort) = own();
                (partition, sort, Place::Own)
            }
        },
    };
    let has_id = match place {
        Place::Child(_) => {
            let in_key = partition.fields.iter().chain(&sort.fields);
            in_key
                .into_iter()
                .any(|one| !entity.identity.contains(&one.attribute))
        }
        Place::Own | Place::Between(..) => false,
    };
    if let Some(entity) = draft.entities.get_mut(at) {
        entity.partition = partition;
        entity.sort = sort;
        entity.place = place;
        entity.has_id = has_id;
    }
}

/// The partition of the items that a reference leads to, and the attributes that it is made of.
fn beside(
    entities: &[Entity],
    forms: &Forms,
    at: usize,
    link: &super::draft::Link,
) -> (Template, Vec<usize>) {
    let target = entities.get(link.target);
    let of_target = target.and_then(|target| {
        let fields = mapped(&target.partition.fields, &link.attributes, &link.to)?;
        Some(Template {
            label: target.partition.label.clone(),
            fields,
        })
    });
    // A parent that lies beside another one by more than its key has a partition of its own for its children.
    let partition = of_target
        .filter(|one| !one.fields.is_empty())
        .unwrap_or_else(|| Template {
            label: target.map_or_else(String::new, |one| one.name.label.clone()),
            fields: forms.fields(entities, at, &link.attributes, false),
        });
    let known = partition.fields.iter().map(|one| one.attribute).collect();
    (partition, known)
}

/// Whether attributes are all that a partition is made of.
pub(super) fn is_partition(template: &Template, attributes: &[usize]) -> bool {
    let fields: Vec<usize> = template.fields.iter().map(|one| one.attribute).collect();
    !fields.is_empty() && Entity::is_set(&fields, attributes)
}

/// Adds an index for each reference that the key does not begin with.
fn index_links(draft: &mut Draft, forms: &Forms, at: usize) {
    let Some(entity) = draft.entities.get(at) else {
        return;
    };
    for link in entity.links.clone() {
        let entities = &draft.entities;
        let (Some(entity), Some(target)) = (entities.get(at), entities.get(link.target)) else {
            continue;
        };
        if begins_key(entity, &link.attributes) || !fits(entity, &link.attributes) {
            continue;
        }
        let label = match link.is_exact {
            true => target.name.label.clone(),
            false => label_of(entity, &link.attributes),
        };
        let equal = link.attributes.clone();
        add_index(
            draft,
            forms,
            at,
            &Wanted {
                label,
                equal,
                order: Vec::new(),
            },
        );
    }
}

/// Whether attributes are the first ones of the key.
pub(super) fn begins_key(entity: &Entity, attributes: &[usize]) -> bool {
    let fields = entity.partition.fields.iter().chain(&entity.sort.fields);
    let first: Vec<usize> = fields
        .take(attributes.len())
        .map(|one| one.attribute)
        .collect();
    attributes.len() >= entity.partition.fields.len() && Entity::is_set(&first, attributes)
}

/// Whether attributes can be part of a key of an index.
pub(super) fn fits(entity: &Entity, attributes: &[usize]) -> bool {
    let of = |at: &usize| entity.attributes.get(*at);
    attributes
        .iter()
        .filter_map(of)
        .all(|one| one.judged.kind.fits_key())
}

/// A label of an index by attributes: `ORDER_STATE`.
pub(super) fn label_of(entity: &Entity, attributes: &[usize]) -> String {
    let mut label = entity.name.label.clone();
    for at in attributes {
        let words = super::names::words(entity.name_of(*at));
        label.push('_');
        label.push_str(&words.join("_").to_uppercase());
    }
    label
}

/// An index that is to be added.
pub(super) struct Wanted {
    pub(super) label: String,
    pub(super) equal: Vec<usize>,
    pub(super) order: Vec<usize>,
}

/// The sort key of an index: what orders it, and what identifies the item.
pub(super) fn sort_of(entities: &[Entity], forms: &Forms, at: usize, wanted: &Wanted) -> Template {
    let entity = entities.get(at);
    let label = entity.map_or_else(String::new, |one| one.name.label.clone());
    let mut fields = forms.fields(entities, at, &wanted.order, true);
    let is_text = |at: &usize| {
        let attribute = entity.and_then(|one| one.attributes.get(*at));
        attribute.is_some_and(|one| one.judged.kind == Kind::Text)
    };
    // Behind a text of any letters stands nothing, so that it need not be escaped.
    let is_last = wanted.order.last().is_some_and(is_text);
    if let Some(field) = fields
        .last_mut()
        .filter(|one| is_last && one.format == ":escape")
    {
        field.format.clear();
    }
    if !is_last {
        let all = entity.map_or(&[][..], |one| &one.identity).iter().copied();
        let known = |one: &usize| wanted.order.contains(one) || wanted.equal.contains(one);
        let more: Vec<usize> = all.filter(|one| !known(one)).collect();
        fields.extend(forms.fields(entities, at, &more, true));
    }
    Template { label, fields }
}

/// Adds an index: its number, or `None` when there are no more.
pub(super) fn add_index(
    draft: &mut Draft,
    forms: &Forms,
    at: usize,
    wanted: &Wanted,
) -> Option<usize> {
    let table = draft.entities.get(at)?.table;
    let mut known = wanted.equal.clone();
    known.sort_unstable();
    if draft.ruling.no_index.contains(&(table, known)) {
        return None;
    }
    let sort = sort_of(&draft.entities, forms, at, wanted);
    let mut fields = forms.fields(&draft.entities, at, &wanted.equal, false);
    let kinds = draft.entities.get(at)?;
    let count = fields.len();
    for (position, field) in fields.iter_mut().enumerate() {
        let attribute = kinds.attributes.get(field.attribute)?;
        let is_last = position + 1 == count;
        let is_own = attribute.refers.is_none() && !kinds.identity.contains(&field.attribute);
        if attribute.judged.kind == Kind::Text && is_own && field.format != ":hash" {
            // The last field holds any text.
            field.format = if is_last {
                String::new()
            } else {
                ":escape".to_owned()
            };
        }
    }
    let entity = draft.entities.get_mut(at)?;
    let Some(slot) = entity.free_slot() else {
        let names: Vec<&str> = wanted.equal.iter().map(|at| entity.name_of(*at)).collect();
        let remark = format!("no index by {} is left", names.join(", "));
        entity.remarks.push(remark);
        return None;
    };
    for one in wanted.equal.iter().chain(&wanted.order) {
        let is_key = entity.identity.contains(one);
        if let Some(attribute) = entity.attributes.get_mut(*one)
            && attribute.measured.empty > 0
            && !is_key
        {
            attribute.is_emptied = true;
            attribute.is_optional = true;
        }
    }
    entity.indexes.push(Index {
        slot,
        partition: Template {
            label: wanted.label.clone(),
            fields,
        },
        sort,
        equal: wanted.equal.clone(),
        order: wanted.order.clone(),
        is_sole: false,
    });
    Some(slot)
}
