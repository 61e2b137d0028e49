//! The settings of a table besides its keys: made with the table or right after it, and compared
//! with those of an existing table.
//!
//! A setting that the model does not declare is not compared. Capacity is not compared at all: it is
//! tuned while a table works.

use crate::difference::{Declared, Difference};
use crate::error::{ClientError, unexpected};
use crate::lowering::Io;
use crate::retry::HALF_A_SECOND;
use keyfold_api::{
    BillingMode, CreateTableInput, DescribeContinuousBackupsInput, DescribeTimeToLiveInput,
    ListTagsOfResourceInput, Named, PointInTimeRecoverySpecification, PointInTimeRecoveryStatus,
    ProvisionedThroughput, Request, Response, StreamSpecification, StreamViewType, TableClass,
    TableDescription, Tag, TagResourceInput, TimeToLiveSpecification, TimeToLiveStatus,
    UpdateContinuousBackupsInput, UpdateTableInput, UpdateTimeToLiveInput, WireName, known,
};
use keyfold_model::Table;
use keyfold_model::schema::{self, Capacity, Settings, StreamView};
use std::collections::BTreeMap;

/// The most times that the backups of a new table are switched on, each half a second after the other,
/// until they are ready.
const BACKUPS_TRIES: u32 = 240;

/// The billing mode and the units of a capacity. Units that scale start at their least.
pub(crate) fn throughput(capacity: Capacity) -> (BillingMode, Option<ProvisionedThroughput>) {
    match capacity {
        Capacity::OnDemand => (BillingMode::PayPerRequest, None),
        Capacity::Provisioned {
            reads,
            writes,
            // The export has it: it is a policy beside the table.
            target: _,
        } => {
            let units = |units: u64| Some(i64::try_from(units).unwrap_or(i64::MAX));
            let throughput = ProvisionedThroughput {
                read_capacity_units: units(reads.least),
                write_capacity_units: units(writes.least),
            };
            (BillingMode::Provisioned, Some(throughput))
        }
    }
}

fn view_type(view: StreamView) -> StreamViewType {
    match view {
        StreamView::NewAndOld => StreamViewType::NewAndOldImages,
        StreamView::New => StreamViewType::NewImage,
        StreamView::Old => StreamViewType::OldImage,
        StreamView::Keys => StreamViewType::KeysOnly,
    }
}

fn class(class: schema::TableClass) -> TableClass {
    match class {
        schema::TableClass::Standard => TableClass::Standard,
        schema::TableClass::InfrequentAccess => TableClass::StandardInfrequentAccess,
    }
}

/// Adds the settings that CreateTable takes.
pub(crate) fn add(settings: &Settings, input: &mut CreateTableInput) {
    let Settings {
        stream,
        // `settle` switches it on.
        recovery: _,
        deletion_protection,
        class: table_class,
        tags,
    } = settings;
    input.stream_specification = stream.map(|view| StreamSpecification {
        stream_enabled: Some(true),
        stream_view_type: Some(view_type(view).into()),
    });
    input.deletion_protection_enabled = deletion_protection.then_some(true);
    input.table_class = table_class.map(|one| Named::Known(class(one)));
    input.tags = (!tags.is_empty()).then(|| tags.iter().map(tag).collect());
}

/// Requests that switch on what the model declares and an existing table lacks, each for one setting. A stream with
/// other images is left as it is.
pub(crate) fn updates(
    settings: &Settings,
    name: &str,
    existing: &TableDescription,
) -> Vec<UpdateTableInput> {
    let Settings {
        stream,
        // `settle` switches it on.
        recovery: _,
        deletion_protection,
        class: table_class,
        // They are no part of UpdateTable.
        tags: _,
    } = settings;
    let update = || UpdateTableInput {
        table_name: Some(name.to_owned()),
        ..UpdateTableInput::default()
    };
    let mut all = Vec::new();
    let view = stream.filter(|_| images(existing).is_none());
    all.extend(view.map(|view| UpdateTableInput {
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(view_type(view).into()),
        }),
        ..update()
    }));
    if *deletion_protection && existing.deletion_protection_enabled != Some(true) {
        all.push(UpdateTableInput {
            deletion_protection_enabled: Some(true),
            ..update()
        });
    }
    let other = table_class
        .map(class)
        .filter(|one| *one != class_of(existing));
    all.extend(other.map(|wanted| UpdateTableInput {
        table_class: Some(Named::Known(wanted)),
        ..update()
    }));
    all
}

