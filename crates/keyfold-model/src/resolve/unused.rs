//! Parameters that no action of a write uses.

use super::source::parameter_of;
use crate::check::used;
use crate::diagnostic::Diagnostic;
use crate::schema::{Action, Condition, Entity, Model, Source, Type, Verb, WriteParameter};
use crate::syntax::ast::{ActionDecl, WriteDecl};

/// Reports each declared parameter that no action uses, and each field of the records of a list.
/// `own` are the attributes that an action takes from parameters, and those from its records.
pub(super) fn check(
    (declared, resolved): (&WriteDecl, &[WriteParameter]),
    actions: &[Action],
    model: &Model,
    own: impl Fn(&ActionDecl, &Entity) -> (Vec<String>, Vec<String>),
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (mut known, mut lists) = (Vec::new(), Vec::new());
    for (declared, action) in declared.actions.iter().zip(actions) {
        if let Some(entity) = model.entities.get(action.entity) {
            let (own, fields) = own(declared, entity);
            let own = own.iter().map(|name| parameter_of(declared, name));
            known.extend(own.chain(fields));
        }
        let assigned = action.assignments.iter().chain(&action.otherwise);
        known.extend(assigned.flat_map(|one| one.parameters().cloned()));
        let compared = action.conditions.iter().flat_map(Condition::parameters);
        known.extend(compared.map(str::to_owned));
        known.extend(action.taken.iter().filter_map(|one| match &one.source {
            Source::Parameter(name) => Some(name.clone()),
            Source::Literal(_) | Source::Attribute { .. } => None,
        }));
        lists.extend(action.each.as_ref());
    }
    let parameters = declared.parameters.iter().map(|one| &one.name);
    for name in parameters.filter(|name| !known.contains(&name.text)) {
        if lists.contains(&&name.text) {
            let parameter = resolved.iter().find(|one| one.name == name.text);
            let unused = parameter.map_or_else(Vec::new, |one| unused_fields(&one.kind, &known));
            if !unused.is_empty() {
                diagnostics.push(used::report_fields(&declared.name.text, name, &unused));
            }
            continue;
        }
        let mut stored = actions.iter().filter(|one| one.verb != Verb::Create);
        let holder = stored.find_map(|action| {
            let entity = model.entities.get(action.entity)?;
            entity.attribute(&name.text).map(|_| entity.name.as_str())
        });
        diagnostics.push(used::report(&declared.name.text, name, holder));
    }
}

/// The fields of the records of a list that are not among these names.
fn unused_fields<'k>(kind: &'k Type, known: &[String]) -> Vec<&'k str> {
    let Type::List(of) = kind else {
        return Vec::new();
    };
    let Type::Record(record) = &**of else {
        return Vec::new();
    };
    let fields = record.fields.iter().map(|(name, ..)| name);
    let unused = fields.filter(|name| !known.contains(name));
    unused.map(String::as_str).collect()
}
