//! StreamSpecification: opening and closing the stream of a table.

use crate::base::error::internal;
use crate::catalog;
use crate::check::Constraints;
use crate::core::Core;
use crate::ops::definition::wrong;
use crate::table::stream::{self, Stream};
use crate::table::{ActiveStream, Table};
use keyfold_api::{ApiError, StreamSpecification, StreamViewType, known};
use keyfold_store::Batch;

/// Constrains the members of a StreamSpecification.
pub(crate) fn constrain(constraints: &mut Constraints, given: Option<&StreamSpecification>) {
    if let Some(given) = given {
        constraints.required("streamSpecification.streamEnabled", &given.stream_enabled);
        constraints.word(
            "streamSpecification.streamViewType",
            &given.stream_view_type,
        );
    }
}

/// The stream that a request asks for: no change, none, or one with a view.
pub(crate) fn wanted(
    given: Option<&StreamSpecification>,
) -> Result<Option<Option<StreamViewType>>, ApiError> {
    let Some(given) = given else { return Ok(None) };
    match (
        given.stream_enabled == Some(true),
        known(&given.stream_view_type),
    ) {
        (true, Some(view)) => Ok(Some(Some(view))),
        (false, None) => Ok(Some(None)),
        (true, None) => wrong("If stream is being enabled then UpdateViewType is required"),
        (false, Some(_)) => {
            wrong("If stream is being disabled, then UpdateViewType must not be specified")
        }
    }
}

/// Opens a stream. The caller holds the catalog's lock, stores the table in the same batch, and adds
/// the stream to the catalog when the batch is staged.
pub(crate) fn open(
    core: &Core,
    batch: &mut Batch,
    table: &mut Table,
    view: StreamViewType,
) -> Result<Stream, ApiError> {
    let id = core.catalog().take_id(batch);
    let mut epoch_ms = core.now_ms();
    let streams = core.catalog().streams();
    // Two streams within a millisecond have different labels.
    while streams.contains_key(&(table.name.clone(), stream::label(epoch_ms))) {
        epoch_ms += 1;
    }
    let label = stream::label(epoch_ms);
    let stream = Stream {
        id,
        table_name: table.name.clone(),
        label: label.clone(),
        view,
        creation_epoch_ms: epoch_ms,
        key: table.key.clone(),
        first_sequence: core.store().sequence().map_err(internal)?,
        closed: None,
    };
    catalog::put_stream(batch, &stream);
    table.settings.latest_stream = Some(label.clone());
    table.settings.stream = Some(ActiveStream { id, label, view });
    Ok(stream)
}

/// Closes a table's stream, which stays readable for a day. The caller holds the catalog's lock, so
/// that no item changes meanwhile, and replaces the stream in the catalog when the batch is staged.
pub(crate) fn close(
    core: &Core,
    batch: &mut Batch,
    table: &mut Table,
) -> Result<Option<Stream>, ApiError> {
    let Some(active) = table.settings.stream.take() else {
        return Ok(None);
    };
    let end = core.store().staged_sequence().map_err(internal)?;
    let streams = core.catalog().streams();
    let closed = streams
        .get(&(table.name.clone(), active.label))
        .map(|stream| Stream {
            closed: Some((core.now_ms(), end)),
            ..Stream::clone(stream)
        });
    closed
        .iter()
        .for_each(|stream| catalog::put_stream(batch, stream));
    Ok(closed)
}