/// A request that adds the declared tags that an existing table lacks, or has with other values.
pub(crate) async fn missing_tags(
    io: &Io,
    settings: &Settings,
    existing: &TableDescription,
) -> Result<Option<TagResourceInput>, ClientError> {
    if settings.tags.is_empty() {
        return Ok(None);
    }
    let actual = tags(io, existing).await?;
    let is_missing = |(key, value): &&(String, String)| actual.get(key) != Some(value);
    let missing = settings.tags.iter().filter(is_missing).map(tag);
    let missing: Vec<Tag> = missing.collect();
    Ok((!missing.is_empty()).then(|| TagResourceInput {
        resource_arn: existing.table_arn.clone(),
        tags: Some(missing),
    }))
}

fn tag((key, value): &(String, String)) -> Tag {
    Tag {
        key: Some(key.clone()),
        value: Some(value.clone()),
    }
}

/// The images in the records of a table's stream; `None` where it is off.
fn images(existing: &TableDescription) -> Option<StreamViewType> {
    let setting = existing.stream_specification.as_ref();
    let on = setting.filter(|setting| setting.stream_enabled == Some(true));
    on.and_then(|setting| known(&setting.stream_view_type))
}

/// The class of a table. The service leaves the usual one out.
fn class_of(existing: &TableDescription) -> TableClass {
    let summary = existing.table_class_summary.as_ref();
    let actual = summary.and_then(|summary| known(&summary.table_class));
    actual.unwrap_or(TableClass::Standard)
}

/// Switches on what CreateTable does not take: expiry and point-in-time recovery. A setting that is
/// on already stays as it is.
pub(crate) async fn settle(io: &Io, table: &Table, name: &str) -> Result<(), ClientError> {
    if let Some(attribute) = &table.ttl_attribute {
        let input = UpdateTimeToLiveInput {
            table_name: Some(name.to_owned()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(attribute.clone()),
            }),
        };
        switch_on(io, &input.into(), (name, Late::Expiry(attribute))).await?;
    }
    if table.settings.recovery {
        let input = UpdateContinuousBackupsInput {
            table_name: Some(name.to_owned()),
            point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
                point_in_time_recovery_enabled: Some(true),
                ..PointInTimeRecoverySpecification::default()
            }),
        };
        switch_on(io, &input.into(), (name, Late::Recovery)).await?;
    }
    Ok(())
}

/// A setting that CreateTable does not take.
enum Late<'s> {
    /// Items expire by this attribute.
    Expiry(&'s String),
    Recovery,
}

impl Late<'_> {
    async fn is_on(&self, io: &Io, name: &str) -> Result<bool, ClientError> {
        match self {
            Late::Expiry(attribute) => Ok(expiry(io, name).await?.as_ref() == Some(attribute)),
            Late::Recovery => has_recovery(io, name).await,
        }
    }
}

