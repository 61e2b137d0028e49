//! The tables of a move: what the source has, the target's like it, and the two ways out of a move.
//!
//! The target's table has the same key, indexes, capacity, stream settings, class and tags. Two settings
//! wait until the move is complete: expiry, since both sides would delete items, and protection from
//! deletion, since an aborted move deletes the table. Not carried: keys of encryption, policies,
//! replicas and point-in-time recovery, which belong to an account.

use crate::crew::Options;
use crate::ledger::{Changed, Ledger};
use crate::rows::{Mark, Phase, RunRow};
use crate::run::begin_row;
use crate::world::{At, Place, World};
use keyfold_api::{
    CreateTableInput, DeleteTableInput, DescribeTimeToLiveInput, ErrorKind, IndexDescription,
    KeyType, ListTagsOfResourceInput, Named, ProvisionedThroughput,
    ProvisionedThroughputDescription, SecondaryIndex, StreamSpecification, StreamViewType,
    TableDescription, TableStatus, Tag, TimeToLiveSpecification, TimeToLiveStatus,
    UpdateTableInput, UpdateTimeToLiveInput, WireName, known,
};
use keyfold_client::ClientError;
use keyfold_stream::described;
use keyfold_stream::world::ask;
use keyfold_types::{KeyAttribute, KeyKind, KeySchema};
use std::time::Duration;

/// The most times that a table is asked for until it is as it is to be, and the time between.
const ACTIVE_TRIES: u32 = 1_200;
const ACTIVE_PAUSE: Duration = Duration::from_millis(250);

/// A table of the source.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub table: String,
    /// Its key.
    pub schema: KeySchema,
    /// What DescribeTable says of it.
    pub description: TableDescription,
    /// The attribute after which its items expire, if they do.
    pub expiry: Option<String>,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// What a table's stream is good for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followable {
    /// Its changes can be followed: the ARN of the stream.
    Yes(String),
    /// It has no stream.
    NoStream,
    /// Its stream has no new images.
    NoImages,
}

impl Found {
    /// Whether the table's changes can be followed.
    pub fn followable(&self) -> Followable {
        let stream = self.description.stream_specification.as_ref();
        let is_on = stream.and_then(|stream| stream.stream_enabled) == Some(true);
        let Some(arn) = self
            .description
            .latest_stream_arn
            .as_ref()
            .filter(|_| is_on)
        else {
            return Followable::NoStream;
        };
        match stream.and_then(|stream| known(&stream.stream_view_type)) {
            Some(StreamViewType::NewImage | StreamViewType::NewAndOldImages) => {
                Followable::Yes(arn.clone())
            }
            Some(StreamViewType::KeysOnly | StreamViewType::OldImage) | None => {
                Followable::NoImages
            }
        }
    }

    /// The number of its items, as DescribeTable reports it.
    pub fn items(&self) -> u64 {
        u64::try_from(self.description.item_count.unwrap_or(0)).unwrap_or(0)
    }

    /// The bytes of its items, as DescribeTable reports them.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.description.table_size_bytes.unwrap_or(0)).unwrap_or(0)
    }
}

fn at(world: &dyn World, place: Place) -> At<'_> {
    At { world, place }
}

/// A table of the source, with its settings.
///
/// # Errors
/// `NotFound` when there is none; the backend's otherwise.
pub async fn look(world: &dyn World, table: &str) -> Result<Found, ClientError> {
    let source = at(world, Place::Source);
    let Some(description) = described(&source, table).await? else {
        return Err(ClientError::not_found(format!(
            "the source has no table {table}"
        )));
    };
    let schema = schema_of(&description).ok_or_else(|| {
        ClientError::refused(format!("the table {table} has a key that is not described"))
    })?;
    Ok(Found {
        table: table.to_owned(),
        schema,
        expiry: expiry(world, table).await?,
        tags: tags(world, &description).await?,
        description,
    })
}

