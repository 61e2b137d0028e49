//! Projections: the chosen parts of an item, re-nested.
//!
//! A map keeps the chosen entries, a list the chosen elements packed in order. Source: "Projection
//! expressions".

use crate::bind::Binder;
use crate::error::{ExprError, ExpressionKind};
use crate::parser::Parser;
use crate::path::{Name, Path, PathPart};
use crate::placeholder::Placeholders;
use keyfold_codec::{RawItem, RawValue};
use keyfold_types::{Item, Value, ValueKind};
use std::collections::BTreeMap;

/// A bound projection.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    paths: Vec<Path>,
    root: BTreeMap<Name, Node>,
    /// Whether whole attributes are chosen.
    is_flat: bool,
}

/// What is chosen below one name or position; nothing below means all of it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Node {
    names: BTreeMap<Name, Node>,
    indexes: BTreeMap<usize, Node>,
}

impl Node {
    fn is_whole(&self) -> bool {
        self.names.is_empty() && self.indexes.is_empty()
    }

    fn apply(&self, value: RawValue<'_>) -> Option<Value> {
        if self.is_whole() {
            return Some(value.to_value());
        }
        if value.kind() == ValueKind::M {
            let chosen: BTreeMap<String, Value> = value
                .entries()
                .filter_map(|(name, entry)| {
                    Some((name.to_owned(), self.names.get(name)?.apply(entry)?))
                })
                .collect();
            return (!chosen.is_empty()).then_some(Value::M(chosen));
        }
        let chosen: Vec<Value> = value
            .elements()
            .enumerate()
            .filter_map(|(index, element)| self.indexes.get(&index)?.apply(element))
            .collect();
        (!chosen.is_empty()).then_some(Value::L(chosen))
    }
}

impl Projection {
    /// Parses and binds a projection.
    ///
    /// # Errors
    /// As [`crate::ExprErrorKind`] lists, `Overlap` and `Conflict` among them.
    pub fn parse(text: &str, placeholders: &Placeholders<'_>) -> Result<Projection, ExprError> {
        let expression = ExpressionKind::Projection;
        let binder = Binder {
            expression,
            placeholders,
        };
        let raw = Parser::new(expression, text)?.projection()?;
        let paths = raw
            .iter()
            .map(|path| binder.path(path))
            .collect::<Result<Vec<_>, _>>()?;
        binder.check_disjoint(paths.iter())?;
        Ok(Projection::of_paths(paths))
    }

    /// A projection of paths that do not overlap.
    pub fn of_paths(paths: Vec<Path>) -> Projection {
        let mut top = Node::default();
        for path in &paths {
            let mut node = &mut top;
            for part in path.parts() {
                node = match part {
                    PathPart::Name(name) => node.names.entry(name.clone()).or_default(),
                    PathPart::Index(index) => node.indexes.entry(*index).or_default(),
                };
            }
        }
        let is_flat = top.names.values().all(Node::is_whole);
        Projection {
            paths,
            root: top.names,
            is_flat,
        }
    }

    /// The paths, as written.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The item's chosen parts.
    pub fn apply(&self, item: &RawItem) -> RawItem {
        if self.is_flat {
            return item.select(|name| self.root.contains_key(name));
        }
        let chosen: Item = item
            .attributes()
            .filter_map(|(name, value)| Some((name, self.root.get(name)?.apply(value)?)))
            .collect();
        RawItem::encode(&chosen)
    }
}
