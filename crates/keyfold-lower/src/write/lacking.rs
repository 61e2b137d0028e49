//! The sentences about items that lack what the model requires: another program wrote them.

use super::refusal::key_text;
use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_model::Entity;
use keyfold_model::schema::Path;
use keyfold_types::Value;

/// The refusal of a write that takes the value of a path which an item lacks.
pub(super) fn lacks(entity: &Entity, values: &Values, path: &Path) -> ClientError {
    let item = item_text(entity, values);
    ClientError::Refused(format!(
        "{item} has no `{path}`, which the model requires; `keyfold verify` finds such items"
    ))
}

/// The refusal of a change of a field whose record or map an item lacks; `None` where it is there.
pub(super) fn no_place(entity: &Entity, path: &Path, values: &Values) -> Option<ClientError> {
    let place = path.place()?;
    let wrong = place
        .steps()
        .find(|one| !matches!(one.value_in(values), Some(Value::M(_))))?;
    let item = item_text(entity, values);
    let what = match wrong.value_in(values) {
        None => format!("{item} has no `{wrong}`"),
        Some(_) => format!("`{wrong}` of {item} has no fields"),
    };
    Some(ClientError::Refused(format!(
        "{what}, in which `{path}` lies; `keyfold verify` finds such items"
    )))
}

/// The item, for people: `the Order with orderId = 7`.
fn item_text(entity: &Entity, values: &Values) -> String {
    match key_text(entity, values).as_str() {
        "" => format!("the {}", entity.name),
        key => format!("the {} with {key}", entity.name),
    }
}
