//! StreamSpecification: opening and closing the stream of a table.

use crate::base::error::internal;
use crate::catalog;
use crate::check::Constraints;
use crate::core::Core;
use crate::ops::definition::wrong;
use crate::table::shard::{self, ALL_HASHES, Shard};
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
        shards: Vec::new(),
    };
    let stream = with_first_shards(core, batch, stream);
    catalog::put_stream(batch, &stream);
    table.settings.latest_stream = Some(label.clone());
    table.settings.stream = Some(ActiveStream {
        id,
        label,
        view,
        shards: stream.open_shards(),
    });
    Ok(stream)
}

/// The new stream with the shards that it begins with. The first has the stream's own id.
fn with_first_shards(core: &Core, batch: &mut Batch, mut stream: Stream) -> Stream {
    let number = u64::from(core.options().shards.open_min);
    for (at, hashes) in shard::parts(ALL_HASHES, number).into_iter().enumerate() {
        let id = match at {
            0 => stream.id,
            _ => core.catalog().take_id(batch),
        };
        stream.shards.push(Shard {
            id,
            creation_epoch_ms: stream.creation_epoch_ms,
            first_sequence: stream.first_sequence,
            hashes,
            parent: None,
            closed: None,
        });
    }
    stream
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
    let closing = Some((core.now_ms(), end));
    let streams = core.catalog().streams();
    let closed = streams
        .get(&(table.name.clone(), active.label))
        .map(|stream| {
            let mut stream = Stream::clone(stream);
            stream.closed = closing;
            let open = stream
                .shards
                .iter_mut()
                .filter(|shard| shard.closed.is_none());
            open.for_each(|shard| shard.closed = closing);
            stream
        });
    closed
        .iter()
        .for_each(|stream| catalog::put_stream(batch, stream));
    Ok(closed)
}
