//! The tables of a move: what the source has, and the target's like it.
//!
//! The target's table has the same key, indexes, capacity, stream settings, class and tags. Two settings
//! wait until the move is complete: expiry, since both sides would delete items, and protection from
//! deletion, since an aborted move deletes the table. Not carried: keys of encryption, policies,
//! replicas and point-in-time recovery, which belong to an account.

use crate::rows::RunRow;
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
pub use keyfold_stream::identity;
use keyfold_stream::world::ask;
use keyfold_types::{KeyAttribute, KeyKind, KeySchema};
use std::time::Duration;

/// The most times that a table is asked for until it is as it is to be, and the time between.
pub(crate) const ACTIVE_TRIES: u32 = 1_200;
pub(crate) const ACTIVE_PAUSE: Duration = Duration::from_millis(250);

/// The most tags of a table.
const TAGS_MAX: usize = 50;

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
        followable(&self.description)
    }

    /// The number of its items, as DescribeTable reports it.
    pub fn items(&self) -> u64 {
        u64::try_from(self.description.item_count.unwrap_or(0)).unwrap_or(0)
    }

    /// The bytes of its items, as DescribeTable reports them.
    pub fn bytes(&self) -> u64 {
        u64::try_from(self.description.table_size_bytes.unwrap_or(0)).unwrap_or(0)
    }

    /// What distinguishes the table from another one of its name.
    pub fn identity(&self) -> String {
        identity(&self.description)
    }
}

/// Whether the changes of a table can be followed.
pub(crate) fn followable(table: &TableDescription) -> Followable {
    let stream = table.stream_specification.as_ref();
    let is_on = stream.and_then(|stream| stream.stream_enabled) == Some(true);
    let Some(arn) = table.latest_stream_arn.as_ref().filter(|_| is_on) else {
        return Followable::NoStream;
    };
    match stream.and_then(|stream| known(&stream.stream_view_type)) {
        Some(StreamViewType::NewImage | StreamViewType::NewAndOldImages) => {
            Followable::Yes(arn.clone())
        }
        Some(StreamViewType::KeysOnly | StreamViewType::OldImage) | None => Followable::NoImages,
    }
}

/// Whether the table that a move has made is in the target; true before it is made.
///
/// # Errors
/// The backend's.
pub async fn is_made(world: &dyn World, table: &str, run: &RunRow) -> Result<bool, ClientError> {
    let Some(made) = &run.target else {
        return Ok(true);
    };
    let found = described(&at(world, Place::Target), table).await?;
    Ok(found.is_some_and(|found| identity(&found) == *made))
}

/// Deletes a table. Returns whether it was there.
///
/// # Errors
/// The backend's.
pub(crate) async fn delete(io: &At<'_>, table: &str) -> Result<bool, ClientError> {
    let input = DeleteTableInput {
        table_name: Some(table.to_owned()),
    };
    match ask(io, input).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A place of a world.
pub(crate) fn at(world: &dyn World, place: Place) -> At<'_> {
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
        expiry: expiry(&source, table).await?,
        tags: tags(&source, &description).await?,
        description,
    })
}

pub(crate) fn schema_of(description: &TableDescription) -> Option<KeySchema> {
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
pub(crate) fn is_absent(error: &ClientError) -> bool {
    matches!(
        error.kind(),
        Some(ErrorKind::UnknownOperation | ErrorKind::AccessDenied)
    )
}

/// The attribute after which the items of a table expire.
pub(crate) async fn expiry(io: &At<'_>, table: &str) -> Result<Option<String>, ClientError> {
    let input = DescribeTimeToLiveInput {
        table_name: Some(table.to_owned()),
    };
    let found = match ask(io, input).await {
        Ok(found) => found.time_to_live_description.unwrap_or_default(),
        Err(error) if error.kind() == Some(ErrorKind::UnknownOperation) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(match known(&found.time_to_live_status) {
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling) => found.attribute_name,
        Some(TimeToLiveStatus::Disabled | TimeToLiveStatus::Disabling) | None => None,
    })
}

/// Lets the items of the target's table expire as those of the source's do.
///
/// # Errors
/// The backend's.
pub(crate) async fn set_expiry(target: &At<'_>, found: &Found) -> Result<(), ClientError> {
    let set = expiry(target, &found.table).await?;
    let wanted = found.expiry.as_ref();
    let Some(attribute) = wanted.filter(|one| set.as_ref() != Some(*one)) else {
        return Ok(());
    };
    let input = UpdateTimeToLiveInput {
        table_name: Some(found.table.clone()),
        time_to_live_specification: Some(TimeToLiveSpecification {
            enabled: Some(true),
            attribute_name: Some(attribute.clone()),
        }),
    };
    ask(target, input).await.map(drop)
}

/// The tags of a table; none where the endpoint has none, or does not show them.
pub(crate) async fn tags(
    io: &At<'_>,
    description: &TableDescription,
) -> Result<Vec<Tag>, ClientError> {
    let (mut tags, mut next) = (Vec::new(), None);
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: description.table_arn.clone(),
            next_token: next,
        };
        let page = match ask(io, input).await {
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

/// What is said where a place switches no stream on.
#[derive(Debug, Clone, Copy)]
pub struct Streamless<'s> {
    /// What the place is to the command: `the source`.
    pub place: &'s str,
    /// What helps there: a part of a sentence.
    pub advice: &'s str,
}

/// Switches the stream of a table of the source on, with new and old images, and returns its ARN.
///
/// # Errors
/// The backend's; `Refused`, as it is to be said, where the place switches none on.
pub async fn switch_stream_on(
    world: &dyn World,
    table: &str,
    otherwise: Streamless<'_>,
) -> Result<String, ClientError> {
    let source = at(world, Place::Source);
    let input = UpdateTableInput {
        table_name: Some(table.to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..UpdateTableInput::default()
    };
    match ask(&source, input).await {
        Err(ClientError::Service {
            kind: Some(ErrorKind::Validation),
            message,
            ..
        }) => return Err(no_stream(table, &format!(" ({message})"), otherwise)),
        answer => answer.map(drop)?,
    }
    let found = active(world, Place::Source, table).await?;
    found
        .latest_stream_arn
        .ok_or_else(|| no_stream(table, "", otherwise))
}

fn no_stream(table: &str, why: &str, Streamless { place, advice }: Streamless<'_>) -> ClientError {
    ClientError::refused(format!(
        "{place} switches no stream of the table {table} on{why}: {advice}"
    ))
}

/// Waits until a table is active.
///
/// # Errors
/// The backend's; `Refused` when it is not for long.
pub(crate) async fn active(
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

/// The definition of the target's table, with the tag of the move that makes it.
pub(crate) fn definition(found: &Found, made_by: Tag) -> CreateTableInput {
    let table = &found.description;
    let mode = table.billing_mode_summary.as_ref();
    let throughput = table.provisioned_throughput.as_ref().and_then(provisioned);
    // The source may have been made by a move itself, whose tag is not of this one.
    let own = found.tags.iter().filter(|tag| tag.key != made_by.key);
    let mut tags: Vec<Tag> = own.cloned().collect();
    if tags.len() < TAGS_MAX {
        tags.push(made_by);
    }
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
        tags: (!tags.is_empty()).then_some(tags),
        table_class: table
            .table_class_summary
            .as_ref()
            .and_then(|summary| summary.table_class.clone()),
        ..CreateTableInput::default()
    }
}

pub(crate) fn index_of(index: &IndexDescription, is_global: bool) -> SecondaryIndex {
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
