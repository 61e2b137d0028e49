//! The picture of a design's entities with their references.
//!
//! Every box is as wide as its text, and lines run between the boxes: nothing crosses a word. A line
//! that passes a column has a lane of its own there.

use crate::markup::escape;
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

/// The height of a lane, in which a line passes a column between the boxes.
const LANE_HEIGHT: usize = 14;

/// The place of a box in the picture.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    x: usize,
    y: usize,
}

/// A reference, as a line from the box of the parent to that of the entity that refers to it.
struct Line {
    parent: usize,
    child: usize,
    /// Where it passes the columns between the two: the height of each, from the left.
    lanes: Vec<usize>,
}

/// The boxes of entities, in columns by their distance from an entity that refers to nothing.
struct Layout {
    /// The left edge and the width of each column's boxes.
    columns: Vec<(usize, usize)>,
    /// The box of each entity.
    places: Vec<Place>,
    lines: Vec<Line>,
    width: usize,
    height: usize,
}

/// What takes a height of a column: the box of an entity, or the lane of a line.
#[derive(Clone, Copy)]
enum Taken {
    Box(usize),
    Lane(usize),
}

impl Layout {
    /// Places the boxes of entities with these names, of which these are the columns and parents. What
    /// a column holds is in the order of what it is linked to in the columns before it.
    fn of(names: &[&str], parents: &[Vec<usize>], own: &[usize]) -> Layout {
        let column_of = |at: usize| own.get(at).copied().unwrap_or(0);
        let count = own.iter().max().map_or(0, |most| most + 1);
        let mut columns = Vec::new();
        let mut left = 1;
        for column in 0..count {
            let inside = names.iter().zip(own).filter(|(_, own)| **own == column);
            let widest = inside.map(|(name, _)| text_width(name)).max().unwrap_or(0);
            columns.push((left, widest + 2 * MARGIN));
            left += widest + 2 * MARGIN + GAP_X;
        }
        let mut lines = Vec::new();
        for (child, all) in parents.iter().enumerate() {
            for parent in all.iter().copied() {
                let is_new = !lines
                    .iter()
                    .any(|one: &Line| (one.parent, one.child) == (parent, child));
                let lanes = Vec::new();
                lines.extend(is_new.then_some(Line {
                    parent,
                    child,
                    lanes,
                }));
            }
        }
        let mut layout = Layout {
            places: vec![
                Place {
                    column: 0,
                    x: 0,
                    y: 0
                };
                names.len()
            ],
            columns,
            lines,
            width: left.saturating_sub(GAP_X) + 1,
            height: 0,
        };
        for column in 0..count {
            let boxes = (0..names.len()).filter(|at| column_of(*at) == column);
            let passing = layout.lines.iter().enumerate().filter(|(_, line)| {
                column_of(line.parent) < column && column < column_of(line.child)
            });
            let taken = boxes.map(Taken::Box);
            let taken = taken.chain(passing.map(|(at, _)| Taken::Lane(at)));
            let mut taken: Vec<Taken> = taken.collect();
            taken.sort_by_key(|one| layout.height_before(*one, parents, column_of));
            layout.fill(column, &taken);
        }
        layout
    }

    /// The mean height of what a box or lane is linked to in the columns before; what is linked to
    /// nothing comes last.
    fn height_before(
        &self,
        taken: Taken,
        parents: &[Vec<usize>],
        column_of: impl Fn(usize) -> usize,
    ) -> usize {
        let middle = |at: usize| {
            self.places
                .get(at)
                .map_or(0, |place| place.y + BOX_HEIGHT / 2)
        };
        let heights: Vec<usize> = match taken {
            Taken::Lane(at) => {
                let line = self.lines.get(at);
                let last = line.map(|line| {
                    line.lanes
                        .last()
                        .copied()
                        .unwrap_or_else(|| middle(line.parent))
                });
                last.into_iter().collect()
            }
            Taken::Box(own) => {
                let all = parents.get(own).into_iter().flatten();
                let before = all.filter(|parent| column_of(**parent) < column_of(own));
                before.map(|parent| middle(*parent)).collect()
            }
        };
        match heights.len() {
            0 => usize::MAX,
            some => heights.iter().sum::<usize>() / some,
        }
    }

