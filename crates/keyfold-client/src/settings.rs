//! The settings of a table besides its keys: made with the table or right after it, and compared
//! with those of an existing table.
//!
//! A setting that the model does not declare is not compared. Capacity is not compared at all: it is
//! tuned while a table works.

use crate::backend::{Backend, unexpected};
use crate::error::ClientError;
use keyfold_api::{
    BillingMode, CreateTableInput, DescribeContinuousBackupsInput, DescribeTimeToLiveInput,
    ListTagsOfResourceInput, Named, PointInTimeRecoverySpecification, PointInTimeRecoveryStatus,
    ProvisionedThroughput, Request, Response, StreamSpecification, StreamViewType, TableClass,
    TableDescription, Tag, TimeToLiveSpecification, TimeToLiveStatus, UpdateContinuousBackupsInput,
    UpdateTimeToLiveInput, WireName, known,
};
use keyfold_model::Table;
use keyfold_model::schema::{self, Capacity, Settings, StreamView};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most time that a new table may take until its backups can be switched on.
const BACKUPS_TIMEOUT: Duration = Duration::from_secs(120);

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
    let tag = |(key, value): &(String, String)| Tag {
        key: Some(key.clone()),
        value: Some(value.clone()),
    };
    input.tags = (!tags.is_empty()).then(|| tags.iter().map(tag).collect());
}

/// Switches on what CreateTable does not take: expiry and point-in-time recovery. A setting that is
/// on already stays as it is.
pub(crate) fn settle(backend: &Backend, table: &Table, name: &str) -> Result<(), ClientError> {
    if let Some(attribute) = &table.ttl_attribute {
        let input = UpdateTimeToLiveInput {
            table_name: Some(name.to_owned()),
            time_to_live_specification: Some(TimeToLiveSpecification {
                enabled: Some(true),
                attribute_name: Some(attribute.clone()),
            }),
        };
        let is_set = || Ok(expiry(backend, name)?.as_ref() == Some(attribute));
        switch_on(backend, &input.into(), is_set)?;
    }
    if table.settings.recovery {
        let input = UpdateContinuousBackupsInput {
            table_name: Some(name.to_owned()),
            point_in_time_recovery_specification: Some(PointInTimeRecoverySpecification {
                point_in_time_recovery_enabled: Some(true),
                ..PointInTimeRecoverySpecification::default()
            }),
        };
        switch_on(backend, &input.into(), || has_recovery(backend, name))?;
    }
    Ok(())
}

/// Sends a request unless its setting is on. After an error the setting shows whether another
/// writer was faster, or the answer was lost. Backups of a new table may not be ready yet.
fn switch_on(
    backend: &Backend,
    request: &Request,
    is_on: impl Fn() -> Result<bool, ClientError>,
) -> Result<(), ClientError> {
    let started = Instant::now();
    while !is_on()? {
        let Err(error) = backend.call(request.clone()) else {
            return Ok(());
        };
        if is_early(&error) && started.elapsed() < BACKUPS_TIMEOUT {
            std::thread::sleep(Duration::from_millis(500));
        } else if is_on()? {
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
fn expiry(backend: &Backend, name: &str) -> Result<Option<String>, ClientError> {
    let input = DescribeTimeToLiveInput {
        table_name: Some(name.to_owned()),
    };
    let Response::DescribeTimeToLive(output) = backend.call(input.into())? else {
        return Err(unexpected());
    };
    let setting = output.time_to_live_description.unwrap_or_default();
    let is_on = match known(&setting.time_to_live_status) {
        Some(TimeToLiveStatus::Enabling | TimeToLiveStatus::Enabled) => true,
        Some(TimeToLiveStatus::Disabling | TimeToLiveStatus::Disabled) | None => false,
    };
    Ok(setting.attribute_name.filter(|_| is_on))
}

fn has_recovery(backend: &Backend, name: &str) -> Result<bool, ClientError> {
    let input = DescribeContinuousBackupsInput {
        table_name: Some(name.to_owned()),
    };
    let Response::DescribeContinuousBackups(output) = backend.call(input.into())? else {
        return Err(unexpected());
    };
    let status = output
        .continuous_backups_description
        .and_then(|backups| backups.point_in_time_recovery_description)
        .and_then(|recovery| known(&recovery.point_in_time_recovery_status));
    Ok(status == Some(PointInTimeRecoveryStatus::Enabled))
}

/// All tags of a table.
fn tags(
    backend: &Backend,
    existing: &TableDescription,
) -> Result<BTreeMap<String, String>, ClientError> {
    let (mut all, mut next) = (BTreeMap::new(), None);
    loop {
        let input = ListTagsOfResourceInput {
            resource_arn: existing.table_arn.clone(),
            next_token: next.take(),
        };
        let Response::ListTagsOfResource(output) = backend.call(input.into())? else {
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

/// The differences between the declared settings and those of an existing table, one a line.
///
/// # Errors
/// The backend's error.
pub(crate) fn differences(
    backend: &Backend,
    table: &Table,
    name: &str,
    existing: &TableDescription,
) -> Result<Vec<String>, ClientError> {
    let Settings {
        stream,
        recovery,
        deletion_protection,
        class: table_class,
        tags: wanted_tags,
    } = &table.settings;
    let mut found = Vec::new();
    let mut compare = |subject: &str, wanted: &str, actual: Option<&str>| {
        if actual != Some(wanted) {
            let actual = actual.unwrap_or("none");
            found.push(format!(
                "{subject}: the model says {wanted}, the table has {actual}"
            ));
        }
    };
    if let Some(wanted) = &table.ttl_attribute {
        compare("ttl", wanted, expiry(backend, name)?.as_deref());
    }
    if let Some(view) = stream {
        let setting = existing.stream_specification.as_ref();
        let on = setting.filter(|setting| setting.stream_enabled == Some(true));
        let actual = on.and_then(|setting| known(&setting.stream_view_type));
        compare(
            "stream",
            view_type(*view).word(),
            actual.map(WireName::word),
        );
    }
    if *recovery && !has_recovery(backend, name)? {
        compare("point in time recovery", "on", Some("it off"));
    }
    if *deletion_protection && existing.deletion_protection_enabled != Some(true) {
        compare("deletion protection", "on", Some("it off"));
    }
    if let Some(wanted) = table_class {
        let summary = existing.table_class_summary.as_ref();
        let actual = summary.and_then(|summary| known(&summary.table_class));
        // The service leaves the usual class out.
        let actual = actual.unwrap_or(TableClass::Standard);
        compare("class", class(*wanted).word(), Some(actual.word()));
    }
    if !wanted_tags.is_empty() {
        let actual = tags(backend, existing)?;
        for (key, value) in wanted_tags {
            compare(
                &format!("tag {key}"),
                &format!("\"{value}\""),
                actual
                    .get(key)
                    .map(|value| format!("\"{value}\""))
                    .as_deref(),
            );
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
