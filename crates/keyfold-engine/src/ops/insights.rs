//! Contributor insights: the setting is stored and described. There are no reports.

use crate::base::pending::Pending;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::ops::definition::sentence;
use crate::ops::list_cursor::{self, cursor};
use crate::table::Table;
use keyfold_api::{
    ApiError, ContributorInsightsAction, ContributorInsightsMode, ContributorInsightsStatus,
    ContributorInsightsSummary, DescribeContributorInsightsInput,
    DescribeContributorInsightsOutput, ListContributorInsightsInput, ListContributorInsightsOutput,
    Moment, UpdateContributorInsightsInput, UpdateContributorInsightsOutput, known,
};
use std::sync::Arc;

/// Tables and indexes of one answer at the most.
const PAGE_MAX: i64 = 100;

/// Finds the table, and the index's name (empty for the table itself).
fn place(
    core: &Core,
    table: Option<String>,
    index: Option<String>,
) -> Result<(Arc<Table>, String), ApiError> {
    if index.as_deref() == Some("") {
        return sentence(
            "IndexName must be at least 3 characters long and at most 255 characters long",
        );
    }
    let given = TableName::new(table);
    let missing = || ApiError::ResourceNotFound("Requested resource not found".to_owned());
    let table = core
        .catalog()
        .read()
        .get(given.name())
        .cloned()
        .ok_or_else(missing)?;
    let index = index.unwrap_or_default();
    if !index.is_empty() && table.index(&index).is_none() {
        return Err(missing());
    }
    Ok((table, index))
}

fn name(index: &str) -> Option<String> {
    (!index.is_empty()).then(|| index.to_owned())
}

fn check(
    constraints: &mut Constraints,
    table: &Option<String>,
    index: &Option<String>,
) -> Result<(), ApiError> {
    constraints.control_table(table)?;
    if let Some(index) = index.as_ref().filter(|index| !index.is_empty()) {
        constraints.name("indexName", index, index);
    }
    Ok(())
}

pub(crate) fn update(
    core: &Core,
    input: UpdateContributorInsightsInput,
) -> Pending<UpdateContributorInsightsOutput> {
    Pending::ready(updated(core, input))
}

fn updated(
    core: &Core,
    input: UpdateContributorInsightsInput,
) -> Result<UpdateContributorInsightsOutput, ApiError> {
    let mut constraints = Constraints::default();
    check(&mut constraints, &input.table_name, &input.index_name)?;
    constraints.required(
        "contributorInsightsAction",
        &input.contributor_insights_action,
    );
    constraints.word(
        "contributorInsightsAction",
        &input.contributor_insights_action,
    );
    constraints.word("contributorInsightsMode", &input.contributor_insights_mode);
    constraints.finish()?;
    let mode = known(&input.contributor_insights_mode)
        .unwrap_or(ContributorInsightsMode::AccessedAndThrottledKeys);
    let (table, index) = place(core, input.table_name, input.index_name)?;
    let enable =
        known(&input.contributor_insights_action) == Some(ContributorInsightsAction::Enable);
    let (now, key) = (core.now_ms(), index.clone());
    change_table(core, &table, |table| {
        if enable {
            table.settings.insights.insert(key, (mode, now));
        } else {
            table.settings.insights.remove(&key);
        }
    })?;
    let status = if enable {
        ContributorInsightsStatus::Enabling
    } else {
        ContributorInsightsStatus::Disabling
    };
    Ok(UpdateContributorInsightsOutput {
        table_name: Some(table.name.clone()),
        index_name: name(&index),
        contributor_insights_status: Some(status.into()),
        contributor_insights_mode: enable.then_some(mode.into()),
    })
}

pub(crate) fn describe(
    core: &Core,
    input: DescribeContributorInsightsInput,
) -> Pending<DescribeContributorInsightsOutput> {
    Pending::ready(described(core, input))
}

