//! Access patterns and their plans.

use super::members::object;
use super::types::{self, Records};
use super::{condition, key};
use crate::present::Known;
use keyfold_model::schema::{
    Fan, Get, Guard, Limit, Parameter, Pattern, PatternPlan, Returned, SortCondition, TablePeriod,
    Together,
};
use keyfold_model::{Model, Part, value};
use serde_json::{Value as Json, json};

pub(super) fn json(model: &Model, pattern: &Pattern, records: &mut Records) -> Json {
    let Pattern {
        name,
        span: _,
        parameters,
        // `fixed_values` has them with their types, the plans have their filters.
        fixed: _,
        fixed_values,
        // The kinds of the answer have them.
        present: _,
        returned,
        together,
        returned_end: _,
        only,
        // The plans have what follows from these.
        order: _,
        page: _,
        strong: _,
        scan: _,
        fetch: _,
        filters: _,
        rate: _,
        plan: whole,
        variants,
    } = pattern;
    let fixed: Vec<Json> = fixed_values
        .iter()
        .map(|(name, kind, text)| {
            let held = value::parse(name, kind, text).ok();
            json!({ "name": name, "value": held.as_ref().map_or(Json::Null, types::value) })
        })
        .collect();
    let together = together.map_or(Json::Null, |together| match together {
        Together::Snapshot => json!("snapshot"),
        Together::Batch => json!("batch"),
    });
    let variants: Vec<Json> = variants
        .iter()
        .map(|(absent, of)| json!({ "without": absent, "plan": plan(of, records) }))
        .collect();
    object([
        ("name", json!(name)),
        (
            "parameters",
            parameters
                .iter()
                .map(|one| parameter(one, records))
                .collect(),
        ),
        ("fixed", Json::Array(fixed)),
        (
            "returns",
            returned
                .iter()
                .map(|one| kind(model, pattern, one))
                .collect(),
        ),
        ("together", together),
        ("only", json!(only)),
        ("plan", plan(whole, records)),
        ("variants", Json::Array(variants)),
    ])
}

fn parameter(parameter: &Parameter, records: &mut Records) -> Json {
    let Parameter {
        name,
        attribute,
        kind,
        limit,
        optional,
        span: _,
    } = parameter;
    let limit = match limit {
        Limit::Equal => json!("equal"),
        Limit::AtLeast => json!("atLeast"),
        Limit::AtMost => json!("atMost"),
        Limit::Above => json!("above"),
        Limit::Below => json!("below"),
        Limit::Starts => json!("starts"),
        Limit::In(unit) => json!({ "in": unit.word() }),
        Limit::Among => json!("among"),
        Limit::Free => json!("free"),
    };
    let attribute = if attribute.is_empty() {
        Json::Null
    } else {
        json!(attribute)
    };
    object([
        ("name", json!(name)),
        ("attribute", attribute),
        ("type", types::json(kind, records)),
        ("limit", limit),
        ("optional", json!(optional)),
        ("now", json!(parameter.is_now())),
    ])
}

fn kind(model: &Model, pattern: &Pattern, returned: &Returned) -> Json {
    let present = present(model, pattern, returned);
    let Returned {
        entity,
        copy,
        many,
        optional,
        alias,
        bound,
        span: _,
    } = returned;
    let entity = model.entities.get(*entity);
    let copy = copy.and_then(|at| entity?.copies.get(at));
    let bound: Vec<Json> = bound
        .iter()
        .map(|(attribute, parameter)| json!({ "attribute": attribute, "parameter": parameter }))
        .collect();
    object([
        ("name", json!(model.name_of(returned))),
        ("entity", json!(entity.map(|entity| &entity.name))),
        ("copy", json!(copy.map(|copy| &copy.name))),
        ("many", json!(many)),
        ("optional", json!(optional)),
        ("alias", json!(alias.is_some())),
        ("bound", Json::Array(bound)),
        ("present", json!(present)),
    ])
}

/// The optional attributes that each item of a kind has in the answer.
fn present<'m>(model: &'m Model, pattern: &Pattern, returned: &Returned) -> Vec<&'m str> {
    let Some(entity) = model.entities.get(returned.entity) else {
        return Vec::new();
    };
    let known = Known::of(model, pattern, returned, entity).present;
    let copy = returned.copy.and_then(|at| entity.copies.get(at));
    let is_returned = |name: &String| {
        copy.is_none_or(|copy| copy.attributes.contains(name))
            && (pattern.only.is_empty() || pattern.only.contains(name))
    };
    let optional = entity.attributes.iter().filter(|one| one.optional);
    let names = optional.map(|one| &one.name);
    names
        .filter(|name| known.contains(*name) && is_returned(name))
        .map(String::as_str)
        .collect()
}

