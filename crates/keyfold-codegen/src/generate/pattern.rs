//! Patterns of the middle form.

use super::form::{
    Answer, Count, EntityForm, Field, Item, Many, Parameter, PatternForm, Shape, Whole, WholeMember,
};
use super::names::{Method, Names, camel, pascal, plural};
use super::shapes::{Place, Shapes, root};
use crate::chart::PatternRow;
use crate::present::Known;
use crate::words::whole_promise;
use keyfold_model::schema::{self, IndexKind, Limit, Returned};
use keyfold_model::{Index, Model, Pattern, PatternPlan, RequestKind};

/// A pattern as a method. `rows` are those of the chart.
pub(super) fn form(
    model: &Model,
    pattern: &Pattern,
    (method, rows): (Method, &[&PatternRow]),
    entities: &[EntityForm],
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> PatternForm {
    let own = pascal(&pattern.name);
    let parameters = pattern.parameters.iter().map(|one| Parameter {
        field: Field {
            name: one.name.clone(),
            shape: parameter_shape(model, pattern, one, shapes, names),
            optional: one.optional || one.is_now(),
            note: note(one),
        },
        is_chained: one.optional,
    });
    let parameters: Vec<Parameter> = parameters.collect();
    let arguments_type = if parameters.is_empty() {
        String::new()
    } else {
        names.take(format!("{own}Arguments"))
    };
    let chained = parameters.iter().filter(|one| one.is_chained).count();
    let choice_type = (chained > 1).then(|| names.take(format!("{own}Choice")));
    let items = pattern.returned.iter().filter_map(|returned| {
        let item = item(model, pattern, returned, entities, names)?;
        Some((item, returned))
    });
    let items: Vec<(Item, &Returned)> = items.collect();
    let mut about = about(model, pattern, rows);
    about.extend(method.renamed);
    PatternForm {
        name: pattern.name.clone(),
        method: method.name,
        arguments_type,
        choice_type,
        parameters,
        answer: answer(model, pattern, items, names),
        about,
    }
}

fn answer(
    model: &Model,
    pattern: &Pattern,
    mut items: Vec<(Item, &Returned)>,
    names: &mut Names,
) -> Answer {
    let own = pascal(&pattern.name);
    let is_strong = pattern.plans().all(|(_, plan)| is_strong(model, plan));
    if pattern.together.is_some() {
        let named = items
            .into_iter()
            .map(|(item, returned)| (model.name_of(returned), item, returned.optional));
        return Answer::Together {
            type_name: names.take(format!("{own}Answer")),
            items: named.collect(),
            is_strong,
        };
    }
    if let [(_, returned)] = items.as_slice()
        && !returned.many
        && let optional = returned.optional
        && let Some((item, _)) = items.pop()
    {
        return Answer::One {
            item,
            optional,
            is_strong,
        };
    }
    let union = (items.len() > 1).then(|| names.take(format!("{own}Item")));
    let whole = whole(&own, &items, names);
    let items: Vec<Item> = items.into_iter().map(|(item, _)| item).collect();
    Answer::Many(Many {
        union,
        whole,
        items,
        is_ordered: pattern
            .plans()
            .all(|(_, plan)| plan.request == RequestKind::Query),
        is_strong,
    })
}

/// The whole answer of several kinds, of which one has single items.
fn whole(own: &str, items: &[(Item, &Returned)], names: &mut Names) -> Option<Whole> {
    if items.len() < 2 || items.iter().all(|(_, returned)| returned.many) {
        return None;
    }
    let mut members = Names::without(&[]);
    let members = items.iter().map(|(item, returned)| {
        let single = camel(&item.kind);
        let (name, count) = match (returned.many, returned.optional) {
            (true, _) => (plural(&single), Count::Many),
            (false, true) => (single, Count::Optional),
            (false, false) => (single, Count::One),
        };
        WholeMember {
            name: members.take(name),
            count,
        }
    });
    let members = members.collect();
    Some(Whole {
        type_name: names.take(format!("{own}Answer")),
        members,
    })
}

/// Whether a plan can read with strong consistency, which global indexes do not offer.
fn is_strong(model: &Model, plan: &PatternPlan) -> bool {
    let table = model.tables.iter().find(|table| table.name == plan.table);
    let mut indexes = table.iter().flat_map(|table| &table.indexes);
    let is_read = |index: &&Index| Some(&index.name) == plan.index.as_ref();
    match indexes.find(is_read).map(|index| index.kind) {
        None | Some(IndexKind::Local) => true,
        Some(IndexKind::Global) => false,
    }
}

/// A kind in the answer: the entity's or copy's type, or one of the pattern's own where the pattern
/// says more or less of it.
fn item(
    model: &Model,
    pattern: &Pattern,
    returned: &Returned,
    entities: &[EntityForm],
    names: &mut Names,
) -> Option<Item> {
    let entity = model.entities.get(returned.entity)?;
    let whole = entities.get(returned.entity)?;
    let copy = returned.copy.and_then(|at| whole.copies.get(at));
    let (whole, fields) = match copy {
        Some(copy) => (&copy.type_name, &copy.fields),
        None => (&whole.types.stored, &whole.stored),
    };
    let known = Known::of(model, pattern, returned, entity);
    let own: Vec<Field> = fields
        .iter()
        .filter(|field| pattern.only.is_empty() || pattern.only.contains(&field.name))
        .map(|field| narrowed(field, &known))
        .collect();
    let (type_name, own) = if own == *fields {
        (whole.clone(), None)
    } else {
        let of = if pattern.returned.len() > 1 {
            whole.as_str()
        } else {
            "Item"
        };
        (
            names.take(format!("{}{of}", pascal(&pattern.name))),
            Some(own),
        )
    };
    Some(Item {
        kind: model.name_of(returned),
        type_name,
        whole: whole.clone(),
        own,
    })
}

fn narrowed(field: &Field, known: &Known) -> Field {
    let fixed = known.fixed.get(&field.name);
    let shape = match (&field.shape, fixed) {
        (Shape::Choice(at), Some(word)) => Shape::Word(*at, word.clone()),
        (shape, _) => shape.clone(),
    };
    Field {
        shape,
        optional: field.optional && !known.present.contains(&field.name),
        ..field.clone()
    }
}

/// The type of a parameter: that of the attributes that it limits, where they agree.
fn parameter_shape(
    model: &Model,
    pattern: &Pattern,
    parameter: &schema::Parameter,
    shapes: &mut Shapes<'_>,
    names: &mut Names,
) -> Shape {
    let mut places: Vec<Place> = Vec::new();
    for returned in &pattern.returned {
        let Some(entity) = model.entities.get(returned.entity) else {
            continue;
        };
        let bound = returned
            .bound
            .iter()
            .filter(|(_, from)| *from == parameter.name);
        let mut named: Vec<&str> = bound.map(|(attribute, _)| attribute.as_str()).collect();
        if named.is_empty() {
            named.push(&parameter.attribute);
        }
        for name in named
            .into_iter()
            .filter(|name| entity.attribute(name).is_some())
        {
            let place = root(model, (&entity.name, name));
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    let place = match (places.as_slice(), parameter.limit) {
        (_, Limit::Starts | Limit::Free) | ([], _) => own_place(pattern, parameter),
        ([one], _) => one.clone(),
        ([one, ..], _) if shapes.is_choice(one) => one.clone(),
        ([_, ..], _) => own_place(pattern, parameter),
    };
    shapes.of_type(&parameter.kind, &place, names)
}

/// The place of a value that belongs to no attribute.
fn own_place(pattern: &Pattern, parameter: &schema::Parameter) -> Place {
    (pattern.name.clone(), parameter.name.clone())
}

/// How a parameter limits its attribute, where that is not by being its value.
fn note(parameter: &schema::Parameter) -> Option<String> {
    let attribute = match parameter.period() {
        Some(unit) if parameter.limit != Limit::In(unit) => {
            format!("the {unit} of `{}`", parameter.attribute)
        }
        Some(_) | None => format!("`{}`", parameter.attribute),
    };
    let limit = match parameter.limit {
        Limit::Equal | Limit::Among | Limit::Free if parameter.is_now() => String::new(),
        Limit::Equal | Limit::Among | Limit::Free => return None,
        Limit::AtLeast => format!("{attribute} is at least this."),
        Limit::AtMost => format!("{attribute} is at most this."),
        Limit::Above => format!("{attribute} is above this."),
        Limit::Below => format!("{attribute} is below this."),
        Limit::Starts => format!("{attribute} starts with this."),
        Limit::In(unit) => format!("{attribute} lies in this {unit}."),
    };
    let now = if parameter.is_now() {
        " Default: the present moment."
    } else {
        ""
    };
    Some(format!("{limit}{now}").trim().to_owned())
}

/// The promise in the model's language, then the plan of each choice of optional parameters.
fn about(model: &Model, pattern: &Pattern, rows: &[&PatternRow]) -> Vec<String> {
    let names = pattern.parameters.iter().map(|one| {
        let mark = if one.optional { "?" } else { "" };
        format!("{}{mark}", one.name)
    });
    let parameters: Vec<String> = names.collect();
    let page = pattern.page.map(|items| format!(" page {items}"));
    let mut lines = vec![format!(
        "`{}({}) -> {}{}`",
        pattern.name,
        parameters.join(", "),
        whole_promise(model, pattern),
        page.unwrap_or_default()
    )];
    let has_pages = !pattern.is_single() && pattern.together.is_none();
    lines.extend(rows.iter().map(|row| plan_line(row, has_pages)));
    lines
}

/// A plan in a sentence: its request, what a page costs, what is filtered.
fn plan_line(row: &PatternRow, has_pages: bool) -> String {
    let mut line = String::new();
    if !row.without.is_empty() {
        line.push_str(&format!("Without {}: ", row.without.join(", ")));
    }
    line.push_str(&format!("{} of {}", row.request, row.place));
    if !row.key_condition.is_empty() {
        line.push_str(&format!(": `{}`", row.key_condition));
    }
    if row.is_descending {
        line.push_str(", descending");
    }
    if let Some(page) = row.page {
        line.push_str(&format!(", {page} items a page"));
    }
    for filter in &row.filters {
        line.push_str(&format!(", filtered by `{filter}`"));
    }
    // `1 per 100 ids` says itself what it is of.
    let of_page = match has_pages && !row.requests.starts_with("1 per ") {
        true => " a page",
        false => "",
    };
    let requests = if row.requests == "1" {
        format!("1 request{of_page}")
    } else {
        format!("requests{of_page}: {}", row.requests)
    };
    line.push_str(&format!("; {requests}"));
    if let Some(units) = row.units {
        line.push_str(&format!(", about {units} read units"));
    }
    if row.consistency == "strong" {
        line.push_str(", strongly consistent");
    }
    line.push('.');
    line
}