fn described(
    core: &Core,
    input: DescribeContributorInsightsInput,
) -> Result<DescribeContributorInsightsOutput, ApiError> {
    let mut constraints = Constraints::default();
    check(&mut constraints, &input.table_name, &input.index_name)?;
    constraints.finish()?;
    let (table, index) = place(core, input.table_name, input.index_name)?;
    let setting = table.settings.insights.get(&index);
    let status = match setting {
        Some(_) => ContributorInsightsStatus::Enabled,
        None => ContributorInsightsStatus::Disabled,
    };
    let rule = |kind: &str| {
        let place = name(&index).map_or(String::new(), |index| format!("-{index}"));
        let since = setting.map_or(0, |(_, since)| *since);
        format!(
            "DynamoDBContributorInsights-{kind}-{}{place}-{since}",
            table.name
        )
    };
    let rules = setting.map(|(mode, _)| {
        // Only tables and indexes with a sort key have rules for it.
        let key = table.index(&index).map_or(&table.key, |index| &index.key);
        let of = |kinds: [&str; 2]| -> Vec<String> {
            let shown = if key.sort.is_empty() { 1 } else { 2 };
            kinds.into_iter().take(shown).map(&rule).collect()
        };
        match mode {
            ContributorInsightsMode::ThrottledKeys => of(["PKT", "SKT"]),
            ContributorInsightsMode::AccessedAndThrottledKeys => of(["PKC", "SKC"])
                .into_iter()
                .chain(of(["PKT", "SKT"]))
                .collect(),
        }
    });
    Ok(DescribeContributorInsightsOutput {
        table_name: Some(table.name.clone()),
        index_name: name(&index),
        contributor_insights_rule_list: rules,
        contributor_insights_status: Some(status.into()),
        last_update_date_time: setting.map(|(_, since)| Moment(*since)),
        failure_exception: None,
        contributor_insights_mode: setting.map(|(mode, _)| (*mode).into()),
    })
}

pub(crate) fn list(
    core: &Core,
    input: ListContributorInsightsInput,
) -> Pending<ListContributorInsightsOutput> {
    Pending::ready(listed(core, input))
}

fn listed(
    core: &Core,
    input: ListContributorInsightsInput,
) -> Result<ListContributorInsightsOutput, ApiError> {
    let mut constraints = Constraints::default();
    if input.table_name.is_some() {
        constraints.table("tableName", &input.table_name);
    }
    constraints.range("maxResults", input.max_results, 0, PAGE_MAX);
    constraints.finish()?;
    let given = input.table_name.map(|name| TableName::new(Some(name)));
    let limit = input.max_results.filter(|most| *most > 0);
    let limit = usize::try_from(limit.unwrap_or(PAGE_MAX)).unwrap_or(1);
    let after = list_cursor::place(input.next_token.as_deref())?;
    let tables = core.catalog().read();
    let mut rows = tables
        .values()
        .filter(|table| {
            given
                .as_ref()
                .is_none_or(|given| given.name() == table.name)
        })
        .flat_map(|table| {
            table
                .settings
                .insights
                .iter()
                .map(move |(index, setting)| (table, index, setting))
        })
        .filter(|(table, index, _)| {
            after.is_none_or(|after| (table.name.as_str(), index.as_str()) > after)
        });
    let page: Vec<_> = rows.by_ref().take(limit).collect();
    let next_token = rows.next().and_then(|_| {
        page.last()
            .map(|(table, index, _)| cursor((&table.name, index)))
    });
    let summary =
        |(table, index, (mode, _)): &(&Arc<Table>, &String, &(ContributorInsightsMode, u64))| {
            ContributorInsightsSummary {
                table_name: Some(table.name.clone()),
                index_name: name(index),
                contributor_insights_status: Some(ContributorInsightsStatus::Enabled.into()),
                contributor_insights_mode: Some((*mode).into()),
            }
        };
    Ok(ListContributorInsightsOutput {
        contributor_insights_summaries: Some(page.iter().map(summary).collect()),
        next_token,
    })
}
