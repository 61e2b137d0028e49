//! Document paths, bound: names and list positions from an item's attribute downwards.

use crate::budget::Budget;
use keyfold_codec::{RawItem, RawValue};
use keyfold_types::{Item, Value};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The name of an attribute or of a map's entry. Clones share the text: a name may have 64 KB, and
/// an expression may use it in every step.
#[derive(Debug, Clone, Eq)]
pub struct Name(Arc<str>);

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Name) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Name) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            Ordering::Equal
        } else {
            self.0.cmp(&other.0)
        }
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Name {
        Name(name.into())
    }
}

impl From<String> for Name {
    fn from(name: String) -> Name {
        Name(name.into())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path into an item. The first step is always a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    parts: Vec<PathPart>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathPart {
    /// Leads to an attribute or a map's entry.
    Name(Name),
    /// Leads to a list's element, counted from 0.
    Index(usize),
}

impl PathPart {
    /// The value that the step leads to; none if the value has no such entry or element.
    fn step<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match (self, value) {
            (PathPart::Name(name), Value::M(map)) => map.get(&**name),
            (PathPart::Index(index), Value::L(list)) => list.get(*index),
            (PathPart::Name(_) | PathPart::Index(_), _) => None,
        }
    }

    /// As [`PathPart::step`], to change the value.
    pub(crate) fn step_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        match (self, value) {
            (PathPart::Name(name), Value::M(map)) => map.get_mut(&**name),
            (PathPart::Index(index), Value::L(list)) => list.get_mut(*index),
            (PathPart::Name(_) | PathPart::Index(_), _) => None,
        }
    }
}

/// The reason for which two paths cannot stand in one expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clash {
    /// One path lies within the other, or is the same.
    Overlap,
    /// The paths see one value as a map and as a list.
    Conflict,
}

impl Path {
    /// A path of one or more steps, the first of which is a name.
    pub(crate) fn new(parts: Vec<PathPart>) -> Path {
        Path { parts }
    }

    /// A path to an attribute.
    pub fn attribute(name: impl Into<Name>) -> Path {
        Path {
            parts: vec![PathPart::Name(name.into())],
        }
    }

    /// The name of the attribute that the path starts at.
    pub fn root(&self) -> &str {
        match self.parts.first() {
            Some(PathPart::Name(name)) => name,
            Some(PathPart::Index(_)) | None => "",
        }
    }

    /// The steps.
    pub(crate) fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// The attribute's name, if the path has no further step.
    pub fn as_attribute(&self) -> Option<&str> {
        if self.parts.len() == 1 {
            Some(self.root())
        } else {
            None
        }
    }

    /// The value at the path in an encoded item; none if there is none.
    pub fn find<'a>(&self, item: &'a RawItem) -> Option<RawValue<'a>> {
        let mut value = item.get(self.root())?;
        for part in self.parts.iter().skip(1) {
            value = match part {
                PathPart::Name(name) => value.entry(name)?,
                PathPart::Index(index) => value.element(*index)?,
            };
        }
        Some(value)
    }

    /// The value at the path in an encoded item. Spends an eighth of the item's bytes, for the
    /// attributes that the search skips.
    pub(crate) fn find_within<'a>(
        &self,
        item: &'a RawItem,
        budget: &Budget,
    ) -> Option<RawValue<'a>> {
        budget.spend(item.bytes().len() / 8);
        self.find(item)
    }

    /// The value at the path in an item; none if there is none.
    pub(crate) fn find_in<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        walk(item, &self.parts)
    }

    /// The map or list that the last step leads into; none for an attribute.
    pub(crate) fn parent_in<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        walk(item, self.parts.split_last()?.1)
    }

    /// The name of the path's column in the result of a SELECT: the last name with the positions
    /// behind it, as `b[0]` of `a.b[0]`.
    pub fn column(&self) -> String {
        let at = self
            .parts
            .iter()
            .rposition(|part| matches!(part, PathPart::Name(_)))
            .unwrap_or(0);
        let step = |part: &PathPart| match part {
            PathPart::Name(name) => name.to_string(),
            PathPart::Index(index) => format!("[{index}]"),
        };
        self.parts.iter().skip(at).map(step).collect()
    }
}

