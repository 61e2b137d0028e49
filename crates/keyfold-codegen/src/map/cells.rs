//! The collections of a table or an index: which kinds of items lie under one partition key.

use super::hues::Hues;
use crate::chart::KeyRow;

/// The items that share a partition key.
pub(super) struct Collection {
    /// The template of the partition key.
    pub(super) template: String,
    /// The partition key of a sample.
    pub(super) sample: String,
    /// In the order of the sort keys.
    pub(super) cells: Vec<Cell>,
}

/// A kind of item in a collection.
pub(super) struct Cell {
    /// `Order`, or `Order.summary[]` where a collection has several.
    pub(super) name: String,
    pub(super) hue: usize,
    /// The template of the sort key; empty without one.
    pub(super) template: String,
    pub(super) sample: String,
    /// The condition under which the item is there.
    pub(super) only: Option<String>,
}

/// Between the attributes of a key with several.
const BETWEEN: &str = " · ";

/// The collections of rows whose first columns are the partition key.
pub(super) fn collections(rows: &[KeyRow], partition: usize, hues: &Hues) -> Vec<Collection> {
    let mut found: Vec<(String, Collection)> = Vec::new();
    for row in rows {
        let template = joined(&row.templates, 0, partition);
        let shape = shape(&template);
        let cell = cell(row, partition, hues);
        match found.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, collection)) => collection.cells.push(cell),
            None => found.push((
                shape,
                Collection {
                    template,
                    sample: joined(&row.sample, 0, partition),
                    cells: vec![cell],
                },
            )),
        }
    }
    let mut all: Vec<Collection> = found.into_iter().map(|(_, one)| one).collect();
    for one in &mut all {
        one.cells.sort_by(|a, b| a.sample.cmp(&b.sample));
    }
    all
}

fn cell(row: &KeyRow, partition: usize, hues: &Hues) -> Cell {
    let KeyRow {
        kind,
        templates,
        sample,
        only,
    } = row;
    let above = templates.iter().take(partition).flat_map(|one| fields(one));
    let above: Vec<&str> = above.collect();
    let mut own = templates.iter().skip(partition).flat_map(|one| fields(one));
    let many = if own.any(|field| !above.contains(&field)) {
        "[]"
    } else {
        ""
    };
    Cell {
        name: format!("{kind}{many}"),
        hue: hues.hue(kind),
        template: joined(templates, partition, usize::MAX),
        sample: joined(sample, partition, usize::MAX),
        only: only.clone(),
    }
}

fn joined(columns: &[String], from: usize, count: usize) -> String {
    let columns = columns.iter().skip(from).take(count);
    let columns: Vec<&str> = columns.map(|one| unquoted(one)).collect();
    columns.join(BETWEEN)
}

/// A template without its quotes: a tile is the border of its text.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"');
    let inner = inner.and_then(|inner| inner.strip_suffix('"'));
    inner.unwrap_or(text)
}

/// The fields of a template: `ORDER#{createdAt}#{orderId}` has two.
fn fields(template: &str) -> impl Iterator<Item = &str> {
    let pieces = template.split('{').skip(1);
    pieces.filter_map(|piece| piece.split('}').next())
}

/// A template without the names of its fields. Keys of one shape lie in the same collections,
/// whatever their entities call the attribute. A template without fixed text stays as it is.
fn shape(template: &str) -> String {
    let mut out = String::new();
    let mut is_fixed = false;
    for (at, piece) in template.split('{').enumerate() {
        let (field, behind) = match (at, piece.split_once('}')) {
            (0, _) | (_, None) => ("", piece),
            (_, Some((field, behind))) => (field, behind),
        };
        if at > 0 {
            out.push('{');
            out.extend(field.split_once(':').map(|(_, format)| format));
            out.push('}');
        }
        is_fixed |= behind.contains(char::is_alphanumeric);
        out.push_str(behind);
    }
    if is_fixed { out } else { template.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: &str, templates: [&str; 2], sort: &str) -> KeyRow {
        KeyRow {
            kind: kind.to_owned(),
            templates: templates.map(str::to_owned).to_vec(),
            sample: vec!["p".to_owned(), sort.to_owned()],
            only: None,
        }
    }

    /// The collections of rows, as text.
    fn shown(rows: &[KeyRow]) -> Vec<String> {
        let all = collections(rows, 1, &Hues::default());
        let cells = |one: &Collection| {
            let names = one.cells.iter().map(|cell| cell.name.as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        let line = |one: &Collection| format!("{}: {}", one.template, cells(one));
        all.iter().map(line).collect()
    }

    #[test]
    fn kinds_with_keys_of_one_shape_lie_in_one_collection_in_the_order_of_the_table() {
        let rows = [
            row("User", ["USER#{id}", "PROFILE"], "PROFILE"),
            row("Order.summary", ["USER#{userId}", "ORDER#{at}"], "ORDER#1"),
            row("Order", ["ORDER#{id}", "META"], "META"),
            row("Day", ["USER#{at:day}", "DAY"], "DAY"),
        ];
        assert_eq!(
            shown(&rows),
            [
                "USER#{id}: Order.summary[] User",
                "ORDER#{id}: Order",
                "USER#{at:day}: Day"
            ]
        );
    }

    #[test]
    fn keys_without_fixed_text_are_compared_by_their_names() {
        let rows = [
            row("City", ["{city}", "{city}"], "c"),
            row("Country", ["{country}", "{at}"], "a"),
        ];
        assert_eq!(shown(&rows), ["{city}: City", "{country}: Country[]"]);
    }
}