    /// Places what a column holds below each other.
    fn fill(&mut self, column: usize, taken: &[Taken]) {
        let (left, _) = self.column(column);
        let mut y = 1;
        for one in taken {
            match *one {
                Taken::Box(at) => {
                    if let Some(place) = self.places.get_mut(at) {
                        *place = Place { column, x: left, y };
                    }
                    y += BOX_HEIGHT + GAP_Y;
                }
                Taken::Lane(at) => {
                    if let Some(line) = self.lines.get_mut(at) {
                        line.lanes.push(y + LANE_HEIGHT / 2);
                    }
                    y += LANE_HEIGHT + GAP_Y;
                }
            }
        }
        self.height = self.height.max(y + 1);
    }

    fn column(&self, at: usize) -> (usize, usize) {
        self.columns.get(at).copied().unwrap_or_default()
    }

    fn box_width(&self, place: &Place) -> usize {
        self.column(place.column).1
    }

    /// The path of a line: from the edge of the parent's box through its lanes to the edge of the box
    /// that refers to it.
    fn path(&self, line: &Line) -> Option<String> {
        let (parent, child) = (self.places.get(line.parent)?, self.places.get(line.child)?);
        let mut at = (parent.x + self.box_width(parent), parent.y + BOX_HEIGHT / 2);
        let mut path = format!("M{} {}", at.0, at.1);
        for (column, y) in (parent.column + 1..).zip(&line.lanes) {
            let (left, width) = self.column(column);
            path.push_str(&curve(at, (left, *y)));
            at = (left + width, *y);
            path.push_str(&format!("H{}", at.0));
        }
        path.push_str(&curve(at, (child.x, child.y + BOX_HEIGHT / 2)));
        Some(path)
    }
}

