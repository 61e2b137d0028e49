//! TagResource, UntagResource, ListTagsOfResource: the tags of tables.

use crate::base::pending::Pending;
use crate::check::Constraints;
use crate::core::Core;
use crate::core::change_table::change_table;
use crate::ops::definition::{sentence, wrong};
use crate::table::Table;
use crate::table::arn::{Arn, Part};
use keyfold_api::{
    ApiError, Constraint, ListTagsOfResourceInput, ListTagsOfResourceOutput, Tag, TagResourceInput,
    UntagResourceInput,
};
use keyfold_types::limits::{TAG_KEY_CHARS_MAX, TAG_VALUE_CHARS_MAX, TAGS_MAX, is_tag_text};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Characters of a resource's ARN at the most.
const RESOURCE_ARN_CHARS_MAX: usize = 1283;
/// Tags of one answer at the most.
const PAGE: usize = 10;

/// Checks tags. Each key must occur once.
pub(crate) fn check(given: &[Tag]) -> Result<BTreeMap<String, String>, ApiError> {
    let mut tags = BTreeMap::new();
    for tag in given {
        let (key, value) = (tag.key.as_deref(), tag.value.as_deref());
        let Some(name) = key.filter(|key| is_text(key, 1, TAG_KEY_CHARS_MAX)) else {
            return wrong(format!(
                "The Tag Key provided is invalid, Key: {}",
                key.unwrap_or("null")
            ));
        };
        let Some(value) = value.filter(|value| is_text(value, 0, TAG_VALUE_CHARS_MAX)) else {
            return wrong(format!(
                "The Tag Value provided is invalid, Value: {}",
                value.unwrap_or("null")
            ));
        };
        if name.starts_with("aws:") {
            return wrong(format!("The Tag Key provided is invalid, Key: {name}"));
        }
        if tags.insert(name.to_owned(), value.to_owned()).is_some() {
            return wrong(format!("Duplicate Tag Key provided, Key: {name}"));
        }
    }
    check_count(&tags)?;
    Ok(tags)
}

fn check_count(tags: &BTreeMap<String, String>) -> Result<(), ApiError> {
    if tags.len() > TAGS_MAX {
        return wrong(format!(
            "Too many tags: a resource has {TAGS_MAX} at the most"
        ));
    }
    Ok(())
}

fn is_text(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.chars().count()) && text.chars().all(is_tag_text)
}

/// Finds the table of an ARN.
pub(crate) fn table_of(core: &Core, arn: &str) -> Result<Arc<Table>, ApiError> {
    let missing = || {
        ApiError::ResourceNotFound(format!(
            "Requested resource not found: ResourcArn: {arn} not found"
        ))
    };
    let Some(Arn {
        table,
        part: Part::Table,
    }) = Arn::parse(arn)
    else {
        return sentence(format!(
            "Invalid TableArn: Invalid ResourceArn provided as input {arn}"
        ));
    };
    core.catalog()
        .read()
        .get(table)
        .cloned()
        .ok_or_else(missing)
}

/// Constrains the ARN of a resource, which is required.
pub(crate) fn arn(constraints: &mut Constraints, given: &Option<String>) {
    match given {
        None => constraints.breach(None, "resourceArn", Constraint::NotNull),
        Some(arn) => constraints.count("resourceArn", arn.len(), arn, 1, RESOURCE_ARN_CHARS_MAX),
    }
}

pub(crate) fn tag(core: &Core, input: TagResourceInput) -> Pending<()> {
    Pending::ready(tag_resource(core, input))
}

fn tag_resource(core: &Core, input: TagResourceInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    arn(&mut constraints, &input.resource_arn);
    constraints.required("tags", &input.tags);
    constraints.finish()?;
    let given = input.tags.unwrap_or_default();
    if given.is_empty() {
        return wrong("Atleast one Tag needs to be provided as Input.");
    }
    let tags = check(&given)?;
    let table = table_of(core, &input.resource_arn.unwrap_or_default())?;
    let mut all = table.settings.tags.clone();
    all.extend(tags.clone());
    check_count(&all)?;
    change_table(core, &table, |table| table.settings.tags.extend(tags))
}

pub(crate) fn untag(core: &Core, input: UntagResourceInput) -> Pending<()> {
    Pending::ready(untag_resource(core, input))
}

fn untag_resource(core: &Core, input: UntagResourceInput) -> Result<(), ApiError> {
    let mut constraints = Constraints::default();
    arn(&mut constraints, &input.resource_arn);
    constraints.required("tagKeys", &input.tag_keys);
    constraints.finish()?;
    let keys = input.tag_keys.unwrap_or_default();
    if keys.is_empty() {
        return wrong("Atleast one Tag Key needs to be provided as Input.");
    }
    if let Some(key) = keys.iter().find(|key| !is_text(key, 1, TAG_KEY_CHARS_MAX)) {
        return wrong(format!("The Tag Key provided is invalid, Key: {key}"));
    }
    let table = table_of(core, &input.resource_arn.unwrap_or_default())?;
    change_table(core, &table, |table| {
        table.settings.tags.retain(|key, _| !keys.contains(key));
    })
}

pub(crate) fn list(
    core: &Core,
    input: ListTagsOfResourceInput,
) -> Pending<ListTagsOfResourceOutput> {
    Pending::ready(list_tags(core, input))
}

fn list_tags(
    core: &Core,
    input: ListTagsOfResourceInput,
) -> Result<ListTagsOfResourceOutput, ApiError> {
    let mut constraints = Constraints::default();
    arn(&mut constraints, &input.resource_arn);
    constraints.finish()?;
    let table = table_of(core, &input.resource_arn.unwrap_or_default())?;
    let after = input.next_token.as_deref();
    // The tag that it names may have been removed since.
    if after.is_some_and(|after| !is_text(after, 1, TAG_KEY_CHARS_MAX)) {
        return sentence("Invalid NextToken");
    }
    let mut rest = table
        .settings
        .tags
        .iter()
        .filter(|(key, _)| after.is_none_or(|after| key.as_str() > after));
    let tags: Vec<Tag> = rest
        .by_ref()
        .take(PAGE)
        .map(|(key, value)| Tag {
            key: Some(key.clone()),
            value: Some(value.clone()),
        })
        .collect();
    let next_token = rest.next().and_then(|_| tags.last()?.key.clone());
    Ok(ListTagsOfResourceOutput {
        tags: Some(tags),
        next_token,
    })
}
