//! Pictures of a design: entities with their references, and the item collections of a table.
//!
//! Every box is as wide as its text, and lines run behind the boxes: nothing crosses a word.

use super::markup::{breakable, escape};
use crate::chart::KeyRow;
use keyfold_model::{Entity, Model};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Pixels of a letter, which is drawn exactly as wide.
const LETTER_WIDTH: usize = 8;
/// Pixels between a box's edge and its text.
const MARGIN: usize = 12;
const BOX_HEIGHT: usize = 34;
/// Pixels between columns, in which lines run.
const GAP_X: usize = 70;
const GAP_Y: usize = 18;

/// The place of a box in the picture.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    x: usize,
    y: usize,
}

/// The boxes of entities, in columns by their distance from an entity that refers to nothing.
struct Layout {
    /// The width of each column's boxes.
    widths: Vec<usize>,
    /// The box of each entity.
    places: Vec<Place>,
    width: usize,
    height: usize,
}

impl Layout {
    /// Places the boxes of entities, of which these are the columns.
    fn of(entities: &[Entity], columns: &[usize]) -> Layout {
        let count = columns.iter().max().map_or(0, |most| most + 1);
        let widths: Vec<usize> = (0..count)
            .map(|column| {
                let boxes = entities.iter().zip(columns);
                let inside = boxes.filter(|(_, own)| **own == column);
                let widest = inside.map(|(entity, _)| text_width(&entity.name)).max();
                widest.unwrap_or(0) + 2 * MARGIN
            })
            .collect();
        let left = |column: usize| {
            let before = widths.iter().take(column);
            before.map(|width| width + GAP_X).sum::<usize>() + 1
        };
        let mut rows = vec![0; count];
        let mut places = Vec::new();
        for column in columns {
            let Some(row) = rows.get_mut(*column) else {
                continue;
            };
            places.push(Place {
                column: *column,
                x: left(*column),
                y: *row * (BOX_HEIGHT + GAP_Y) + 1,
            });
            *row += 1;
        }
        let most = rows.iter().max().copied().unwrap_or(0);
        Layout {
            width: left(count).saturating_sub(GAP_X) + 1,
            height: most * (BOX_HEIGHT + GAP_Y) + 2,
            widths,
            places,
        }
    }

    fn box_width(&self, place: &Place) -> usize {
        self.widths.get(place.column).copied().unwrap_or(0)
    }
}

/// Pixels of a text.
fn text_width(text: &str) -> usize {
    text.chars().count() * LETTER_WIDTH
}

/// Draws entities as boxes, and their references as lines.
pub(super) fn references(model: &Model) -> String {
    let parents = parents(model);
    let layout = Layout::of(&model.entities, &depths(&parents));
    let mut out = format!(
        "<div class=\"picture\"><svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"entities and references\">\n",
        layout.width, layout.height
    );
    // Lines first: boxes cover them.
    for (place, parents) in layout.places.iter().zip(&parents) {
        for parent in parents.iter().filter_map(|at| layout.places.get(*at)) {
            out.push_str(&line(
                (
                    parent.x + layout.box_width(parent),
                    parent.y + BOX_HEIGHT / 2,
                ),
                (place.x, place.y + BOX_HEIGHT / 2),
            ));
        }
    }
    for (entity, place) in model.entities.iter().zip(&layout.places) {
        let Place { column: _, x, y } = place;
        let _infallible = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\" textLength=\"{}\">{}</text>",
            layout.box_width(place),
            x + MARGIN,
            y + 22,
            text_width(&entity.name),
            escape(&entity.name)
        );
    }
    out.push_str("</svg></div>\n");
    out
}

/// The line of a reference: from the edge of the parent's box to that of the box that refers to it.
fn line((from_x, from_y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let middle = usize::midpoint(from_x, to_x);
    format!("<path d=\"M{from_x} {from_y}C{middle} {from_y} {middle} {to_y} {to_x} {to_y}\"/>\n")
}

/// The places of the entities that each entity refers to, without itself.
fn parents(model: &Model) -> Vec<Vec<usize>> {
    let places: BTreeMap<&str, usize> = model
        .entities
        .iter()
        .enumerate()
        .map(|(at, entity)| (entity.name.as_str(), at))
        .collect();
    let of = |(own, entity): (usize, &Entity)| {
        let names = entity
            .attributes
            .iter()
            .filter_map(|a| a.refers.as_ref())
            .map(|(parent, _)| parent);
        names
            .filter_map(|name| places.get(name.as_str()).copied())
            .filter(|at| *at != own)
            .collect()
    };
    model.entities.iter().enumerate().map(of).collect()
}

/// The distance of each entity from one that refers to nothing.
fn depths(parents: &[Vec<usize>]) -> Vec<usize> {
    let mut depth: Vec<usize> = vec![0; parents.len()];
    // As many rounds as there are entities settle every depth, unless references form a circle.
    for _ in parents {
        let before = depth.clone();
        for (own, parents_of) in depth.iter_mut().zip(parents) {
            let above = parents_of
                .iter()
                .filter_map(|parent| before.get(*parent))
                .max();
            *own = above.map_or(0, |most| most + 1).min(parents.len());
        }
        if depth == before {
            break;
        }
    }
    // A circle of references leaves columns without a box.
    let mut used = depth.clone();
    used.sort_unstable();
    used.dedup();
    depth
        .iter()
        .map(|one| used.iter().position(|other| other == one).unwrap_or(0))
        .collect()
}

/// Draws item collections: the kinds of items whose partition keys have the same template, side by
/// side.
pub(super) fn collections(rows: &[KeyRow]) -> String {
    let mut groups: Vec<(&str, Vec<&KeyRow>)> = Vec::new();
    for row in rows {
        let partition = row.templates.first().map_or("", String::as_str);
        match groups.iter_mut().find(|(known, _)| *known == partition) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((partition, vec![row])),
        }
    }
    let mut out = "<div class=\"collections\">\n".to_owned();
    for (partition, rows) in groups {
        let _infallible = write!(
            out,
            "<div class=\"collection\"><div><code>{}</code></div><div class=\"items\">",
            breakable(partition)
        );
        for row in rows {
            let sort = row.templates.get(1).map_or(String::new(), |sort| {
                format!(" <code>{}</code>", breakable(sort))
            });
            let _infallible = write!(
                out,
                "<span class=\"item\">{}{sort}</span>",
                breakable(&row.kind)
            );
        }
        out.push_str("</div></div>\n");
    }
    out.push_str("</div>\n");
    out
}
