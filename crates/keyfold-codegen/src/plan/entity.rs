//! Entities: attributes, keys, and whatever follows from a write of them.

use super::members::object;
use super::types::{self, Records};
use super::{condition, key, pattern};
use keyfold_model::schema::view::{From, View};
use keyfold_model::schema::{
    Aggregate, Attribute, Compared, Copy, DefaultValue, Entity, GUARD_SORT, IndexKey, Sparse,
    Table, Unique, UniqueMember, guard_parts,
};
use keyfold_model::{Model, value};
use serde_json::{Value as Json, json};

pub(super) fn json(model: &Model, entity: &Entity, records: &mut Records) -> Json {
    let Entity {
        name,
        was: _,
        part: _,
        span: _,
        end: _,
        is_shared: _,
        table,
        attributes,
        by_name: _,
        touched: _,
        key,
        id,
        indexes,
        copies,
        uniques,
        ttl,
        version,
        // `aggregates_of` has them.
        aggregates: _,
        split,
        unstored: _,
        compressed,
        expected: _,
        period_attribute,
        // Each field of a template names what it excludes.
        excluded: _,
        // Programs read and write items, however they came there.
        origin: _,
        view,
    } = entity;
    let Some(table) = model.tables.get(*table) else {
        return Json::Null;
    };
    let mut left_out: Vec<&String> = attributes.iter().map(|one| &one.name).collect();
    left_out.retain(|name| value::is_left_out(entity, key, name));
    let part = |(attribute, size): &_| json!({ "attribute": attribute, "size": size });
    let split = split.as_ref().map_or(Json::Null, part);
    let source = view.as_ref().map(|view| model.entities.get(view.source));
    let guards = uniques.iter().map(|one| guard(table, entity, one));
    object([
        ("name", json!(name)),
        ("table", json!(table.name)),
        ("attributes", attributes_of(entity, records)),
        ("key", key::own(table, key)),
        ("id", json!(id)),
        ("leftOut", json!(left_out)),
        (
            "indexes",
            indexes.iter().map(|one| index_key(table, one)).collect(),
        ),
        (
            "copies",
            copies.iter().map(|one| copy(table, entity, one)).collect(),
        ),
        ("uniques", guards.collect()),
        ("ttl", json!(ttl)),
        ("version", json!(version)),
        ("aggregates", aggregates_of(model, entity, records)),
        ("split", split),
        ("compressed", json!(compressed)),
        ("periodAttribute", json!(period_attribute)),
        ("followed", json!(model.followed(entity))),
        ("alone", json!(model.is_alone(entity))),
        ("view", json!(source.flatten().map(|source| &source.name))),
    ])
}

/// The attributes, of which a view's averages are marked.
fn attributes_of(entity: &Entity, records: &mut Records) -> Json {
    let averages = averages_of(entity.view.as_ref());
    let listed = entity.attributes.iter();
    listed
        .map(|one| attribute(one, averages.contains(&one.name.as_str()), records))
        .collect()
}

/// The guard of unique attributes.
fn guard(table: &Table, entity: &Entity, unique: &Unique) -> Json {
    let is_lower = |one: &&UniqueMember| match one.compared {
        Compared::Whole => false,
        Compared::Lower => true,
    };
    let lower = unique.members.iter().filter(is_lower);
    let lower: Vec<&str> = lower.map(|one| one.attribute.as_str()).collect();
    object([
        ("attributes", unique.attributes().collect()),
        ("lower", json!(lower)),
        (
            "key",
            key::parts(&guard_parts(entity, unique, &table.delimiters)),
        ),
        ("sort", json!(GUARD_SORT)),
        (
            "holds",
            if entity.is_id(unique) {
                key::held(&entity.moving())
            } else {
                Json::Null
            },
        ),
    ])
}

