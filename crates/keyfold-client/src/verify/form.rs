//! What an item of a kind must have, gathered once from the model.

use super::rows::{self, Used};
use crate::kinds::{Kind, Kinds, Role};
use crate::slots::Names;
use keyfold_codec::RawItem;
use keyfold_lower::derive;
use keyfold_model::schema::{
    AggregateKind, Attribute, Condition, IndexKey, guard_parts, held_in_guard,
};
use keyfold_model::value::{Attributes, gives_back};
use keyfold_model::{Entity, KeyTemplate, Model, Part, Table};
use std::collections::{BTreeMap, BTreeSet};

/// The attributes of entities that conditions compare, with the pattern or write that does.
type Comparing<'m> = BTreeMap<(usize, &'m str), &'m str>;

/// The kinds of items of a table with their forms.
pub(super) struct Forms<'m> {
    pub(super) kinds: Kinds<'m>,
    /// The form of each kind.
    forms: Vec<Form<'m>>,
    /// For each entity of the model the parts of the keys of its guards.
    guards: Vec<Vec<Vec<Part>>>,
    comparing: Comparing<'m>,
    /// For each entity of the model the views whose rows follow from it.
    views: Vec<Vec<Used>>,
}

impl<'m> Forms<'m> {
    pub(super) fn of(model: &'m Model, at: usize, table: &'m Table) -> Forms<'m> {
        let (kinds, comparing) = (Kinds::of(model, at, table), comparing(model));
        let views: Vec<Vec<Used>> = (0..model.entities.len())
            .map(|source| rows::following(model, source))
            .collect();
        let forms = kinds.all().iter().filter_map(|kind| {
            let entity = model.entities.get(kind.at)?;
            let mut form = Form::of((kind.at, entity), table, kind.role, &comparing);
            // What an item gives to a row is made of its decoded attributes.
            let gives = views.get(kind.at).is_some_and(|views| !views.is_empty());
            form.is_plain &= kind.role != Role::Main || !gives && entity.view.is_none();
            Some(form)
        });
        let guards = model.entities.iter().map(|entity| {
            let all = entity.uniques.iter();
            let parts = all.map(|unique| guard_parts(entity, unique, &table.delimiters));
            parts.collect()
        });
        Forms {
            forms: forms.collect(),
            guards: guards.collect(),
            kinds,
            comparing,
            views,
        }
    }

    /// The views whose rows follow from an entity.
    pub(super) fn views_of(&self, entity: usize) -> &[Used] {
        self.views.get(entity).map_or(&[], Vec::as_slice)
    }

    /// The kind and form of a stored item, as [`Kinds::position_of`] finds them.
    pub(super) fn form_of(&self, item: &RawItem) -> Option<(&Kind, &Form<'m>)> {
        let at = self.kinds.position_of(item)?;
        Some((self.kinds.all().get(at)?, self.forms.get(at)?))
    }

    /// The parts of the key of an entity's guard.
    pub(super) fn guard_parts(&self, entity: usize, unique: usize) -> &[Part] {
        let all = self.guards.get(entity);
        all.and_then(|all| all.get(unique))
            .map_or(&[], Vec::as_slice)
    }

    /// The pattern or write that compares an attribute of an entity in a condition.
    pub(super) fn comparing(&self, attribute: (usize, &str)) -> Option<&'m str> {
        self.comparing.get(&attribute).copied()
    }
}

/// The table whose items are judged.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) model: &'s Model,
    pub(super) kinds: &'s Kinds<'s>,
    pub(super) forms: &'s Forms<'s>,
    /// The name of the table; with periods, of the table of one period.
    pub(super) name: &'s str,
}

impl<'s> Scope<'s> {
    pub(super) fn new(model: &'s Model, forms: &'s Forms<'s>, name: &'s str) -> Scope<'s> {
        Scope {
            model,
            kinds: &forms.kinds,
            forms,
            name,
        }
    }
}

/// The form of the items of a kind.
pub(super) struct Form<'m> {
    /// The names of the attributes that a judgement looks at, in order.
    pub(super) names: Names,
    /// The attributes that the items declare.
    pub(super) declared: Vec<Declared<'m>>,
    /// The attributes of indexes that a main item has exactly where templates make them.
    pub(super) index_columns: Vec<IndexColumn<'m>>,
    /// The attributes of the key that the guard of an `id` holds.
    held: Vec<String>,
    /// The attributes that a copy or guard must not have: the table's, and not its own.
    pub(super) absent: Vec<&'m str>,
    /// The attributes that the copies and guards of a main item are made of.
    pub(super) claimed: BTreeSet<&'m str>,
    /// The attributes of the aggregates that a main item keeps.
    pub(super) kept: Vec<String>,
    /// The attributes that count changes of aggregates.
    pub(super) changes: Vec<String>,
    /// Whether each attribute is stored as it is, or in keys: not compressed, and not in parts.
    pub(super) is_plain: bool,
}

