//! Runs patterns on a backend: the steps are those of [`keyfold_lower::read`].

use crate::backend::Backend;
use crate::drive::{drive, origin};
use keyfold_lower::arguments::Values;
use keyfold_lower::read as lower;
pub use keyfold_lower::read::{Asked, Found, FoundItem, Many, Page, PageRequest, Pages, kind_name};
use keyfold_lower::{ClientError, OnUnknown};
use keyfold_model::{Entity, Model, Pattern};

/// Runs a pattern and returns one page.
///
/// # Errors
/// `NotFound` when a required item does not exist; `Value` for arguments that no key can contain;
/// `Unknown` for a cursor of another pattern; the backend's error otherwise.
pub fn page(
    backend: &Backend,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    page: &PageRequest,
) -> Result<Page, ClientError> {
    drive(
        backend,
        lower::page(origin(), model, pattern, arguments, page),
    )
}

/// Runs a pattern from `start` and returns one page, or all pages together.
///
/// # Errors
/// Those of [`page`].
pub fn run(
    backend: &Backend,
    model: &Model,
    pattern: &Pattern,
    arguments: &Values,
    start: &PageRequest,
    pages: Pages,
) -> Result<Found, ClientError> {
    drive(
        backend,
        lower::run(origin(), model, pattern, arguments, (start, pages)),
    )
}

/// Reads entities by the attributes that identify them, 100 in a request, in the order of the keys.
///
/// # Errors
/// `Invalid` for an entity that is stored as several items; `Value` and `Missing` when a key cannot be
/// made.
pub fn many(
    backend: &Backend,
    model: &Model,
    entity: &Entity,
    keys: &[Values],
    strong: bool,
) -> Result<Many, ClientError> {
    let how = (strong, OnUnknown::Error);
    drive(backend, lower::many(origin(), model, entity, keys, how))
}
