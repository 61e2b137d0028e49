//! The parameters that expressions replaced in 2014. Names in them are attribute names, never
//! paths.

use crate::Named;
use crate::named::words;
use crate::value::AttributeValue;

words! {
    /// The comparator of a legacy condition.
    ComparisonOperator {
        /// The attribute equals one of a list.
        In = "IN",
        /// The attribute does not exist.
        Null = "NULL",
        /// Between two values, both included.
        Between = "BETWEEN",
        /// Below.
        Lt = "LT",
        /// The text lacks a part, or the set or list a member.
        NotContains = "NOT_CONTAINS",
        /// Equal.
        Eq = "EQ",
        /// Above.
        Gt = "GT",
        /// The attribute exists.
        NotNull = "NOT_NULL",
        /// Not equal.
        Ne = "NE",
        /// Below or equal.
        Le = "LE",
        /// Starts with.
        BeginsWith = "BEGINS_WITH",
        /// Above or equal.
        Ge = "GE",
        /// The text has a part, or the set or list a member.
        Contains = "CONTAINS",
    }
}

words! {
    /// The operator that joins legacy conditions.
    ConditionalOperator {
        /// At least one holds.
        Or = "OR",
        /// All hold.
        And = "AND",
    }
}

words! {
    /// The action of a legacy update on an attribute.
    AttributeAction {
        /// Adds to a number or set.
        Add = "ADD",
        /// Removes the attribute, or members of a set.
        Delete = "DELETE",
        /// Sets.
        Put = "PUT",
    }
}

/// A test on one attribute: of a query's key, or of a filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegacyCondition {
    /// The values that the attribute is compared with.
    pub attribute_value_list: Option<Vec<AttributeValue>>,
    /// The comparison.
    pub comparison_operator: Option<Named<ComparisonOperator>>,
}

/// A condition on an attribute before a write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpectedAttribute {
    /// The value it must have.
    pub value: Option<AttributeValue>,
    /// Whether it must exist.
    pub exists: Option<bool>,
    /// The comparison, instead of value and exists.
    pub condition: LegacyCondition,
}

/// The change of one attribute.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttributeUpdate {
    /// The operand.
    pub value: Option<AttributeValue>,
    /// The action; PUT by default.
    pub action: Option<Named<AttributeAction>>,
}

/// Entries by attribute name, in the order sent.
pub type ByAttribute<T> = Vec<(String, T)>;

/// The legacy parameters of a request. Each operation has some of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LegacyParameters {
    /// The attributes to return.
    pub attributes_to_get: Option<Vec<String>>,
    /// The changes of an update.
    pub attribute_updates: Option<ByAttribute<AttributeUpdate>>,
    /// The operator that joins `expected` or the filter; AND by default.
    pub conditional_operator: Option<Named<ConditionalOperator>>,
    /// The conditions of a write.
    pub expected: Option<ByAttribute<ExpectedAttribute>>,
    /// The key range of a query.
    pub key_conditions: Option<ByAttribute<LegacyCondition>>,
    /// The filter of a query.
    pub query_filter: Option<ByAttribute<LegacyCondition>>,
    /// The filter of a scan.
    pub scan_filter: Option<ByAttribute<LegacyCondition>>,
}

impl LegacyParameters {
    /// Returns the API's names of the parameters that are present, in the order in which messages
    /// list them.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            (self.attributes_to_get.is_some(), "AttributesToGet"),
            (self.attribute_updates.is_some(), "AttributeUpdates"),
            (self.scan_filter.is_some(), "ScanFilter"),
            (self.query_filter.is_some(), "QueryFilter"),
            (self.conditional_operator.is_some(), "ConditionalOperator"),
            (self.key_conditions.is_some(), "KeyConditions"),
            (self.expected.is_some(), "Expected"),
        ];
        all.into_iter()
            .filter(|(is_given, _)| *is_given)
            .map(|(_, name)| name)
            .collect()
    }
}