/// An attribute that items declare.
pub(super) struct Declared<'m> {
    /// Its position among the names.
    pub(super) at: usize,
    pub(super) attribute: &'m Attribute,
    /// Whether it is compared with other items, and not judged alone.
    pub(super) is_aggregate: bool,
    /// The keys that it is read back from, where it is not stored.
    pub(super) sources: Vec<(&'m str, &'m [Part])>,
    /// Whether an item may hold it only inside a key.
    pub(super) may_be_in_key: bool,
}

/// An attribute of indexes.
pub(super) struct IndexColumn<'m> {
    pub(super) name: &'m str,
    makers: Vec<Maker<'m>>,
}

/// A template that makes an attribute of an index, for the items that are in it.
struct Maker<'m> {
    key: &'m IndexKey,
    /// The attributes that an item in the index has.
    fields: Vec<&'m str>,
    parts: &'m [Part],
}

impl<'m> IndexColumn<'m> {
    /// The parts that make it of these attributes; `None` where it must be absent.
    pub(super) fn maker(&self, values: &impl Attributes) -> Option<&'m [Part]> {
        // Of two templates that make an attribute, the last one counts.
        let mut makers = self.makers.iter().rev();
        let made = makers.find(|maker| {
            let mut fields = maker.fields.iter();
            fields.all(|field| values.has(field)) && derive::is_chosen(maker.key, values)
        });
        made.map(|maker| maker.parts)
    }
}

/// The attributes that the conditions of patterns and writes compare.
fn comparing(model: &Model) -> Comparing<'_> {
    let mut all = BTreeMap::new();
    let mut add = |entity: usize, conditions: &'_ [Condition], by| {
        for name in conditions.iter().flat_map(Condition::attributes) {
            let own = model.entities.get(entity);
            let own = own.and_then(|entity| entity.attribute(name));
            if let Some(attribute) = own {
                all.entry((entity, attribute.name.as_str())).or_insert(by);
            }
        }
    };
    for pattern in &model.patterns {
        for returned in &pattern.returned {
            add(returned.entity, &pattern.filters, pattern.name.as_str());
        }
    }
    for write in &model.writes {
        for action in &write.actions {
            add(action.entity, &action.conditions, write.name.as_str());
        }
    }
    all
}

impl<'m> Form<'m> {
    fn of(
        (at, entity): (usize, &'m Entity),
        table: &'m Table,
        role: Role,
        comparing: &Comparing<'m>,
    ) -> Form<'m> {
        let mut form = Form {
            names: Names::default(),
            declared: Vec::new(),
            index_columns: Vec::new(),
            held: Vec::new(),
            absent: Vec::new(),
            claimed: BTreeSet::new(),
            kept: Vec::new(),
            changes: Vec::new(),
            is_plain: true,
        };
        match role {
            Role::Main => form.fill_main((at, entity), table, comparing),
            Role::Copy(number) => form.fill_copy(entity, number, table),
            Role::Guard(number) => form.fill_guard(entity, number, table),
        }
        let of_table = table.columns().map(|column| column.name.as_str());
        let of_table = of_table.chain(table.type_attribute.as_deref());
        let all = form.declared.iter().map(|one| one.attribute.name.as_str());
        let all = all.chain(form.index_columns.iter().map(|one| one.name));
        let all = all.chain(form.absent.iter().copied()).chain(of_table);
        let all = all.chain(table.ttl_attribute.as_deref());
        let all = all.map(str::to_owned).chain(form.kept.iter().cloned());
        let all = all.chain(form.changes.iter().cloned());
        let all = all.chain(std::mem::take(&mut form.held));
        form.names = Names::of(all);
        for declared in &mut form.declared {
            let at = form.names.position(&declared.attribute.name);
            declared.at = at.unwrap_or(usize::MAX);
        }
        form
    }

