//! Pictures of a design: entities with their references, and the item collections of a table.
//!
//! Every text lies in a box that is as wide as the text needs, and lines run behind the boxes:
//! nothing crosses a word.

use super::markup::{breakable, escape};
use crate::chart::{KeyRow, TableChart};
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

/// A box: its column, its place from above, and where that is.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    x: usize,
    y: usize,
}

/// Entities as boxes, in columns by how far they are from one that refers to nothing; references as
/// lines.
pub(super) fn references(model: &Model) -> String {
    let parents = parents(model);
    let depth = depths(&parents);
    let columns = depth.iter().max().map_or(0, |most| most + 1);
    let letters = |entity: &Entity| entity.name.chars().count();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let inside = model
                .entities
                .iter()
                .zip(&depth)
                .filter(|(_, depth)| **depth == column);
            inside.map(|(entity, _)| letters(entity)).max().unwrap_or(0) * LETTER_WIDTH + 2 * MARGIN
        })
        .collect();
    let left = |column: usize| {
        widths
            .iter()
            .take(column)
            .map(|width| width + GAP_X)
            .sum::<usize>()
            + 1
    };
    let mut rows = vec![0; columns];
    let places: Vec<Place> = depth
        .iter()
        .map(|column| {
            let row = rows.get(*column).copied().unwrap_or(0);
            rows.iter_mut()
                .skip(*column)
                .take(1)
                .for_each(|count| *count += 1);
            Place {
                column: *column,
                x: left(*column),
                y: row * (BOX_HEIGHT + GAP_Y) + 1,
            }
        })
        .collect();
    let width = left(columns).saturating_sub(GAP_X) + 1;
    let height = rows
        .iter()
        .max()
        .map_or(0, |most| most * (BOX_HEIGHT + GAP_Y))
        + 2;
    let mut out = format!(
        "<div class=\"picture\"><svg width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"entities and references\">\n"
    );
    // Lines first: boxes cover them.
    for (place, parents) in places.iter().zip(&parents) {
        for parent in parents.iter().filter_map(|at| places.get(*at)) {
            let right = parent.x + widths.get(parent.column).copied().unwrap_or(0);
            out.push_str(&line(
                right,
                parent.y + BOX_HEIGHT / 2,
                place.x,
                place.y + BOX_HEIGHT / 2,
            ));
        }
    }
    for (entity, Place { column, x, y }) in model.entities.iter().zip(&places) {
        let width = widths.get(*column).copied().unwrap_or(0);
        let _infallible = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\" textLength=\"{}\">{}</text>",
            x + MARGIN,
            y + 22,
            letters(entity) * LETTER_WIDTH,
            escape(&entity.name)
        );
    }
    out.push_str("</svg></div>\n");
    out
}

/// A reference: from the edge of the parent's box to that of the box that refers to it.
fn line(from_x: usize, from_y: usize, to_x: usize, to_y: usize) -> String {
    let middle = usize::midpoint(from_x, to_x);
    format!("<path d=\"M{from_x} {from_y}C{middle} {from_y} {middle} {to_y} {to_x} {to_y}\"/>\n")
}

/// The entities that each refers to, by place; none to itself.
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

/// How far each entity is from one that refers to nothing.
fn depths(parents: &[Vec<usize>]) -> Vec<usize> {
    let mut depth: Vec<usize> = vec![0; parents.len()];
    // As many rounds as there are entities settle every depth, unless references go round.
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
    // References that go round leave columns without a box.
    let mut used = depth.clone();
    used.sort_unstable();
    used.dedup();
    depth
        .iter()
        .map(|one| used.iter().position(|other| other == one).unwrap_or(0))
        .collect()
}

/// Item collections: kinds whose partition keys look alike, side by side.
pub(super) fn collections(table: &TableChart) -> String {
    let mut groups: Vec<(&str, Vec<&KeyRow>)> = Vec::new();
    for row in &table.rows {
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
