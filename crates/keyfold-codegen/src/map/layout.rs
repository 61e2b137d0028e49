//! Places the tiles: collections below each other; their items beside the partition key, or under it
//! where the picture is narrow.

use super::cells::{Cell, Collection};
use super::drawing::{Drawing, Line, Place, Role, Tile};

/// Pixels of a letter, which is drawn exactly as wide.
const LETTER_WIDTH: usize = 8;
/// Pixels from one line to the next.
const LINE_HEIGHT: usize = 18;
/// Pixels between a tile's edge and its text.
const MARGIN: usize = 10;
/// Pixels between tiles.
const GAP: usize = 8;
/// Pixels between collections.
const GAP_ROWS: usize = 16;
/// The width from which items lie beside their partition key.
const WIDE: usize = 640;
/// Most pixels of a tile.
const TILE_WIDTH_MAX: usize = 42 * LETTER_WIDTH + 2 * MARGIN;
/// The least width of a picture: some letters of each line.
const WIDTH_MIN: usize = 12 * LETTER_WIDTH + 2 * MARGIN;

/// A text of a tile before it has a place.
struct Text<'t> {
    class: &'static str,
    text: &'t str,
}

/// The drawing of these collections in this width.
pub(super) fn laid_out(label: String, collections: &[Collection], width: usize) -> Drawing {
    let width = width.max(WIDTH_MIN);
    let partitions: Vec<Vec<Text<'_>>> = collections.iter().map(partition_texts).collect();
    // Half a pixel of a tile's edge lies outside of it.
    let inside = width - 2;
    let is_wide = width >= WIDE;
    let third = if is_wide { inside / 3 } else { inside };
    let column = partitions
        .iter()
        .map(|texts| natural_width(texts))
        .max()
        .unwrap_or(0)
        .min(third.min(TILE_WIDTH_MAX));
    let left = if is_wide { 1 + column + 2 * GAP } else { 1 };
    let mut tiles = Vec::new();
    let mut y = 1;
    for (collection, texts) in collections.iter().zip(&partitions) {
        let own = if is_wide {
            column
        } else {
            natural_width(texts).min(column)
        };
        let partition = tile(Role::Partition, texts, (1, y), own);
        let below = partition.place.height + GAP;
        let top = if is_wide { y } else { y + below };
        let mut cells = flow(&collection.cells, (left, top), 1 + inside);
        cells.insert(0, partition);
        let bottom = cells.iter().map(|one| one.place.y + one.place.height).max();
        y = bottom.unwrap_or(y) + GAP_ROWS;
        tiles.append(&mut cells);
    }
    Drawing {
        label,
        width,
        height: y.saturating_sub(GAP_ROWS) + 1,
        tiles,
    }
}

/// Places cells side by side from a corner to the right edge, and the others below.
fn flow(cells: &[Cell], (left, top): (usize, usize), right: usize) -> Vec<Tile> {
    let mut tiles: Vec<Tile> = Vec::new();
    let (mut x, mut y, mut below) = (left, top, top);
    for cell in cells {
        let texts = cell_texts(cell);
        let own = natural_width(&texts).min(TILE_WIDTH_MAX).min(right - left);
        if x > left && x + own > right {
            (x, y) = (left, below + GAP);
        }
        let made = tile(Role::Item(cell.hue), &texts, (x, y), own);
        x += own + GAP;
        below = below.max(y + made.place.height);
        tiles.push(made);
    }
    tiles
}

fn partition_texts(collection: &Collection) -> Vec<Text<'_>> {
    let Collection {
        template,
        sample,
        cells: _,
    } = collection;
    let mut texts = vec![Text {
        class: "key",
        text: template,
    }];
    texts.extend((sample != template).then_some(Text {
        class: "sample",
        text: sample,
    }));
    texts
}

fn cell_texts(cell: &Cell) -> Vec<Text<'_>> {
    let Cell {
        name,
        hue: _,
        template,
        sample,
        only,
    } = cell;
    let mut texts = vec![Text {
        class: "name",
        text: name,
    }];
    texts.extend((!template.is_empty()).then_some(Text {
        class: "key",
        text: template,
    }));
    texts.extend((sample != template).then_some(Text {
        class: "sample",
        text: sample,
    }));
    texts.extend(only.iter().map(|only| Text {
        class: "only",
        text: only,
    }));
    texts
}