fn schema_of(description: &TableDescription) -> Option<KeySchema> {
    let mut schema = KeySchema {
        partition: Vec::new(),
        sort: Vec::new(),
    };
    for element in description.key_schema.as_ref()? {
        let name = element.attribute_name.clone()?;
        let definitions = description.attribute_definitions.as_ref()?.iter();
        let mut of_name =
            definitions.filter(|one| one.attribute_name.as_deref() == Some(name.as_str()));
        let word = known(&of_name.next()?.attribute_type)?.word();
        let kind = KeyKind::from_descriptor(word)?;
        let attribute = KeyAttribute { name, kind };
        match known(&element.key_type)? {
            KeyType::Hash => schema.partition.push(attribute),
            KeyType::Range => schema.sort.push(attribute),
        }
    }
    Some(schema)
}

/// Whether an endpoint does not have an operation, or does not let us use it.
fn is_absent(error: &ClientError) -> bool {
    matches!(
        error.kind(),
        Some(ErrorKind::UnknownOperation | ErrorKind::AccessDenied)
    )
}

async fn expiry(world: &dyn World, table: &str) -> Result<Option<String>, ClientError> {
    let input = DescribeTimeToLiveInput {
        table_name: Some(table.to_owned()),
    };
    let found = match ask(&at(world, Place::Source), input).await {
        Ok(found) => found.time_to_live_description.unwrap_or_default(),
        Err(error) if error.kind() == Some(ErrorKind::UnknownOperation) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(match known(&found.time_to_live_status) {
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => found.attribute_name,
        Some(TimeToLiveStatus::Disabled | TimeToLiveStatus::Disabling) | None => None,
    })
}

async fn tags(world: &dyn World, description: &TableDescription) -> Result<Vec<Tag>, ClientError> {
    let (mut tags, mut next) = (Vec::new(), None);
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: description.table_arn.clone(),
            next_token: next,
        };
        let page = match ask(&at(world, Place::Source), input).await {
            Ok(page) => page,
            Err(error) if is_absent(&error) => return Ok(tags),
            Err(error) => return Err(error),
        };
        // Those of AWS itself are refused from everybody else.
        let own = |tag: &Tag| tag.key.as_ref().is_none_or(|key| !key.starts_with("aws:"));
        tags.extend(page.tags.unwrap_or_default().into_iter().filter(own));
        next = page.next_token;
        if next.is_none() {
            return Ok(tags);
        }
    }
}

/// Switches the stream of a table of the source on, with new and old images, and returns its ARN.
///
/// # Errors
/// The backend's.
pub async fn switch_stream_on(world: &dyn World, table: &str) -> Result<String, ClientError> {
    let source = at(world, Place::Source);
    let input = UpdateTableInput {
        table_name: Some(table.to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..UpdateTableInput::default()
    };
    ask(&source, input).await?;
    let found = active(world, Place::Source, table).await?;
    found.latest_stream_arn.ok_or_else(|| {
        ClientError::refused(format!("the table {table} of the source has no stream"))
    })
}

/// Waits until a table is active.
async fn active(
    world: &dyn World,
    place: Place,
    table: &str,
) -> Result<TableDescription, ClientError> {
    for _ in 0..ACTIVE_TRIES {
        if let Some(found) = described(&at(world, place), table).await?
            && known(&found.table_status) == Some(TableStatus::Active)
        {
            return Ok(found);
        }
        world.pause(ACTIVE_PAUSE).await;
    }
    Err(ClientError::refused(format!(
        "the table {table} of the {} is not active yet: the same command goes on when it is",
        place.word()
    )))
}

/// Begins a move: notes it in the target, and makes the table there. Of a move that was begun, what is
/// missing is made.
///
/// # Errors
/// `Refused` when the target has a table of this name that no move has made; the backend's otherwise.
pub async fn prepare(
    world: &dyn World,
    options: &Options,
    found: &Found,
    stream: Option<String>,
) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let ledger = ledger_of(options);
    ledger.ensure(&target).await?;
    let existing = described(&target, &found.table).await?;
    if ledger.run(&target).await?.is_none() {
        if existing.is_some() {
            return Err(ClientError::refused(format!(
                "the target has a table {} already, which no move has made: nothing was written",
                found.table
            )));
        }
        ledger
            .begin(&target, &begin_row(world, options, stream))
            .await?;
    }
    if existing.is_none() {
        // A run has worked on a table that is gone: what it has copied does not come again.
        if !ledger.checkpoints(&target).await?.is_empty() {
            return Err(ClientError::refused(format!(
                "the table {} that the move has made in the target is gone: abort the move and begin it \
                 again",
                found.table
            )));
        }
        match ask(&target, definition(found)).await {
            Ok(_) => {}
            Err(error) if error.kind() == Some(ErrorKind::ResourceInUse) => {}
            Err(error) => return Err(error),
        }
    }
    active(world, Place::Target, &found.table).await.map(|_| ())
}

