//! UpdateContinuousBackups and DescribeContinuousBackups: the setting of point-in-time recovery.

use crate::base::pending::Pending;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::ops::backups::table_not_found;
use crate::table::{Recovery, Table};
use crate::window::window;
use keyfold_api::{
    ApiError, ContinuousBackupsDescription, ContinuousBackupsStatus,
    DescribeContinuousBackupsInput, DescribeContinuousBackupsOutput, Moment,
    PointInTimeRecoveryDescription, PointInTimeRecoveryStatus, UpdateContinuousBackupsInput,
    UpdateContinuousBackupsOutput,
};
use std::sync::Arc;

/// Days that changes are kept, unless the request names fewer.
const DAYS_MAX: i64 = 35;

fn table_of(core: &Core, given: Option<String>) -> Result<Arc<Table>, ApiError> {
    let given = TableName::new(given);
    let found = core.catalog().read().get(given.name()).cloned();
    found.ok_or_else(|| table_not_found(given.name()))
}

fn description(core: &Core, recovery: Option<&Recovery>) -> ContinuousBackupsDescription {
    let status = match recovery {
        Some(_) => PointInTimeRecoveryStatus::Enabled,
        None => PointInTimeRecoveryStatus::Disabled,
    };
    let window = recovery.map(|recovery| window(recovery, core.moment()));
    ContinuousBackupsDescription {
        continuous_backups_status: Some(ContinuousBackupsStatus::Enabled.into()),
        point_in_time_recovery_description: Some(PointInTimeRecoveryDescription {
            point_in_time_recovery_status: Some(status.into()),
            recovery_period_in_days: recovery
                .and_then(|recovery| i64::try_from(recovery.days).ok()),
            earliest_restorable_date_time: window.map(|(first, _)| Moment(first)),
            latest_restorable_date_time: window.map(|(_, last)| Moment(last)),
        }),
    }
}

pub(crate) fn describe(
    core: &Core,
    input: DescribeContinuousBackupsInput,
) -> Pending<DescribeContinuousBackupsOutput> {
    Pending::ready(described(core, input))
}

fn described(
    core: &Core,
    input: DescribeContinuousBackupsInput,
) -> Result<DescribeContinuousBackupsOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.finish()?;
    let table = table_of(core, input.table_name)?;
    let description = description(core, table.settings.recovery.as_ref());
    Ok(DescribeContinuousBackupsOutput {
        continuous_backups_description: Some(description),
    })
}

pub(crate) fn update(
    core: &Core,
    input: UpdateContinuousBackupsInput,
) -> Pending<UpdateContinuousBackupsOutput> {
    Pending::ready(updated(core, input))
}

fn updated(
    core: &Core,
    input: UpdateContinuousBackupsInput,
) -> Result<UpdateContinuousBackupsOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    let given = &input.point_in_time_recovery_specification;
    constraints.required("pointInTimeRecoverySpecification", given);
    if let Some(given) = given {
        let path = "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled";
        constraints.required(path, &given.point_in_time_recovery_enabled);
        let path = "pointInTimeRecoverySpecification.recoveryPeriodInDays";
        constraints.range(path, given.recovery_period_in_days, 1, DAYS_MAX);
    }
    constraints.finish()?;
    let given = input
        .point_in_time_recovery_specification
        .unwrap_or_default();
    let table = table_of(core, input.table_name)?;
    let days = given
        .recovery_period_in_days
        .and_then(|days| u64::try_from(days).ok());
    let mut setting = None;
    change_table(core, &table, |table| {
        let before = table.settings.recovery.take();
        table.settings.recovery =
            (given.point_in_time_recovery_enabled == Some(true)).then(|| Recovery {
                // The time is taken with the catalog locked: every later change is kept.
                since_epoch_ms: before
                    .as_ref()
                    .map_or_else(|| core.moment(), |before| before.since_epoch_ms),
                days: days
                    .or(before.map(|before| before.days))
                    .unwrap_or(DAYS_MAX as u64),
            });
        setting = table.settings.recovery.clone();
    })?;
    let description = description(core, setting.as_ref());
    Ok(UpdateContinuousBackupsOutput {
        continuous_backups_description: Some(description),
    })
}
