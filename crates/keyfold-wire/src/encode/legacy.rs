//! The parameters that expressions replaced.

use super::item::value;
use super::members::word;
use super::writer::Writer;
use keyfold_api::{AttributeValue, ByAttribute, LegacyCondition, LegacyParameters};

/// The members of a request that are legacy parameters.
pub(crate) fn legacy(writer: &mut Writer<'_>, given: Option<&LegacyParameters>) {
    let Some(given) = given else { return };
    if let Some(names) = &given.attributes_to_get {
        writer.name("AttributesToGet");
        writer.array(|writer| names.iter().for_each(|name| writer.string(name)));
    }
    word(writer, "ConditionalOperator", &given.conditional_operator);
    by_attribute(
        writer,
        "AttributeUpdates",
        &given.attribute_updates,
        |writer, update| {
            one_value(writer, &update.value);
            word(writer, "Action", &update.action);
        },
    );
    by_attribute(writer, "Expected", &given.expected, |writer, expected| {
        one_value(writer, &expected.value);
        if let Some(exists) = expected.exists {
            writer.plain_member("Exists", exists);
        }
        condition(writer, &expected.condition);
    });
    by_attribute(writer, "KeyConditions", &given.key_conditions, condition);
    by_attribute(writer, "QueryFilter", &given.query_filter, condition);
    by_attribute(writer, "ScanFilter", &given.scan_filter, condition);
}

fn one_value(writer: &mut Writer<'_>, given: &Option<AttributeValue>) {
    if let Some(Ok(given)) = given {
        writer.name("Value");
        value(writer, given);
    }
}

fn condition(writer: &mut Writer<'_>, given: &LegacyCondition) {
    word(writer, "ComparisonOperator", &given.comparison_operator);
    if let Some(list) = &given.attribute_value_list {
        writer.name("AttributeValueList");
        writer.array(|writer| list.iter().flatten().for_each(|one| value(writer, one)));
    }
}

fn by_attribute<T>(
    writer: &mut Writer<'_>,
    name: &str,
    given: &Option<ByAttribute<T>>,
    fill: impl Fn(&mut Writer<'_>, &T),
) {
    let Some(entries) = given else { return };
    writer.name(name);
    writer.object(|writer| {
        for (attribute, entry) in entries {
            writer.name(attribute);
            writer.object(|writer| fill(writer, entry));
        }
    });
}