/// The attributes of a view's rows that are averages: a quotient, which was rounded when it was computed.
fn averages_of(view: Option<&View>) -> Vec<&str> {
    let columns = view.into_iter().flat_map(|view| &view.columns);
    let averages = columns.filter(|column| matches!(column.from, From::Average { .. }));
    averages.map(|column| column.attribute.as_str()).collect()
}

fn attribute(attribute: &Attribute, is_average: bool, records: &mut Records) -> Json {
    let Attribute {
        name,
        span: _,
        kind,
        optional,
        mark: _,
        default,
        refers,
        is_kept,
        // A client does not read the former name.
        was: _,
        former: _,
    } = attribute;
    let default = match default {
        None => Json::Null,
        Some(DefaultValue::Value(held)) => json!({ "value": types::value(held) }),
        Some(DefaultValue::Now) => json!("now"),
        Some(DefaultValue::Always) => json!("always"),
        Some(DefaultValue::New) => json!("new"),
    };
    let refers = refers.as_ref().map_or(
        Json::Null,
        |(entity, attribute)| json!({ "entity": entity, "attribute": attribute }),
    );
    object([
        ("name", json!(name)),
        ("type", types::json(kind, records)),
        ("optional", json!(optional)),
        ("default", default),
        ("refers", refers),
        ("kept", json!(is_kept)),
        ("average", json!(is_average)),
    ])
}

fn index_key(table: &Table, index_key: &IndexKey) -> Json {
    let IndexKey {
        index,
        key,
        sparse,
        is_declared: _,
    } = index_key;
    let Some(index) = table.indexes.get(*index) else {
        return Json::Null;
    };
    let names = index.columns().map(|column| column.name.as_str());
    let sparse = sparse.as_ref().map_or(Json::Null, |sparse| {
        let Sparse { attribute, value } = sparse;
        object([("attribute", json!(attribute)), ("value", json!(value))])
    });
    object([
        ("index", json!(index.name)),
        ("key", key::columns(names, key)),
        ("sparse", sparse),
    ])
}

fn copy(table: &Table, entity: &Entity, copy: &Copy) -> Json {
    let Copy {
        name,
        span: _,
        key,
        attributes,
        when,
    } = copy;
    let left_out: Vec<&String> = attributes
        .iter()
        .filter(|name| value::is_left_out(entity, key, name))
        .collect();
    object([
        ("name", json!(name)),
        ("key", key::own(table, key)),
        ("attributes", json!(attributes)),
        ("leftOut", json!(left_out)),
        ("when", condition::all(when)),
    ])
}

fn aggregates_of(model: &Model, entity: &Entity, records: &mut Records) -> Json {
    let kept = entity.aggregates.iter();
    kept.map(|one| aggregate(model, one, records)).collect()
}

fn aggregate(model: &Model, aggregate: &Aggregate, records: &mut Records) -> Json {
    let Aggregate {
        kind,
        attribute,
        span: _,
        entity,
        of,
        // `link` holds what follows from it.
        by: _,
        condition,
        link,
        next,
        next_copy,
    } = aggregate;
    let child = model.entities.get(*entity);
    let next_copy = next_copy.and_then(|at| child?.copies.get(at));
    let condition = condition.as_ref().map_or(
        Json::Null,
        |(name, text)| json!({ "attribute": name, "text": text }),
    );
    let link: Vec<Json> = link
        .iter()
        .map(|(own, other)| json!({ "own": own, "other": other }))
        .collect();
    object([
        ("kind", json!(kind.word())),
        ("attribute", json!(attribute)),
        ("entity", json!(child.map(|one| &one.name))),
        ("of", json!(of)),
        ("where", condition),
        ("link", Json::Array(link)),
        ("items", json!(aggregate.items_attribute())),
        ("changes", json!(aggregate.changes_attribute())),
        (
            "next",
            next.as_ref()
                .map_or(Json::Null, |plan| pattern::plan(plan, records)),
        ),
        ("nextCopy", json!(next_copy.map(|copy| &copy.name))),
    ])
}