    fn fill_main(
        &mut self,
        (at, entity): (usize, &'m Entity),
        table: &'m Table,
        comparing: &Comparing<'m>,
    ) {
        let columns = table.columns().map(|column| column.name.as_str());
        let own = columns.zip(entity.key.templates());
        let own = own.map(|(name, template)| (name, template.parts.as_slice()));
        let in_indexes = entity.indexes.iter().flat_map(|key| templates(table, key));
        let sources: Vec<(&str, &[Part])> = own.chain(in_indexes).collect();
        let is_column = |name: &str| {
            let mut columns = table.indexes.iter().flat_map(|index| index.columns());
            columns.any(|column| column.name == name)
        };
        for attribute in &entity.attributes {
            let name = attribute.name.as_str();
            let is_unstored = entity.unstored.iter().any(|one| one == name);
            self.declared.push(Declared {
                at: 0,
                attribute,
                is_aggregate: entity.aggregates.iter().any(|one| one.attribute == name),
                sources: giving_back(&sources, name),
                may_be_in_key: is_unstored
                    || !(comparing.contains_key(&(at, name)) || is_column(name)),
            });
        }
        let is_own = |name: &str| {
            table.columns().any(|column| column.name == name) || entity.attribute(name).is_some()
        };
        for column in table.indexes.iter().flat_map(|index| index.columns()) {
            let name = column.name.as_str();
            if is_own(name) || self.index_columns.iter().any(|one| one.name == name) {
                continue;
            }
            let maker = |key: &'m IndexKey| {
                let (_, parts) =
                    derive::index_templates(table, key).find(|(made, _)| *made == name)?;
                let fields = key.key.fields().collect();
                Some(Maker { key, fields, parts })
            };
            let makers = entity.indexes.iter().filter_map(maker).collect();
            self.index_columns.push(IndexColumn { name, makers });
        }
        for copy in &entity.copies {
            self.claimed.extend(copy.followed());
        }
        for unique in &entity.uniques {
            self.claimed.extend(unique.attributes());
        }
        if entity.id_guard().is_some() {
            self.claimed.extend(entity.moving());
        }
        for aggregate in &entity.aggregates {
            self.kept.push(aggregate.attribute.clone());
            self.kept.push(aggregate.items_attribute());
            if aggregate.kind == AggregateKind::Max {
                self.changes.push(aggregate.changes_attribute());
            }
        }
        self.is_plain = entity.split.is_none() && entity.compressed.is_empty();
    }

    fn fill_copy(&mut self, entity: &'m Entity, number: usize, table: &'m Table) {
        let Some(copy) = entity.copies.get(number) else {
            return;
        };
        let columns = table.columns().map(|column| column.name.as_str());
        let own = columns.zip(copy.key.templates());
        let sources: Vec<(&str, &[Part])> = own
            .map(|(name, template)| (name, template.parts.as_slice()))
            .collect();
        for attribute in copy
            .attributes
            .iter()
            .filter_map(|name| entity.attribute(name))
        {
            self.declared.push(Declared {
                at: 0,
                attribute,
                is_aggregate: false,
                sources: giving_back(&sources, &attribute.name),
                may_be_in_key: true,
            });
        }
        self.absent = absent(table, &copy.attributes);
        let mut compressed = entity.compressed.iter();
        self.is_plain = !compressed.any(|name| copy.attributes.contains(name));
    }

    fn fill_guard(&mut self, entity: &'m Entity, number: usize, table: &'m Table) {
        self.absent = absent(table, &[]);
        let id = entity.uniques.get(number);
        if id.is_some_and(|unique| entity.is_id(unique)) {
            let moving = entity.moving().into_iter();
            self.held.extend(moving.map(held_in_guard));
        }
    }
}

/// The attributes of an index key, with the templates that make them.
fn templates<'m>(
    table: &'m Table,
    key: &'m IndexKey,
) -> impl Iterator<Item = (&'m str, &'m [Part])> {
    let index = table.indexes.get(key.index).into_iter();
    let columns = index.flat_map(|index| index.columns());
    let columns = columns.map(|column| column.name.as_str());
    columns.zip(key.key.templates().flat_map(KeyTemplate::columns))
}

/// The keys that give the value of an attribute back.
fn giving_back<'m>(sources: &[(&'m str, &'m [Part])], name: &str) -> Vec<(&'m str, &'m [Part])> {
    let giving = sources.iter().filter(|(_, parts)| gives_back(parts, name));
    giving.copied().collect()
}

/// The attributes that the table defines for main items, without those that a copy holds.
fn absent<'m>(table: &'m Table, held: &[String]) -> Vec<&'m str> {
    let columns = table.indexes.iter().flat_map(|index| index.columns());
    let names = columns.map(|column| column.name.as_str());
    let names = names.chain(table.ttl_attribute.as_deref());
    let is_own = |name: &str| {
        table.columns().any(|column| column.name == name) || held.iter().any(|one| one == name)
    };
    names.filter(|name| !is_own(name)).collect()
}
