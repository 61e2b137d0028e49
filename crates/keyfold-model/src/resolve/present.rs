//! What must be in an item for a write: the operands of its calculations, and what the fields that
//! it changes lie in. DynamoDB refuses an update whose path leads through something missing.

use super::condition::field_type;
use super::names::attribute_of;
use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{Assignment, Condition, Entity, Path, Type, Verb};
use crate::syntax::ast::{ActionDecl, PathDecl, texts};

/// An action on an item, and the conditions that hold for each item that it changes.
pub(super) struct Present<'p> {
    pub(super) verb: Verb,
    pub(super) entity: &'p Entity,
    pub(super) conditions: &'p [Condition],
}

impl Present<'_> {
    /// Checks the assignments of an action, and what it removes.
    pub(super) fn check(
        &self,
        declared: &ActionDecl,
        assignments: &[Assignment],
    ) -> Result<(), Box<Diagnostic>> {
        for (one, at) in assignments.iter().zip(&declared.assignments) {
            let span = at.target().span();
            self.check_place(&one.path(), span, "set")?;
            for path in one.sources() {
                // A missing list or set that elements are added to counts as an empty one.
                let kind = self.entity.at(path).map(|(kind, _)| kind);
                let is_collection = matches!(kind, Some(Type::List(_) | Type::Set(_)));
                let is_added_to = one.right.is_some() && one.left.is_path(path);
                let lacking = self.lacking(path);
                if let Some(lacking) = lacking.filter(|_| !(is_collection && is_added_to)) {
                    let use_of_it = match one.right {
                        Some(_) => "the write calculates with it",
                        None => "the write takes its value",
                    };
                    return Err(self.may_lack(&lacking, span, use_of_it));
                }
            }
        }
        for removed in &declared.removed {
            let path = self.removed(removed)?;
            self.check_place(&path, removed.span(), "removed")?;
        }
        Ok(())
    }

    /// The path that an action removes: an optional attribute that the model does not keep, an
    /// optional field, or an entry of a map.
    fn removed(&self, declared: &PathDecl) -> Result<Path, Box<Diagnostic>> {
        let found = attribute_of(self.entity, &declared.name)?;
        field_type(&declared.name, &found.kind, &declared.fields)?;
        let path = path_of(declared);
        let may_lack = self.entity.at(&path).is_some_and(|(_, may_lack)| may_lack);
        if may_lack && !found.is_kept {
            return Ok(path);
        }
        let message = format!(
            "`{path}` of {} is required and cannot be removed",
            self.entity.name
        );
        let error = Diagnostic::error("KF004", declared.span(), message, "must always be there");
        let error = match path.is_whole() {
            true => error.label(found.span, "declared here"),
            false => error,
        };
        Err(Box::new(
            error.help("declare it optional with `?` behind its type"),
        ))
    }

    /// What a changed field lies in must be there.
    fn check_place(&self, path: &Path, span: Span, change: &str) -> Result<(), Box<Diagnostic>> {
        let place = path.place();
        let Some(lacking) = place.and_then(|place| self.lacking(&place)) else {
            return Ok(());
        };
        Err(self.may_lack(&lacking, span, &format!("a field of it is {change}")))
    }

    /// The first part of a path that an item may lack, though it fulfils the conditions.
    fn lacking(&self, path: &Path) -> Option<Path> {
        let may_lack = |one: &Path| {
            let found = self.entity.at(one);
            let is_demanded = self.conditions.iter().any(|all| all.demands_path(one));
            found.is_some_and(|(_, may_lack)| may_lack) && !is_demanded
        };
        path.steps().find(may_lack)
    }

    fn may_lack(&self, path: &Path, span: Span, why: &str) -> Box<Diagnostic> {
        let message = format!("`{path}` of {} may be missing, and {why}", self.entity.name);
        let error = Diagnostic::error("KF004", span, message, "what if it is not there?");
        let found = self.entity.attribute(&path.attribute);
        let error = match found.filter(|_| path.is_whole()) {
            Some(found) => error.label(found.span, "declared optional here"),
            None => error,
        };
        Box::new(error.help(self.required_help(path)))
    }

    /// The repair of what may be missing. A new item has nothing that `when exists` finds.
    fn required_help(&self, path: &Path) -> String {
        let is_entry = path.place().is_some_and(|place| {
            let kind = self.entity.at(&place).map(|(kind, _)| kind);
            matches!(kind, Some(Type::Map(_)))
        });
        let required = match (is_entry, path.is_whole()) {
            (true, _) => None,
            (false, true) => Some("declare it required, perhaps with a default"),
            (false, false) => Some("declare it required"),
        };
        let demand = match self.verb {
            Verb::Upsert => None,
            Verb::Create | Verb::Put | Verb::Update | Verb::Delete | Verb::Check => {
                Some(format!("add `when exists {path}`"))
            }
        };
        match (demand, required) {
            (Some(demand), Some(required)) => format!("{demand}, or {required}"),
            (Some(demand), None) => demand,
            (None, Some(required)) => required.to_owned(),
            (None, None) => "change it by an `update` with a condition".to_owned(),
        }
    }
}

/// The path that a declaration names.
pub(super) fn path_of(declared: &PathDecl) -> Path {
    Path {
        attribute: declared.name.text.clone(),
        fields: texts(&declared.fields),
    }
}
