//! UpdateTimeToLive and DescribeTimeToLive: the attribute by which items expire.

use crate::base::error::being_created;
use crate::base::pending::Pending;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::ops::definition::sentence;
use crate::table::Expiry;
use keyfold_api::{
    ApiError, DescribeTimeToLiveInput, DescribeTimeToLiveOutput, TimeToLiveDescription,
    TimeToLiveStatus, UpdateTimeToLiveInput, UpdateTimeToLiveOutput,
};
use keyfold_types::limits::KEY_NAME_BYTES_MAX;

pub(crate) fn describe(
    core: &Core,
    input: DescribeTimeToLiveInput,
) -> Pending<DescribeTimeToLiveOutput> {
    Pending::ready(described(core, input))
}

fn described(
    core: &Core,
    input: DescribeTimeToLiveInput,
) -> Result<DescribeTimeToLiveOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.finish()?;
    let table = core.any_table(TableName::new(input.table_name).name())?;
    let expiry = table.settings.expiry.as_ref();
    let status = if expiry.is_some() {
        TimeToLiveStatus::Enabled
    } else {
        TimeToLiveStatus::Disabled
    };
    let description = TimeToLiveDescription {
        time_to_live_status: Some(status.into()),
        attribute_name: expiry.map(|expiry| expiry.attribute.clone()),
    };
    Ok(DescribeTimeToLiveOutput {
        time_to_live_description: Some(description),
    })
}

pub(crate) fn update(core: &Core, input: UpdateTimeToLiveInput) -> Pending<UpdateTimeToLiveOutput> {
    Pending::ready(updated(core, input))
}

fn updated(core: &Core, input: UpdateTimeToLiveInput) -> Result<UpdateTimeToLiveOutput, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.required("timeToLiveSpecification", &input.time_to_live_specification);
    if let Some(given) = &input.time_to_live_specification {
        let path = "timeToLiveSpecification.attributeName";
        constraints.required(path, &given.attribute_name);
        if let Some(name) = &given.attribute_name {
            constraints.count(path, name.len(), name, 1, KEY_NAME_BYTES_MAX);
        }
        constraints.required("timeToLiveSpecification.enabled", &given.enabled);
    }
    constraints.finish()?;
    let given = input.time_to_live_specification.unwrap_or_default();
    let attribute = given.attribute_name.clone().unwrap_or_default();
    let table = core.any_table(TableName::new(input.table_name).name())?;
    if !table.is_ready() {
        return Err(being_created(&table.name));
    }
    match (given.enabled == Some(true), &table.settings.expiry) {
        (true, Some(expiry)) if expiry.attribute == attribute => {
            return sentence("TimeToLive is already enabled");
        }
        (false, None) => return sentence("TimeToLive is already disabled"),
        (_, Some(expiry)) if expiry.attribute != attribute => {
            return sentence(format!(
                "TimeToLive is active on a different AttributeName: current AttributeName is {}",
                expiry.attribute
            ));
        }
        (enabled, _) => {
            let setting = enabled.then_some(Expiry {
                attribute,
                is_complete: false,
                begun: core.now_ms(),
            });
            // The notes of an earlier setting are stale, and the background removes them.
            change_table(core, &table, |table| {
                table.settings.expiry = setting;
            })?;
        }
    }
    core.signal().wake();
    Ok(UpdateTimeToLiveOutput {
        time_to_live_specification: Some(given),
    })
}
