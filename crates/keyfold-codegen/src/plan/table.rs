//! Tables: their keys and indexes, and the requests that make them.

use super::members::object;
use crate::tables::creation;
use keyfold_model::schema::{Column, Index, IndexKind, Projection, Table};
use serde_json::{Value as Json, json};

pub(super) fn json(table: &Table) -> Json {
    let Table {
        name,
        span: _,
        end: _,
        is_shared: _,
        partition,
        sort,
        type_attribute,
        ttl_attribute,
        period,
        // `create` has them.
        capacity: _,
        cooled,
        settings,
        indexes,
        // Each field of a template names what it excludes.
        delimiters: _,
    } = table;
    let indexes: Vec<Json> = indexes.iter().map(index).collect();
    object([
        ("name", json!(name)),
        ("partition", column(partition)),
        ("sort", sort.as_ref().map_or(Json::Null, column)),
        ("typeAttribute", json!(type_attribute)),
        ("ttlAttribute", json!(ttl_attribute)),
        (
            "period",
            period.map_or(Json::Null, |unit| json!(unit.word())),
        ),
        ("indexes", Json::Array(indexes)),
        ("create", creation(table, None)),
        (
            "createPast",
            cooled.map_or(Json::Null, |cooled| creation(table, Some(cooled))),
        ),
        ("recovery", json!(settings.recovery)),
    ])
}

fn column(column: &Column) -> Json {
    json!({ "name": column.name, "type": column.kind.descriptor() })
}

fn index(index: &Index) -> Json {
    let Index {
        name,
        span: _,
        kind,
        partition,
        sort,
        projection,
        projection_span: _,
        capacity: _,
    } = index;
    let projected = match projection {
        Projection::All => json!("all"),
        Projection::Keys => json!("keys"),
        Projection::Only(names) => json!(names),
    };
    object([
        ("name", json!(name)),
        ("local", json!(*kind == IndexKind::Local)),
        ("partition", partition.iter().map(column).collect()),
        ("sort", sort.iter().map(column).collect()),
        ("projection", projected),
    ])
}
