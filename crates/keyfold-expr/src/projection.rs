//! Projections: the chosen parts of an item, with their nesting.
//!
//! A map keeps the chosen entries. A list keeps the chosen elements in order, without gaps. Source:
//! "Projection expressions".

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
    /// The choices by attribute.
    root: BTreeMap<Name, Node>,
    /// Whether all paths are top-level attributes.
    is_flat: bool,
}

/// The choices below one name or position. Without any, the whole value is chosen.
#[derive(Debug, Clone, Default, PartialEq)]
struct Node {
    names: BTreeMap<Name, Node>,
    indexes: BTreeMap<usize, Node>,
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.names.is_empty() && self.indexes.is_empty()
    }

    fn apply(&self, value: RawValue<'_>) -> Option<Value> {
        if self.is_leaf() {
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

    /// A projection of paths. The caller checks that they do not overlap.
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
        let is_flat = top.names.values().all(Node::is_leaf);
        Projection {
            paths,
            root: top.names,
            is_flat,
        }
    }

    /// The paths in the order of the text.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// An item of the chosen parts.
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
