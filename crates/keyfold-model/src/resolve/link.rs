//! Links: the attributes of one entity that refer to the key of another.

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Attribute, Entity, Model};
use crate::syntax::ast::Name;

/// Longest chain of references that is followed.
const REFERENCES_MAX: usize = 30;

/// What refers from one entity, the child, to the key of another, the parent.
pub(super) struct Link<'l> {
    /// The place to which errors point.
    pub(super) at: Span,
    /// The references to follow, where the declaration names them.
    pub(super) by: &'l [Name],
    /// The declaration, as far as it stands before `by`.
    pub(super) start: String,
    /// The reason why the key must be known.
    pub(super) need: String,
    /// The parent and the child.
    pub(super) ends: (&'l Entity, &'l Entity),
    pub(super) model: &'l Model,
}

impl<'l> Link<'l> {
    /// Each reference in `by` must refer to a key attribute of the parent.
    pub(super) fn check_named(&self) -> Result<(), Box<Diagnostic>> {
        let (parent, child) = self.ends;
        for name in self.by {
            let is_link = |field: &str| {
                let found = child.attribute(&name.text);
                found.is_some_and(|found| found.name == field || self.refers(found, field))
            };
            if !parent.key.fields().any(is_link) {
                let message = format!(
                    "`{}` of {} refers to no key attribute of {}",
                    name.text, child.name, parent.name
                );
                let label = "not what the items are found by";
                return Err(Box::new(
                    Diagnostic::error("KF016", name.span, message, label)
                        .label(parent.key.span, "the key")
                        .help(format!(
                            "name an attribute whose type is one of these: `{}.…`",
                            parent.name
                        )),
                ));
            }
        }
        Ok(())
    }

    /// The child's attribute that stands for an attribute of the parent's key.
    pub(super) fn attribute(&self, field: &str) -> Result<&'l Attribute, Box<Diagnostic>> {
        let (parent, child) = self.ends;
        let is_named = |name: &str| self.by.iter().any(|by| by.text == name);
        if let Some(same) = child.attribute(field).filter(|_| is_named(field)) {
            return Ok(same);
        }
        let references: Vec<&Attribute> = child
            .attributes
            .iter()
            .filter(|attribute| self.refers(attribute, field))
            .collect();
        let named: Vec<&Attribute> = references
            .iter()
            .filter(|attribute| is_named(&attribute.name))
            .copied()
            .collect();
        match (named.as_slice(), references.as_slice()) {
            ([one], _) => return Ok(one),
            ([], [one]) => return Ok(one),
            ([], []) => {}
            ([first, second, ..], _) | ([], [first, second, ..]) => {
                return Err(Box::new(self.two_references(field, [first, second])));
            }
        }
        let same = child.attribute(field).filter(|found| {
            !found.is_kept
                && parent
                    .attribute(field)
                    .is_some_and(|own| own.kind == found.kind)
        });
        same.ok_or_else(|| Box::new(self.no_reference(field)))
    }

    /// The error about a child that has no reference to an attribute of the parent's key.
    fn no_reference(&self, field: &str) -> Diagnostic {
        let (parent, child) = self.ends;
        let (owner, item) = (&parent.name, &child.name);
        let message = format!("{item} does not say which {owner} it belongs to");
        let label = format!("nothing in it refers to {owner}.{field}");
        Diagnostic::error("KF016", self.at, message, label)
            .label(child.span, "declared here")
            .note(self.need.as_str())
            .help(format!("add to {item}: `{field}: {owner}.{field}`"))
    }

    /// The error about a child with several references to an attribute of the parent's key.
    fn two_references(&self, field: &str, [first, second]: [&Attribute; 2]) -> Diagnostic {
        let (parent, child) = self.ends;
        let message = format!(
            "{} refers to {}.{field} in two ways: `{}` and `{}`",
            child.name, parent.name, first.name, second.name
        );
        let start = &self.start;
        Diagnostic::error("KF016", self.at, message, "by which of them?")
            .label(first.span, "this")
            .label(second.span, "or this")
            .help(format!(
                "say which: `{start} by {}`, or `{start} by {}`",
                first.name, second.name
            ))
    }

    /// Whether an attribute refers to an attribute of the parent, directly or through other
    /// references.
    fn refers(&self, attribute: &Attribute, field: &str) -> bool {
        let (parent, _) = self.ends;
        let target = |attribute: &Attribute| {
            let (entity, name) = attribute.refers.as_ref()?;
            let entity = self.model.entity(entity)?;
            Some((entity, entity.attribute(name)?))
        };
        // References in a circle have no type, and refer to nothing.
        let mut at = target(attribute);
        for _ in 0..REFERENCES_MAX {
            let Some((found, next)) = at else {
                return false;
            };
            if found.name == parent.name && next.name == field {
                return true;
            }
            at = target(next);
        }
        false
    }
}