fn ledger_of(options: &Options) -> Ledger {
    Ledger {
        rows: options.rows.clone(),
        table: options.table.clone(),
    }
}

/// The definition of the target's table.
fn definition(found: &Found) -> CreateTableInput {
    let table = &found.description;
    let mode = table.billing_mode_summary.as_ref();
    let throughput = table.provisioned_throughput.as_ref().and_then(provisioned);
    let indexes = |all: &Option<Vec<IndexDescription>>, is_global: bool| {
        let all = all.as_ref().filter(|all| !all.is_empty())?;
        Some(all.iter().map(|index| index_of(index, is_global)).collect())
    };
    CreateTableInput {
        attribute_definitions: table.attribute_definitions.clone(),
        table_name: Some(found.table.clone()),
        key_schema: table.key_schema.clone(),
        local_secondary_indexes: indexes(&table.local_secondary_indexes, false),
        global_secondary_indexes: indexes(&table.global_secondary_indexes, true),
        billing_mode: match (mode, &throughput) {
            (Some(mode), _) => mode.billing_mode.clone(),
            (None, Some(_)) => Some(Named::Known(keyfold_api::BillingMode::Provisioned)),
            (None, None) => Some(Named::Known(keyfold_api::BillingMode::PayPerRequest)),
        },
        provisioned_throughput: throughput,
        on_demand_throughput: table.on_demand_throughput.clone(),
        stream_specification: table
            .stream_specification
            .clone()
            .filter(|stream| stream.stream_enabled == Some(true)),
        tags: (!found.tags.is_empty()).then(|| found.tags.clone()),
        table_class: table
            .table_class_summary
            .as_ref()
            .and_then(|summary| summary.table_class.clone()),
        ..CreateTableInput::default()
    }
}

fn index_of(index: &IndexDescription, is_global: bool) -> SecondaryIndex {
    let throughput = index.provisioned_throughput.as_ref();
    SecondaryIndex {
        index_name: index.index_name.clone(),
        key_schema: index.key_schema.clone(),
        projection: index.projection.clone(),
        provisioned_throughput: throughput.filter(|_| is_global).and_then(provisioned),
        on_demand_throughput: index.on_demand_throughput.clone().filter(|_| is_global),
        warm_throughput: None,
    }
}

/// The capacity that is provisioned; `None` on demand, which is described as none.
fn provisioned(described: &ProvisionedThroughputDescription) -> Option<ProvisionedThroughput> {
    let units = |units: Option<i64>| units.filter(|units| *units > 0);
    Some(ProvisionedThroughput {
        read_capacity_units: Some(units(described.read_capacity_units)?),
        write_capacity_units: Some(units(described.write_capacity_units)?),
    })
}

/// A move, as the target knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Its row.
    pub run: RunRow,
    /// The segments that are copied.
    pub segments_done: u32,
}

/// The move of a table; `None` when there is none.
///
/// # Errors
/// The backend's.
pub async fn status(world: &dyn World, options: &Options) -> Result<Option<Status>, ClientError> {
    let target = at(world, Place::Target);
    if described(&target, &options.rows).await?.is_none() {
        return Ok(None);
    }
    let ledger = ledger_of(options);
    let Some(run) = ledger.run(&target).await? else {
        return Ok(None);
    };
    let rows = ledger.checkpoints(&target).await?;
    let done = rows
        .iter()
        .filter(|row| Mark::of(&row.at) == Some(Mark::Done));
    Ok(Some(Status {
        segments_done: u32::try_from(done.count()).unwrap_or(u32::MAX),
        run,
    }))
}

