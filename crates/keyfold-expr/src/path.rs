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

/// An attribute's name. Cloning shares it: a name may have 64 KB, and an expression may use it at
/// every step.
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

/// A path into an item; the first part is always a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    parts: Vec<PathPart>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathPart {
    /// Into an attribute or a map's entry.
    Name(Name),
    /// Into a list's element, from 0.
    Index(usize),
}

/// How two paths get in each other's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clash {
    Overlap,
    Conflict,
}

impl Path {
    /// A path of one or more parts, the first a name.
    pub(crate) fn new(parts: Vec<PathPart>) -> Path {
        Path { parts }
    }

    /// A path to an attribute.
    pub fn attribute(name: impl Into<Name>) -> Path {
        Path {
            parts: vec![PathPart::Name(name.into())],
        }
    }

    /// The attribute the path starts at.
    pub fn root(&self) -> &str {
        match self.parts.first() {
            Some(PathPart::Name(name)) => name,
            Some(PathPart::Index(_)) | None => "",
        }
    }

    /// All steps.
    pub fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// The attribute, when the path leads no deeper.
    pub fn as_attribute(&self) -> Option<&str> {
        if self.parts.len() == 1 {
            Some(self.root())
        } else {
            None
        }
    }

    /// The value at the path in an encoded item.
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

    /// The same within a budget. Attributes before the one that is looked for are passed over: an
    /// eighth of the item stands for them.
    pub(crate) fn find_within<'a>(
        &self,
        item: &'a RawItem,
        budget: &Budget,
    ) -> Option<RawValue<'a>> {
        budget.spend(item.bytes().len() / 8);
        self.find(item)
    }

    /// The value at the path in an item.
    pub fn find_in<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        walk(item, &self.parts)
    }

    /// The value that the last step starts from; none for an attribute.
    pub(crate) fn parent_in<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        walk(item, self.parts.split_last()?.1)
    }

    /// What a SELECT calls what the path leads to: the last name, and the positions behind it.
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
        .try_fold(item.get(root)?, |value, part| match (part, value) {
            (PathPart::Name(name), Value::M(map)) => map.get(&**name),
            (PathPart::Index(index), Value::L(list)) => list.get(*index),
            _ => None,
        })
}

/// The paths of one expression, by their steps: finds the first that gets in the way of one before
/// it, in time that grows with the steps and not with the pairs.
#[derive(Default)]
pub(crate) struct PathTree {
    root: Place,
}

#[derive(Default)]
struct Place {
    /// The first path that goes through here, and the one that ends here.
    first: usize,
    ends: Option<usize>,
    names: BTreeMap<Name, Place>,
    indexes: BTreeMap<usize, Place>,
    /// The first path that goes on with a name, and with a position.
    first_name: Option<usize>,
    first_index: Option<usize>,
}

impl PathTree {
    /// Adds the path of a number, which ascend; or tells the number of the first that it clashes
    /// with.
    pub(crate) fn add(&mut self, at: usize, path: &Path) -> Result<(), (usize, Clash)> {
        let mut place = &mut self.root;
        for part in path.parts() {
            if let Some(one) = place.ends {
                return Err((one, Clash::Overlap));
            }
            let (own, other) = match part {
                PathPart::Name(_) => (&mut place.first_name, place.first_index),
                PathPart::Index(_) => (&mut place.first_index, place.first_name),
            };
            if let Some(one) = other {
                return Err((one, Clash::Conflict));
            }
            own.get_or_insert(at);
            let begun = || Place {
                first: at,
                ..Place::default()
            };
            place = match part {
                PathPart::Name(name) => place.names.entry(name.clone()).or_insert_with(begun),
                PathPart::Index(index) => place.indexes.entry(*index).or_insert_with(begun),
            };
        }
        if place.ends.is_some() || place.first_name.is_some() || place.first_index.is_some() {
            return Err((place.first, Clash::Overlap));
        }
        place.ends = Some(at);
        Ok(())
    }

    /// The first two of some paths that clash.
    pub(crate) fn clash<'p>(
        paths: impl Iterator<Item = &'p Path> + Clone,
    ) -> Option<(Path, Path, Clash)> {
        let mut tree = PathTree::default();
        for (at, two) in paths.clone().enumerate() {
            if let Err((first, clash)) = tree.add(at, two) {
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

    /// What the tree must find, by looking at every pair.
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
        fn the_tree_finds_what_pairs_find(
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
