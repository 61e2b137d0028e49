//! Parameters that no action of a write uses.

use super::source::parameter_of;
use crate::check::used;
use crate::diagnostic::Diagnostic;
use crate::schema::{Action, Condition, Entity, Model, Source, Verb};
use crate::syntax::ast::{ActionDecl, WriteDecl};

/// Reports each declared parameter that no action uses. `own` are the attributes that an action
/// takes from parameters.
pub(super) fn check(
    declared: &WriteDecl,
    actions: &[Action],
    model: &Model,
    own: impl Fn(&ActionDecl, &Entity) -> Vec<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut known: Vec<String> = Vec::new();
    for (declared, action) in declared.actions.iter().zip(actions) {
        if let Some(entity) = model.entities.get(action.entity) {
            let own = own(declared, entity).into_iter();
            known.extend(own.map(|name| parameter_of(declared, &name)));
        }
        let assigned = action.assignments.iter().chain(&action.otherwise);
        known.extend(assigned.flat_map(|one| one.parameters().cloned()));
        let compared = action.conditions.iter().flat_map(Condition::parameters);
        known.extend(compared.map(str::to_owned));
        known.extend(action.taken.iter().filter_map(|one| match &one.source {
            Source::Parameter(name) => Some(name.clone()),
            Source::Literal(_) | Source::Attribute { .. } => None,
        }));
        known.extend(action.each.clone());
    }
    let parameters = declared.parameters.iter().map(|one| &one.name);
    for name in parameters.filter(|name| !known.contains(&name.text)) {
        let mut stored = actions.iter().filter(|one| one.verb != Verb::Create);
        let holder = stored.find_map(|action| {
            let entity = model.entities.get(action.entity)?;
            entity.attribute(&name.text).map(|_| entity.name.as_str())
        });
        diagnostics.push(used::report(&declared.name.text, name, holder));
    }
}
