//! Binds the expressions of a request, or of one table or action in it.
//!
//! The expressions share placeholders, all of which must be used. Legacy parameters (`legacy.rs`)
//! exclude expressions.

use crate::check::legacy::Legacy;
use keyfold_api::{ApiError, ExpressionAttributes, LegacyParameters, Validation, ValueError};
use keyfold_expr::{
    Condition, ExprError, ExpressionKind, KeyCondition, PlaceholderError, Placeholders, Projection,
    Update,
};
use keyfold_types::Value;
use keyfold_types::limits::NESTING_LEVELS_MAX;
use std::collections::BTreeMap;

/// The missing expressions in messages about placeholders without an expression.
pub(crate) const NO_CONDITION: &str = "ConditionExpression is null";
pub(crate) const NO_PROJECTION: &str = "ProjectionExpression is null";
pub(crate) const NO_FILTER_NOR_KEY_CONDITION: &str =
    "FilterExpression and KeyConditionExpression are null";

/// The texts of a request's expressions.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Texts<'t> {
    pub(crate) condition: Option<&'t str>,
    pub(crate) update: Option<&'t str>,
    pub(crate) key_condition: Option<&'t str>,
    pub(crate) filter: Option<&'t str>,
    pub(crate) projection: Option<&'t str>,
}

/// The bound expressions.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    pub(crate) condition: Option<Condition>,
    pub(crate) update: Option<Update>,
    pub(crate) key_condition: Option<KeyCondition>,
    pub(crate) filter: Option<Condition>,
    pub(crate) projection: Option<Projection>,
}

impl Bound {
    /// Adds the bound legacy parameters. Expressions exclude them.
    pub(crate) fn take_legacy(&mut self, legacy: Legacy) {
        self.condition = self.condition.take().or(legacy.condition);
        self.update = self.update.take().or(legacy.update);
        self.key_condition = self.key_condition.take().or(legacy.key_condition);
        self.filter = self.filter.take().or(legacy.filter);
        self.projection = self.projection.take().or(legacy.projection);
    }
}

fn expression(error: ExprError) -> ApiError {
    Validation::Expression(error).into()
}

fn placeholder(error: PlaceholderError) -> ApiError {
    Validation::Placeholders(error).into()
}

impl Texts<'_> {
    fn given(&self) -> Vec<&'static str> {
        let all = [
            (self.projection, "ProjectionExpression"),
            (self.key_condition, "KeyConditionExpression"),
            (self.filter, "FilterExpression"),
            (self.update, "UpdateExpression"),
            (self.condition, "ConditionExpression"),
        ];
        all.into_iter()
            .filter(|(text, _)| text.is_some())
            .map(|(_, name)| name)
            .collect()
    }

    /// Refuses legacy parameters beside expressions.
    pub(crate) fn check_mixed(&self, legacy: Option<&LegacyParameters>) -> Result<(), ApiError> {
        let (mut legacy, expressions) = (
            legacy.map(LegacyParameters::given).unwrap_or_default(),
            self.given(),
        );
        // KeyConditions exclude the other form of a key condition only.
        if self.key_condition.is_none() {
            legacy.retain(|name| *name != "KeyConditions");
        }
        if legacy.is_empty() || expressions.is_empty() {
            return Ok(());
        }
        Err(Validation::MixedParameters {
            legacy,
            expressions,
        }
        .into())
    }

    /// Parses and binds the texts. `absent` completes the message about placeholders without an
    /// expression.
    pub(crate) fn bind(
        self,
        attributes: &ExpressionAttributes,
        absent: &'static str,
    ) -> Result<Bound, ApiError> {
        if self.given().is_empty() {
            let lonely = |member| Validation::PlaceholdersWithoutExpression {
                member,
                expressions: absent,
            };
            if attributes.names.is_some() {
                return Err(lonely("ExpressionAttributeNames").into());
            }
            if attributes.values.is_some() {
                return Err(lonely("ExpressionAttributeValues").into());
            }
            return Ok(Bound::default());
        }
        let values = expression_values(attributes)?;
        let placeholders =
            Placeholders::new(attributes.names.as_ref(), values).map_err(placeholder)?;
        let condition = |kind, text: Option<&str>| {
            text.map(|text| Condition::parse(kind, text, &placeholders))
                .transpose()
                .map_err(expression)
        };
        let bound = Bound {
            update: self
                .update
                .map(|text| Update::parse(text, &placeholders))
                .transpose()
                .map_err(expression)?,
            key_condition: self
                .key_condition
                .map(|text| KeyCondition::parse(text, &placeholders))
                .transpose()
                .map_err(expression)?,
            condition: condition(ExpressionKind::Condition, self.condition)?,
            filter: condition(ExpressionKind::Filter, self.filter)?,
            projection: self
                .projection
                .map(|text| Projection::parse(text, &placeholders))
                .transpose()
                .map_err(expression)?,
        };
        placeholders.check_all_used().map_err(placeholder)?;
        Ok(bound)
    }
}

fn expression_values(
    attributes: &ExpressionAttributes,
) -> Result<Option<&BTreeMap<String, Value>>, ApiError> {
    match &attributes.values {
        None => Ok(None),
        Some(Ok(values)) => match values
            .iter()
            .find(|(_, value)| value.depth() > NESTING_LEVELS_MAX)
        {
            None => Ok(Some(values)),
            Some((key, _)) => {
                let (key, error) = (key.clone(), ValueError::TooDeep);
                Err(Validation::ExpressionValue { key, error }.into())
            }
        },
        Some(Err((key, error))) => Err(Validation::ExpressionValue {
            key: key.clone(),
            error: error.clone(),
        }
        .into()),
    }
}