/// Sends a request unless its setting is on. After an error the setting shows whether another
/// writer was faster, or the answer was lost. Backups of a new table may not be ready yet.
async fn switch_on(
    io: &Io,
    request: &Request,
    (name, setting): (&str, Late<'_>),
) -> Result<(), ClientError> {
    let mut tried = 0;
    while !setting.is_on(io, name).await? {
        let Err(error) = io.ask(request.clone()).await else {
            return Ok(());
        };
        tried += 1;
        if is_early(&error) && tried < BACKUPS_TRIES {
            io.pause(HALF_A_SECOND).await;
        } else if setting.is_on(io, name).await? {
            return Ok(());
        } else {
            return Err(error);
        }
    }
    Ok(())
}

/// Whether an error says that the backups of a new table are not ready yet. Our own engine's are
/// ready at once.
fn is_early(error: &ClientError) -> bool {
    matches!(
        error,
        ClientError::Service { exception, .. }
            if exception == "ContinuousBackupsUnavailableException"
    )
}

/// The attribute by which a table's items expire; `None` if they do not.
async fn expiry(io: &Io, name: &str) -> Result<Option<String>, ClientError> {
    let input = DescribeTimeToLiveInput {
        table_name: Some(name.to_owned()),
    };
    let Response::DescribeTimeToLive(output) = io.ask(input.into()).await? else {
        return Err(unexpected());
    };
    let setting = output.time_to_live_description.unwrap_or_default();
    let is_on = match known(&setting.time_to_live_status) {
        Some(TimeToLiveStatus::Enabling | TimeToLiveStatus::Enabled) => true,
        Some(TimeToLiveStatus::Disabling | TimeToLiveStatus::Disabled) | None => false,
    };
    Ok(setting.attribute_name.filter(|_| is_on))
}

async fn has_recovery(io: &Io, name: &str) -> Result<bool, ClientError> {
    let input = DescribeContinuousBackupsInput {
        table_name: Some(name.to_owned()),
    };
    let Response::DescribeContinuousBackups(output) = io.ask(input.into()).await? else {
        return Err(unexpected());
    };
    let status = output
        .continuous_backups_description
        .and_then(|backups| backups.point_in_time_recovery_description)
        .and_then(|recovery| known(&recovery.point_in_time_recovery_status));
    Ok(status == Some(PointInTimeRecoveryStatus::Enabled))
}

/// All tags of a table.
async fn tags(
    io: &Io,
    existing: &TableDescription,
) -> Result<BTreeMap<String, String>, ClientError> {
    let (mut all, mut next) = (BTreeMap::new(), None);
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: existing.table_arn.clone(),
            next_token: next.take(),
        };
        let Response::ListTagsOfResource(output) = io.ask(input.into()).await? else {
            return Err(unexpected());
        };
        let page = output.tags.into_iter().flatten();
        all.extend(page.map(|tag| (tag.key.unwrap_or_default(), tag.value.unwrap_or_default())));
        next = output.next_token;
        if next.is_none() {
            return Ok(all);
        }
    }
}

/// The differences between the declared settings and those of an existing table.
///
/// # Errors
/// The backend's error.
pub(crate) async fn differences(
    io: &Io,
    table: &Table,
    name: &str,
    existing: &TableDescription,
) -> Result<Vec<Difference>, ClientError> {
    let Settings {
        stream,
        recovery,
        deletion_protection,
        class: table_class,
        tags: wanted_tags,
    } = &table.settings;
    let mut found = Vec::new();
    let mut compare =
        |declared: Declared, subject: &str, (wanted, actual): (&str, Option<&str>)| {
            if actual != Some(wanted) {
                let actual = actual.unwrap_or("none");
                let text = format!("{subject}: the model says {wanted}, the table has {actual}");
                found.push(Difference { declared, text });
            }
        };
    let line = |word: &'static str| Declared::Setting(word, String::new());
    if let Some(wanted) = &table.ttl_attribute {
        let actual = expiry(io, name).await?;
        compare(Declared::Table, "ttl", (wanted, actual.as_deref()));
    }
    if let Some(view) = stream {
        let compared = (
            view_type(*view).word(),
            images(existing).map(WireName::word),
        );
        compare(line("stream"), "stream", compared);
    }
    if *recovery && !has_recovery(io, name).await? {
        let off = ("on", Some("it off"));
        compare(line("point"), "point in time recovery", off);
    }
    if *deletion_protection && existing.deletion_protection_enabled != Some(true) {
        let off = ("on", Some("it off"));
        compare(line("deletion"), "deletion protection", off);
    }
    if let Some(wanted) = table_class {
        let compared = (class(*wanted).word(), Some(class_of(existing).word()));
        compare(line("class"), "class", compared);
    }
    if !wanted_tags.is_empty() {
        let actual = tags(io, existing).await?;
        for (key, value) in wanted_tags {
            let quoted = |value: &String| format!("\"{value}\"");
            let (wanted, actual) = (quoted(value), actual.get(key).map(quoted));
            let declared = Declared::Setting("tags", key.clone());
            let compared = (wanted.as_str(), actual.as_deref());
            compare(declared, &format!("tag {key}"), compared);
        }
    }
    Ok(found)
}

/// Remarks about a table that was made: the bounds of its autoscaling are not part of it.
pub(crate) fn notes(table: &Table, name: &str) -> Vec<String> {
    let of_index = |index: &keyfold_model::Index| {
        let subject = format!("index {} of table {name}", index.name);
        index.capacity.map(|capacity| (subject, capacity))
    };
    let all = std::iter::once((format!("table {name}"), table.capacity))
        .chain(table.indexes.iter().filter_map(of_index));
    all.filter(|(_, capacity)| capacity.scales())
        .map(|(subject, capacity)| {
            format!(
                "{subject} is made with the least of its capacity, {capacity}; `keyfold export` has its autoscaling"
            )
        })
        .collect()
}