/// Aborts the move of a table: deletes it from the target, with all that the move has noted. A run that
/// is under way stops, and changes nothing any more. The source is as it was.
///
/// # Errors
/// `NotFound` when there is no move; the backend's otherwise. Then the same call goes on.
pub async fn abort(world: &dyn World, options: &Options) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    if take_out(world, options, Phase::Aborting).await? == Phase::Completing {
        return Err(ClientError::refused(format!(
            "the move of {} is being completed: complete it again to end that",
            options.table
        )));
    }
    let input = DeleteTableInput {
        table_name: Some(options.table.clone()),
    };
    match ask(&target, input).await {
        Ok(_) => {}
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {}
        Err(error) => return Err(error),
    }
    wait_gone(world, &options.table).await?;
    end(world, options).await
}

/// Takes the move from its run for good, when it may go to a phase, and returns the phase before. Without
/// its checkpoints a run writes nothing, and it makes none, since its fence is another.
async fn take_out(world: &dyn World, options: &Options, to: Phase) -> Result<Phase, ClientError> {
    let target = at(world, Place::Target);
    let ledger = ledger_of(options);
    loop {
        let Some(status) = status(world, options).await? else {
            return Err(no_move(&options.table));
        };
        let before = status.run.phase;
        let may_go = match (before, to) {
            (Phase::Copying | Phase::Following | Phase::Aborting, Phase::Aborting) => true,
            (Phase::Following | Phase::Completing, Phase::Completing) => true,
            (
                Phase::Copying | Phase::Following | Phase::Aborting | Phase::Completing,
                Phase::Copying | Phase::Following | Phase::Aborting | Phase::Completing,
            ) => false,
        };
        if !may_go {
            return Ok(before);
        }
        let Some(mine) = ledger.take(&target, &status.run).await? else {
            continue;
        };
        let now = (mine.fence, mine.seen_ms);
        if ledger.note(&target, now, to).await? == Changed::Yes {
            ledger.forget_checkpoints(&target).await?;
            return Ok(before);
        }
    }
}

async fn wait_gone(world: &dyn World, table: &str) -> Result<(), ClientError> {
    for _ in 0..ACTIVE_TRIES {
        if described(&at(world, Place::Target), table).await?.is_none() {
            return Ok(());
        }
        world.pause(ACTIVE_PAUSE).await;
    }
    Err(ClientError::refused(format!(
        "the table {table} of the target is not deleted yet: the same command goes on"
    )))
}

fn no_move(table: &str) -> ClientError {
    ClientError::not_found(format!("the target knows of no move of the table {table}"))
}

/// Completes the move of a table: the target's table gets the settings that waited, and what the move
/// has noted is deleted.
///
/// # Errors
/// `NotFound` when there is no move; `Refused` when the table is not copied; the backend's otherwise.
/// Then the same call goes on.
pub async fn complete(
    world: &dyn World,
    options: &Options,
    found: &Found,
) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let refused = |why: &str| {
        let why = format!("the move of {} cannot be completed: {why}", options.table);
        Err(ClientError::refused(why))
    };
    match take_out(world, options, Phase::Completing).await? {
        Phase::Copying => return refused("its table is not copied yet"),
        Phase::Aborting => return refused("it is being aborted; abort it again to end that"),
        Phase::Following | Phase::Completing => {}
    }
    if let Some(attribute) = &found.expiry {
        let input = UpdateTimeToLiveInput {
            table_name: Some(options.table.clone()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(attribute.clone()),
            }),
        };
        match ask(&target, input).await {
            Ok(_) => {}
            // It is on: an earlier call came to this.
            Err(error) if error.kind() == Some(ErrorKind::Validation) => {}
            Err(error) => return Err(error),
        }
    }
    if found.description.deletion_protection_enabled == Some(true) {
        let input = UpdateTableInput {
            table_name: Some(options.table.clone()),
            deletion_protection_enabled: Some(true),
            ..UpdateTableInput::default()
        };
        ask(&target, input).await?;
        active(world, Place::Target, &options.table).await?;
    }
    end(world, options).await
}

/// Deletes the rows of a move, and their table when it has no others.
async fn end(world: &dyn World, options: &Options) -> Result<(), ClientError> {
    let target = at(world, Place::Target);
    let ledger = ledger_of(options);
    ledger.forget(&target).await?;
    if ledger.all(&target, "").await?.is_empty() {
        let input = DeleteTableInput {
            table_name: Some(options.rows.clone()),
        };
        match ask(&target, input).await {
            Ok(_) => {}
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
