//! Views in words: what they are kept from, what their columns are made of, and what their upkeep
//! costs.

use keyfold_model::schema::conjunction;
use keyfold_model::schema::view::{Column, From, View};
use keyfold_model::{Entity, Model, written, written_list};

/// A view as the model says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ViewText {
    /// `Order where status = "paid"`.
    pub(crate) of: String,
    /// The names of the columns, and what they are made of.
    pub(crate) columns: Vec<(String, String)>,
    /// What a change of its source costs.
    pub(crate) cost: String,
}

/// The view that an entity is; `None` for others.
pub(crate) fn view_text(model: &Model, entity: &Entity) -> Option<ViewText> {
    let view = entity.view.as_ref()?;
    let View {
        source,
        when,
        columns,
        is_grouped: _,
    } = view;
    let source = name_of(model, *source);
    let when = if when.is_empty() {
        String::new()
    } else {
        format!(" where {}", conjunction(when))
    };
    let column = |column: &Column| (written(&column.attribute), made_of(model, &column.from));
    Some(ViewText {
        of: format!("{source}{when}"),
        columns: columns.iter().map(column).collect(),
        cost: cost(model, view),
    })
}

fn name_of(model: &Model, at: usize) -> &str {
    model.entities.get(at).map_or("", |one| one.name.as_str())
}

/// What a column is made of, as the model writes it.
fn made_of(model: &Model, from: &From) -> String {
    match from {
        From::Group { of, cut: Some(cut) } => format!("{cut} of {}", written(of)),
        From::Group { of, cut: None } | From::Copied { of } => written(of),
        From::Count => "count".to_owned(),
        From::Sum { of } => format!("sum {}", written(of)),
        From::Min { of } => format!("min {}", written(of)),
        From::Max { of } => format!("max {}", written(of)),
        From::Average { of } => format!("average {}", written(of)),
        From::Distinct { of } => format!("distinct {}", written(of)),
        From::Top {
            number,
            by,
            descending,
            fields,
        } => {
            let order = if *descending { "" } else { "ascending " };
            let others = fields.iter().filter(|name| *name != by);
            let only = match written_list(others.map(String::as_str)) {
                none if none.is_empty() => none,
                names => format!(" only {names}"),
            };
            format!("top {number} {order}{}{only}", written(by))
        }
        From::Joined { entity, link, of } => {
            let by = link.iter().map(|(_, own)| own.as_str());
            let by = written_list(by);
            format!("{}.{} by {by}", name_of(model, *entity), written(of))
        }
    }
}

/// What a change of the source costs, in words.
fn cost(model: &Model, view: &View) -> String {
    let source = name_of(model, view.source);
    let upkeep = view.upkeep();
    let read = match (view.is_grouped, upkeep.reads_row) {
        (false, _) => "is written",
        (true, true) => "is read and written",
        (true, false) => "is written, and is read first where an item changes or leaves",
    };
    let mut text = format!("a change of {source}: its row {read}");
    if may_move(model, view) {
        text.push_str(", two rows if it comes from one to another");
    }
    match upkeep.support {
        0 => {}
        1 => text.push_str("; up to 2 items of support are written"),
        count => text.push_str(&format!(
            "; up to {} items of support are written",
            2 * count
        )),
    }
    let joined = view.joined();
    let names: Vec<&str> = joined.iter().map(|at| name_of(model, *at)).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let reads = match view.is_grouped {
            true => "a new row",
            false => "each change",
        };
        text.push_str(&format!(
            "; {reads} reads {names}, and a change of {names} writes each of its rows"
        ));
    }
    text
}

/// Whether an item may come from one row to another: its row's key has what may change in it.
fn may_move(model: &Model, view: &View) -> bool {
    let source = model.entities.get(view.source);
    let identity = source.map_or_else(Vec::new, Entity::identity);
    let may_change = |column: &Column| match &column.from {
        From::Group { of, .. } => !identity.contains(&of.as_str()),
        From::Copied { .. }
        | From::Count
        | From::Sum { .. }
        | From::Min { .. }
        | From::Max { .. }
        | From::Average { .. }
        | From::Distinct { .. }
        | From::Top { .. }
        | From::Joined { .. } => false,
    };
    view.columns.iter().any(may_change)
}

/// A view in one line, for documents.
pub(crate) fn view_line(model: &Model, entity: &Entity) -> Option<String> {
    let ViewText { of, columns, cost } = view_text(model, entity)?;
    let columns: Vec<String> = columns
        .iter()
        .map(|(name, from)| match name == from {
            true => name.clone(),
            false => format!("{name}: {from}"),
        })
        .collect();
    Some(format!("kept from {of}: {}; {cost}", columns.join(", ")))
}