/// The width of a tile in which no text is cut.
fn natural_width(texts: &[Text<'_>]) -> usize {
    let letters = texts.iter().map(|one| one.text.chars().count());
    letters.max().unwrap_or(0) * LETTER_WIDTH + 2 * MARGIN
}

/// A tile of this width, with its texts cut to it.
fn tile(role: Role, texts: &[Text<'_>], (x, y): (usize, usize), width: usize) -> Tile {
    let letters = width.saturating_sub(2 * MARGIN) / LETTER_WIDTH;
    let line = |(at, one): (usize, &Text<'_>)| {
        let own = visible(one.text);
        let text = cut(&own, letters);
        Line {
            class: one.class,
            x: x + MARGIN,
            y: y + MARGIN + at * LINE_HEIGHT + 11,
            width: text.chars().count() * LETTER_WIDTH,
            whole: (text != own).then_some(own),
            text,
        }
    };
    Tile {
        role,
        place: Place {
            x,
            y,
            width,
            height: 2 * MARGIN + texts.len() * LINE_HEIGHT - 3,
        },
        lines: texts.iter().enumerate().map(line).collect(),
    }
}

/// A text in which characters show that are not seen, or that turn the direction of others.
fn visible(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let shown = |c| {
        if is_hidden(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(shown).collect()
}

/// A text of at most this many letters.
fn cut(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    let kept = text.chars().take(letters.saturating_sub(1));
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Chart;
    use crate::map::{Hues, of_index, of_table};

    /// All maps of a model in a width.
    fn drawings(model: &str, width: usize) -> Vec<Drawing> {
        let compiled = keyfold_model::compile(model);
        let model = compiled
            .model
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
        let chart = Chart::of(&model);
        let hues = Hues::of(&chart);
        let of_one = |table| {
            let indexes = chart.tables.iter().flat_map(|one| &one.indexes);
            let indexes = indexes.map(|index| of_index(index, &hues, width));
            std::iter::once(of_table(table, &hues, width))
                .chain(indexes)
                .collect::<Vec<_>>()
        };
        chart.tables.iter().flat_map(of_one).collect()
    }

    fn is_apart(one: &Place, other: &Place) -> bool {
        one.x + one.width < other.x
            || other.x + other.width < one.x
            || one.y + one.height < other.y
            || other.y + other.height < one.y
    }

    #[test]
    fn no_tile_lies_on_another_and_no_line_leaves_its_tile() {
        let models = [
            include_str!("../../../../models/shop.keyfold"),
            include_str!("../../../../models/smart_home.keyfold"),
            include_str!("../../../../e2e/long_names.keyfold"),
        ];
        for (model, width) in models
            .iter()
            .flat_map(|one| [0, 358, 700, 1168].map(|w| (one, w)))
        {
            for drawing in drawings(model, width) {
                assert!(!drawing.tiles.is_empty());
                for (at, tile) in drawing.tiles.iter().enumerate() {
                    let Place {
                        x,
                        y,
                        width,
                        height,
                    } = tile.place;
                    assert!(
                        x > 0 && x + width < drawing.width,
                        "{tile:?} in {}",
                        drawing.width
                    );
                    assert!(
                        y > 0 && y + height < drawing.height,
                        "{tile:?} in {}",
                        drawing.height
                    );
                    for line in &tile.lines {
                        assert!(
                            line.x > x && line.x + line.width < x + width,
                            "{line:?} in {tile:?}"
                        );
                        assert!(line.y > y && line.y < y + height, "{line:?} in {tile:?}");
                        let letters = line.text.chars().count() * LETTER_WIDTH;
                        assert_eq!(line.width, letters, "{line:?}");
                    }
                    for other in drawing.tiles.iter().skip(at + 1) {
                        assert!(
                            is_apart(&tile.place, &other.place),
                            "{tile:?} and {other:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn characters_that_turn_a_text_round_show() {
        assert_eq!(visible("a\u{202e}b\u{2066}c\td\u{feff}é😀"), "a�b�c�d�é😀");
    }

    #[test]
    fn a_long_text_is_cut_and_keeps_its_whole_text_as_a_title() {
        let model = include_str!("../../../../e2e/long_names.keyfold");
        let all = drawings(model, 358);
        let lines = all
            .iter()
            .flat_map(|one| &one.tiles)
            .flat_map(|tile| &tile.lines);
        let cut: Vec<&Line> = lines.filter(|line| line.text.ends_with('…')).collect();
        assert!(cut.len() > 5);
        for line in cut {
            let start = line.text.trim_end_matches('…');
            let whole = line.whole.as_deref().unwrap_or_default();
            assert!(
                whole.len() > line.text.len() && whole.starts_with(start),
                "{line:?}"
            );
        }
    }
}
