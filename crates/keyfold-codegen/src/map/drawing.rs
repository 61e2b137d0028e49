//! A drawing: tiles with lines of text, each at its place.

use crate::markup::escape;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// A map with all its tiles placed. Places and sizes are in pixels, from the top left corner.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// What it shows, for readers who do not see it.
    pub label: String,
    /// Its width.
    pub width: usize,
    /// Its height.
    pub height: usize,
    /// Its tiles; none lies on another one.
    pub tiles: Vec<Tile>,
}

/// A box with its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// What it stands for.
    pub role: Role,
    /// Where it is.
    pub place: Place,
    /// Its lines; each ends inside the tile.
    pub lines: Vec<Line>,
}

/// What a tile stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The partition key of a collection.
    Partition,
    /// A kind of item, in a colour of [`super::HUES`].
    Item(usize),
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its left edge.
    pub x: usize,
    /// Its upper edge.
    pub y: usize,
    /// Its width.
    pub width: usize,
    /// Its height.
    pub height: usize,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// `name`, `key`, `sample` or `only`: a class of the style.
    pub class: &'static str,
    /// The left end of its baseline.
    pub x: usize,
    /// The height of its baseline.
    pub y: usize,
    /// The text as it is drawn.
    pub text: String,
    /// Its width; the text is drawn exactly as wide.
    pub width: usize,
    /// The whole text, where it is cut.
    pub whole: Option<String>,
}

impl Role {
    /// The classes of the style.
    pub fn class(self) -> String {
        match self {
            Role::Partition => "partition".to_owned(),
            Role::Item(hue) => format!("item hue{hue}"),
        }
    }
}

impl Drawing {
    /// The drawing as an `svg` element, with the classes of [`super::STYLE`].
    pub fn svg(&self) -> String {
        let Drawing {
            label,
            width,
            height,
            tiles,
        } = self;
        let mut out = format!(
            "<svg class=\"map\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n",
            escape(label)
        );
        for Tile { role, place, lines } in tiles {
            let Place {
                x,
                y,
                width,
                height,
            } = place;
            let _infallible = write!(
                out,
                "<g class=\"{}\"><rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\"/>",
                role.class()
            );
            lines.iter().for_each(|line| line.svg(&mut out));
            out.push_str("</g>\n");
        }
        out.push_str("</svg>\n");
        out
    }

    /// The drawing as JSON: `{ label, width, height, tiles }`.
    pub fn json(&self) -> Json {
        let Drawing {
            label,
            width,
            height,
            tiles,
        } = self;
        let tiles: Vec<Json> = tiles.iter().map(Tile::json).collect();
        json!({ "label": label, "width": width, "height": height, "tiles": tiles })
    }
}

impl Tile {
    fn json(&self) -> Json {
        let Tile { role, place, lines } = self;
        let Place {
            x,
            y,
            width,
            height,
        } = place;
        let lines: Vec<Json> = lines.iter().map(Line::json).collect();
        json!({ "class": role.class(), "x": x, "y": y, "width": width, "height": height, "lines": lines })
    }
}

impl Line {
    fn svg(&self, out: &mut String) {
        let Line {
            class,
            x,
            y,
            text,
            width,
            whole,
        } = self;
        let title = whole.as_ref().map_or(String::new(), |whole| {
            format!("<title>{}</title>", escape(whole))
        });
        let _infallible = write!(
            out,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" textLength=\"{width}\">{}{title}</text>",
            escape(text)
        );
    }

    fn json(&self) -> Json {
        let Line {
            class,
            x,
            y,
            text,
            width,
            whole,
        } = self;
        json!({ "class": class, "x": x, "y": y, "text": text, "width": width, "whole": whole })
    }
}