/// A curve that begins and ends level.
fn curve((from_x, from_y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let middle = usize::midpoint(from_x, to_x);
    format!("C{middle} {from_y} {middle} {to_y} {to_x} {to_y}")
}

/// Pixels of a text.
fn text_width(text: &str) -> usize {
    text.chars().count() * LETTER_WIDTH
}

/// The head of an arrow, at the entity that is referred to.
const HEAD: &str = "<defs><marker id=\"refers\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";

/// Draws entities as boxes, and their references as arrows.
pub(super) fn references(model: &Model) -> String {
    let parents = parents(model);
    let names: Vec<&str> = model.entities.iter().map(|one| one.name.as_str()).collect();
    let layout = Layout::of(&names, &parents, &columns(&parents));
    let mut out = format!(
        "<div class=\"picture\"><svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"entities and references\">\n",
        layout.width, layout.height
    );
    if !layout.lines.is_empty() {
        out.push_str(HEAD);
    }
    for path in layout.lines.iter().filter_map(|line| layout.path(line)) {
        let _infallible = writeln!(out, "<path marker-start=\"url(#refers)\" d=\"{path}\"/>");
    }
    for (name, place) in names.iter().zip(&layout.places) {
        let Place { column: _, x, y } = place;
        let _infallible = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\" textLength=\"{}\">{}</text>",
            layout.box_width(place),
            x + MARGIN,
            y + 22,
            text_width(name),
            escape(name)
        );
    }
    out.push_str("</svg></div>\n");
    if !layout.lines.is_empty() {
        out.push_str(
            "<p class=\"note\">An arrow leads to the entity that another one refers to.</p>\n",
        );
    }
    out
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

/// The columns of entities: to the right of all that they refer to. What refers to nothing is beside
/// the first that refers to it.
fn columns(parents: &[Vec<usize>]) -> Vec<usize> {
    let depths = depths(parents);
    let own = depths
        .iter()
        .zip(parents)
        .enumerate()
        .map(|(at, (depth, above))| {
            let children = depths
                .iter()
                .zip(parents)
                .filter(|(_, all)| all.contains(&at));
            let nearest = children.map(|(depth, _)| depth.saturating_sub(1)).min();
            nearest.filter(|_| above.is_empty()).unwrap_or(*depth)
        });
    own.collect()
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

#[cfg(test)]
mod tests {
    /// The numbers of an attribute's text.
    fn numbers(text: &str) -> Vec<f64> {
        let each = text.split(|c: char| !c.is_ascii_digit());
        each.filter_map(|number| number.parse().ok()).collect()
    }

    /// The text of an attribute of an element.
    fn attribute<'t>(element: &'t str, name: &str) -> &'t str {
        let start = format!(" {name}=\"");
        let (_, behind) = element.split_once(&start).unwrap_or_default();
        behind.split('"').next().unwrap_or_default()
    }

    /// Points on a path of curves and level lines.
    fn points(path: &str) -> Vec<(f64, f64)> {
        let mut all = Vec::new();
        let mut at = (0.0, 0.0);
        let starts = path.match_indices(['M', 'C', 'H']).map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain([path.len()]).collect();
        for pair in starts.windows(2) {
            let &[start, end] = pair else { continue };
            let piece = path.get(start..end).unwrap_or_default();
            match numbers(piece).as_slice() {
                [x, y] => at = (*x, *y),
                [x] => {
                    all.extend((0..=40).map(|n| (at.0 + (x - at.0) * f64::from(n) / 40.0, at.1)));
                    at.0 = *x;
                }
                [a, b, c, d, e, f] => {
                    let one = |n: i32, [p, q, r, s]: [f64; 4]| {
                        let t = f64::from(n) / 40.0;
                        let u = 1.0 - t;
                        u * u * u * p + 3.0 * u * u * t * q + 3.0 * u * t * t * r + t * t * t * s
                    };
                    let (x, y) = at;
                    all.extend(
                        (0..=40).map(|n| (one(n, [x, *a, *c, *e]), one(n, [y, *b, *d, *f]))),
                    );
                    at = (*e, *f);
                }
                other => panic!("{piece}: {other:?}"),
            }
        }
        all
    }

    /// No line runs through a box, so that nothing looks linked that is not.
    fn check(model: &str, references: usize) {
        let compiled = keyfold_model::compile(model);
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let drawn = super::references(&model);
        let boxes: Vec<Vec<f64>> = drawn
            .split("<rect")
            .skip(1)
            .map(|one| {
                let names = ["x", "y", "width", "height"];
                names
                    .iter()
                    .flat_map(|name| numbers(attribute(one, name)))
                    .collect()
            })
            .collect();
        let lines: Vec<&str> = drawn.split("<path marker").skip(1).collect();
        assert_eq!(lines.len(), references, "{drawn}");
        for line in lines {
            for (x, y) in points(attribute(line, "d")) {
                for one in &boxes {
                    let [left, top, width, height] = one.as_slice() else {
                        panic!("{one:?}")
                    };
                    let is_inside = x > left + 0.5
                        && x < left + width - 0.5
                        && y > top + 0.5
                        && y < top + height - 0.5;
                    assert!(!is_inside, "({x}, {y}) of {line} is in {one:?}\n{drawn}");
                }
            }
        }
    }

    #[test]
    fn lines_run_through_no_box() {
        check(include_str!("../../../../models/shop.keyfold"), 3);
        // A refers to nothing; each of the others refers to all before it.
        let names = ["A", "B", "C", "D", "E"];
        let entities = names.iter().enumerate().map(|(at, name)| {
            let low = name.to_lowercase();
            let above = names.iter().take(at);
            let above = above.map(|one| format!(", {0}Id: {one}.{0}Id", one.to_lowercase()));
            let above: String = above.collect();
            format!(
                "entity {name}\n  {low}Id: string{above}\n  key \"{name}#{{{low}Id}}\" \"{name}\"\n"
            )
        });
        let entities: String = entities.collect();
        check(&format!("model m 1\ntable Tab (PK, SK)\n{entities}"), 10);
    }
}
