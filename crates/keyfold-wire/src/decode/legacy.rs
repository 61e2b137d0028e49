//! The parameters that expressions replaced.

use super::reader::{Decoded, Reader};
use super::value;
use keyfold_api::{
    AttributeUpdate, AttributeValue, ByAttribute, ExpectedAttribute, LegacyCondition,
    LegacyParameters, ValueError,
};
use keyfold_types::Value;

impl Reader<'_> {
    /// Reads a legacy member of any operation.
    pub(super) fn legacy(
        &mut self,
        member: &'static str,
        legacy: &mut Option<Box<LegacyParameters>>,
    ) -> Decoded<()> {
        let mut found = legacy.take().unwrap_or_default();
        match member {
            "AttributesToGet" => found.attributes_to_get = self.strings()?,
            "AttributeUpdates" => found.attribute_updates = by_attribute(self, attribute_update)?,
            "ConditionalOperator" => found.conditional_operator = self.word()?,
            "Expected" => found.expected = by_attribute(self, expected)?,
            "KeyConditions" => found.key_conditions = by_attribute(self, condition)?,
            "QueryFilter" => found.query_filter = by_attribute(self, condition)?,
            _ => found.scan_filter = by_attribute(self, condition)?,
        }
        if !found.given().is_empty() {
            *legacy = Some(found);
        }
        Ok(())
    }
}

fn by_attribute<T>(
    reader: &mut Reader<'_>,
    take: fn(&mut Reader<'_>) -> Decoded<T>,
) -> Decoded<Option<ByAttribute<T>>> {
    reader.map_of(take)
}

fn legacy_value(reader: &mut Reader<'_>) -> Decoded<Option<AttributeValue>> {
    let value = value::attribute_value(reader, 0)?;
    let error = reader.value_error.take();
    Ok(value.map(|value| error.map_or(Ok(value), Err)))
}

fn value_list(reader: &mut Reader<'_>) -> Decoded<Option<Vec<AttributeValue>>> {
    let mut list = Vec::new();
    let found = reader.list(|reader| {
        list.push(legacy_value(reader)?.unwrap_or(Err::<Value, _>(ValueError::NoType)));
        Ok(())
    })?;
    Ok(found.then_some(list))
}

fn take_condition(
    reader: &mut Reader<'_>,
    member: &str,
    condition: &mut LegacyCondition,
) -> Decoded<()> {
    match member {
        "AttributeValueList" => condition.attribute_value_list = value_list(reader)?,
        _ => condition.comparison_operator = reader.word()?,
    }
    Ok(())
}

fn condition(reader: &mut Reader<'_>) -> Decoded<LegacyCondition> {
    let mut condition = LegacyCondition::default();
    reader.object(
        &["AttributeValueList", "ComparisonOperator"],
        |reader, member| take_condition(reader, member, &mut condition),
    )?;
    Ok(condition)
}

fn expected(reader: &mut Reader<'_>) -> Decoded<ExpectedAttribute> {
    let mut expected = ExpectedAttribute::default();
    let members = &[
        "Value",
        "Exists",
        "AttributeValueList",
        "ComparisonOperator",
    ];
    reader.object(members, |reader, member| {
        match member {
            "Value" => expected.value = legacy_value(reader)?,
            "Exists" => expected.exists = reader.bool()?,
            _ => take_condition(reader, member, &mut expected.condition)?,
        }
        Ok(())
    })?;
    Ok(expected)
}

fn attribute_update(reader: &mut Reader<'_>) -> Decoded<AttributeUpdate> {
    let mut update = AttributeUpdate::default();
    reader.object(&["Value", "Action"], |reader, member| {
        match member {
            "Value" => update.value = legacy_value(reader)?,
            _ => update.action = reader.word()?,
        }
        Ok(())
    })?;
    Ok(update)
}