pub(super) fn plan(plan: &PatternPlan, records: &mut Records) -> Json {
    let PatternPlan {
        request,
        table,
        index,
        partition_attributes,
        partition,
        sort_attributes,
        sort,
        fan: fanned,
        period,
        descending,
        ordered_by,
        is_reversed,
        page,
        strong,
        only,
        filters,
        // The limits of the parameters say the same.
        strict: _,
        gets,
        beside,
        fetched,
        guard,
    } = plan;
    let period = period.as_ref().map_or(Json::Null, |period| {
        let TablePeriod { unit, from } = period;
        json!({ "unit": unit.word(), "from": from })
    });
    let partition = partition.as_ref().map_or(Json::Null, |partition| {
        let names = partition_attributes.iter().map(String::as_str);
        key::equal(names, partition.columns())
    });
    let gets: Vec<Json> = gets
        .iter()
        .map(|Get { name, plan: own }| json!({ "name": name, "plan": self::plan(own, records) }))
        .collect();
    let beside: Vec<Json> = beside
        .iter()
        .map(|(at, own)| json!({ "returns": at, "plan": self::plan(own, records) }))
        .collect();
    object([
        ("request", json!(request.to_string())),
        ("table", json!(table)),
        ("index", json!(index)),
        ("partition", partition),
        ("sort", range(sort, sort_attributes)),
        ("sortAttributes", json!(sort_attributes)),
        ("fan", fan(fanned, records)),
        ("period", period),
        ("descending", json!(descending)),
        ("orderedBy", json!(ordered_by)),
        ("reversed", json!(is_reversed)),
        ("page", json!(page)),
        ("strong", json!(strong)),
        ("only", json!(only)),
        ("filters", condition::all(filters)),
        ("gets", Json::Array(gets)),
        ("beside", Json::Array(beside)),
        ("fetched", json!(fetched)),
        (
            "guard",
            guard.as_ref().map_or(Json::Null, |guard| {
                let names = partition_attributes.iter().chain(sort_attributes);
                guarded(guard, names.map(String::as_str))
            }),
        ),
    ])
}

/// The guard that is read first: its key, and what it holds of the key of the item.
fn guarded<'n>(guard: &'n Guard, names: impl Iterator<Item = &'n str>) -> Json {
    let Guard {
        partition,
        sort,
        attributes,
    } = guard;
    let templates = std::iter::once(partition).chain(sort);
    let columns = templates.map(|template| template.parts.as_slice());
    let attributes: Vec<&str> = attributes.iter().map(String::as_str).collect();
    object([
        ("key", key::equal(names, columns)),
        ("holds", key::held(&attributes)),
    ])
}

/// A range of sort keys: the attributes before the last, which have one value, and the ends of the
/// last.
fn range(sort: &SortCondition, attributes: &[String]) -> Json {
    let word = match sort {
        SortCondition::Any => return Json::Null,
        SortCondition::Equal(_) => "equal",
        SortCondition::BeginsWith(_) => "beginsWith",
        SortCondition::AtLeast(_) => "atLeast",
        SortCondition::AtMost(_) => "atMost",
        SortCondition::Between(..) => "between",
    };
    let ends = sort.ends();
    let columns: Vec<Vec<&[Part]>> = ends.iter().map(|end| end.columns().collect()).collect();
    let Some((last, before)) = columns.first().and_then(|all| all.split_last()) else {
        return Json::Null;
    };
    let high = columns.get(1).and_then(|all| all.last());
    object([
        ("is", json!(word)),
        (
            "before",
            key::equal(
                attributes.iter().map(String::as_str),
                before.iter().copied(),
            ),
        ),
        ("attribute", json!(attributes.get(before.len()))),
        ("at", key::parts(last)),
        ("to", high.map_or(Json::Null, |high| key::parts(high))),
    ])
}

fn fan(fan: &Fan, records: &mut Records) -> Json {
    match fan {
        Fan::One => Json::Null,
        Fan::Shards(count) => json!({ "shards": count }),
        Fan::Periods {
            unit,
            attribute,
            kind,
            low,
            high,
            shards,
        } => object([
            ("periods", json!(unit.word())),
            ("attribute", json!(attribute)),
            ("type", types::json(kind, records)),
            ("low", json!(low)),
            ("high", json!(high)),
            ("shards", json!(shards)),
        ]),
    }
}