fn walk<'a>(item: &'a Item, parts: &[PathPart]) -> Option<&'a Value> {
    let Some((PathPart::Name(root), rest)) = parts.split_first() else {
        return None;
    };
    rest.iter()
        .try_fold(item.get(root)?, |value, part| part.step(value))
}

/// The paths of one expression as a tree of their steps. It finds clashes in time linear in the
/// number of steps.
#[derive(Default)]
pub(crate) struct PathTree {
    root: PathNode,
}

#[derive(Default)]
struct PathNode {
    /// The number of the first path that contains this step.
    first: usize,
    /// The number of the path that ends here.
    end: Option<usize>,
    names: BTreeMap<Name, PathNode>,
    indexes: BTreeMap<usize, PathNode>,
    /// The number of the first path that continues with a name.
    first_name: Option<usize>,
    /// The number of the first path that continues with a position.
    first_index: Option<usize>,
}

impl PathTree {
    /// Adds a path under its number; numbers ascend.
    ///
    /// # Errors
    /// The number of the first path that the new one clashes with. The tree is then incomplete.
    fn add(&mut self, number: usize, path: &Path) -> Result<(), (usize, Clash)> {
        let mut node = &mut self.root;
        for part in path.parts() {
            if let Some(one) = node.end {
                return Err((one, Clash::Overlap));
            }
            let (own, other) = match part {
                PathPart::Name(_) => (&mut node.first_name, node.first_index),
                PathPart::Index(_) => (&mut node.first_index, node.first_name),
            };
            if let Some(one) = other {
                return Err((one, Clash::Conflict));
            }
            own.get_or_insert(number);
            let new_node = || PathNode {
                first: number,
                ..PathNode::default()
            };
            node = match part {
                PathPart::Name(name) => node.names.entry(name.clone()).or_insert_with(new_node),
                PathPart::Index(index) => node.indexes.entry(*index).or_insert_with(new_node),
            };
        }
        if node.end.is_some() || node.first_name.is_some() || node.first_index.is_some() {
            return Err((node.first, Clash::Overlap));
        }
        node.end = Some(number);
        Ok(())
    }

    /// The first path that clashes with an earlier one: the earlier, then the later.
    pub(crate) fn clash<'p>(
        paths: impl Iterator<Item = &'p Path> + Clone,
    ) -> Option<(Path, Path, Clash)> {
        let mut tree = PathTree::default();
        for (number, two) in paths.clone().enumerate() {
            if let Err((first, clash)) = tree.add(number, two) {
                let one = paths.clone().nth(first)?;
                return Some((one.clone(), two.clone(), clash));
            }
        }
        None
    }
}

impl fmt::Display for Path {
    /// The parts in brackets, as messages show them: `[a, b, [0]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, part) in self.parts.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            match part {
                PathPart::Name(name) => write!(f, "{comma}{name}")?,
                PathPart::Index(index) => write!(f, "{comma}[{index}]")?,
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The clash of two paths, by comparing their steps.
    fn clash(one: &Path, two: &Path) -> Option<Clash> {
        for parts in one.parts.iter().zip(&two.parts) {
            match parts {
                (PathPart::Name(_), PathPart::Index(_))
                | (PathPart::Index(_), PathPart::Name(_)) => {
                    return Some(Clash::Conflict);
                }
                (one, two) if one != two => return None,
                _ => {}
            }
        }
        Some(Clash::Overlap)
    }

    proptest! {
        #[test]
        fn the_tree_agrees_with_comparing_every_pair(
            paths in proptest::collection::vec(
                ("[ab]", proptest::collection::vec(prop_oneof![Just(None), (0usize..2).prop_map(Some)], 0..3)), 1..6)
        ) {
            let paths: Vec<Path> = paths.into_iter().map(|(root, rest)| {
                let step = |part: Option<usize>| part.map_or(PathPart::Name("n".into()), PathPart::Index);
                Path::new(std::iter::once(PathPart::Name(root.into())).chain(rest.into_iter().map(step)).collect())
            }).collect();
            let mut expected = None;
            'all: for (at, two) in paths.iter().enumerate() {
                for one in &paths[..at] {
                    if let Some(clash) = clash(one, two) {
                        expected = Some((one.clone(), two.clone(), clash));
                        break 'all;
                    }
                }
            }
            prop_assert_eq!(PathTree::clash(paths.iter()), expected);
        }
    }
}
