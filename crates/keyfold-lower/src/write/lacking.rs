//! Items that lack what the model requires, since another program wrote them: a write by a path
//! says so in a sentence that names item and attribute.

use super::context::Context;
use super::refusal::key_text;
use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_model::schema::{Assignment, Path};
use keyfold_model::{Action, Entity};
use keyfold_types::{Item, Value};

/// An update that the engine evaluates on an item which is not read before.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) table: String,
    pub(super) key: Item,
    /// The item, for people: `the Order with orderId = 7`.
    item: String,
    /// The paths that it changes or removes.
    changed: Vec<Path>,
    /// The paths whose values it takes. An operand that is a missing list or set counts as empty.
    taken: Vec<Path>,
}

impl Unread {
    /// The update of an action on the item with this key; `values` hold the attributes that identify
    /// it.
    pub(super) fn of(
        (entity, action): (&Entity, &Action),
        values: &Values,
        (table, key): (&str, &Item),
    ) -> Unread {
        let set = action.assignments.iter();
        let is_source = |one: &Assignment, path: &Path| {
            let kind = entity.at(path).map(|(kind, _)| kind);
            one.right.is_none() || kind.is_some_and(keyfold_model::Type::is_number)
        };
        let taken = set.clone().flat_map(|one| {
            let taken = one.sources().filter(|path| is_source(one, path));
            taken.cloned().collect::<Vec<_>>()
        });
        Unread {
            table: table.to_owned(),
            key: key.clone(),
            item: item_text(entity, values),
            changed: set
                .map(Assignment::path)
                .chain(action.removed.iter().cloned())
                .collect(),
            taken: taken.collect(),
        }
    }

    /// The refusal of the update, where the item as it is stored lacks what it needs.
    fn refusal(&self, stored: &Item) -> Option<ClientError> {
        let values: Values = stored
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut changed = self.changed.iter();
        let without_place = changed.find_map(|path| no_place(&self.item, path, &values));
        without_place.or_else(|| {
            let mut taken = self.taken.iter();
            let missing = taken.find(|path| path.value_in(&values).is_none())?;
            Some(lacks(&self.item, missing))
        })
    }
}

/// The error of a request, or the sentence about an item of it that lacks what an update needs. The
/// service finds such an update invalid, and does not say which attribute is missing.
pub(super) async fn explained(
    context: &Context<'_>,
    error: ClientError,
    unread: &[Unread],
) -> ClientError {
    let is_invalid = error.kind() == Some(ErrorKind::Validation)
        || matches!(&error, ClientError::Service { reasons, .. }
            if reasons.iter().any(|(code, _)| *code == ReasonCode::ValidationError));
    for one in unread.iter().filter(|_| is_invalid) {
        let found = context.get(&one.table, &one.key).await;
        if let Some(refusal) = found.ok().flatten().and_then(|item| one.refusal(&item)) {
            return refusal;
        }
    }
    error
}

/// The refusal of a write that takes the value of a path which an item lacks.
pub(super) fn lacks(item: &str, path: &Path) -> ClientError {
    ClientError::refused(format!(
        "{item} has no `{path}`, which the model requires; `keyfold verify` finds such items"
    ))
}

/// The refusal of a change of a field whose record or map an item lacks; `None` where it is there.
pub(super) fn no_place(item: &str, path: &Path, values: &Values) -> Option<ClientError> {
    let place = path.place()?;
    let wrong = place
        .steps()
        .find(|one| !matches!(one.value_in(values), Some(Value::M(_))))?;
    let what = match wrong.value_in(values) {
        None => format!("{item} has no `{wrong}`"),
        Some(_) => format!("`{wrong}` of {item} has no fields"),
    };
    Some(ClientError::refused(format!(
        "{what}, in which `{path}` lies; `keyfold verify` finds such items"
    )))
}

/// The item, for people: `the Order with orderId = 7`.
pub(super) fn item_text(entity: &Entity, values: &Values) -> String {
    match key_text(entity, values).as_str() {
        "" => format!("the {}", entity.name),
        key => format!("the {} with {key}", entity.name),
    }
}
