//! The errors of expressions as typed reasons, with DynamoDB's messages.

use crate::path::Path;
use keyfold_types::{NumberError, ValueKind};
use std::fmt;

/// The request member that an expression came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpressionKind {
    /// `ConditionExpression`.
    Condition,
    /// `FilterExpression`.
    Filter,
    /// `KeyConditionExpression`.
    KeyCondition,
    /// `ProjectionExpression`.
    Projection,
    /// `UpdateExpression`.
    Update,
}

impl ExpressionKind {
    /// The member's name.
    pub fn parameter(self) -> &'static str {
        match self {
            ExpressionKind::Condition => "ConditionExpression",
            ExpressionKind::Filter => "FilterExpression",
            ExpressionKind::KeyCondition => "KeyConditionExpression",
            ExpressionKind::Projection => "ProjectionExpression",
            ExpressionKind::Update => "UpdateExpression",
        }
    }
}

/// The error of an expression: the request member, and the reason.
///
/// `Display` is DynamoDB's message, `Invalid <parameter>: <reason>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// The member the expression came from.
    pub expression: ExpressionKind,
    /// The reason.
    pub kind: ExprErrorKind,
}

/// The reason for which an expression is refused. `Display` is the reason of DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprErrorKind {
    /// The text is empty.
    Empty,
    /// The text is longer than 4 KB.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The text does not follow the grammar.
    Syntax {
        /// The offending token, `<EOF>` at the end.
        token: String,
        /// The text around it.
        near: String,
    },
    /// A parenthesised group directly inside another.
    RedundantParentheses,
    /// More than 300 operators and functions.
    TooManyOperators {
        /// Their number.
        count: usize,
    },
    /// Groups or functions nested too deeply to read.
    TooDeep,
    /// A document path of more than 32 steps.
    PathTooDeep {
        /// The number of steps.
        levels: usize,
    },
    /// A list position above the limit.
    ListIndex {
        /// The digits of the expression.
        index: String,
    },
    /// A reserved word where a name is needed.
    ReservedWord {
        /// The word as written.
        word: String,
    },
    /// A `#name` without an entry in ExpressionAttributeNames.
    UndefinedName {
        /// The placeholder.
        placeholder: String,
    },
    /// A `:value` without an entry in ExpressionAttributeValues.
    UndefinedValue {
        /// The placeholder.
        placeholder: String,
    },
    /// A call of a function that does not exist.
    UnknownFunction {
        /// The name as written.
        function: String,
    },
    /// A function that this kind of expression does not have.
    FunctionNotAllowed {
        /// The function.
        function: String,
    },
    /// A function where its result does not fit, such as `size` as a condition.
    FunctionMisused {
        /// The function.
        function: String,
    },
    /// A wrong number of operands.
    OperandCount {
        /// The operator or function.
        operator: String,
        /// The number of operands.
        count: usize,
    },
    /// A literal of a type that the operator cannot take.
    OperandType {
        /// The operator or function.
        operator: String,
        /// The literal's type.
        found: ValueKind,
    },
    /// ADD or DELETE with a literal of a type they cannot take.
    ClauseOperandType {
        /// `ADD` or `DELETE`.
        clause: &'static str,
        /// The literal's type.
        found: ValueKind,
    },
    /// A literal where only a path is possible.
    PathRequired {
        /// The operator or function.
        operator: String,
    },
    /// The same operand on both sides.
    OperandsNotDistinct {
        /// The operator or function.
        operator: String,
        /// The operand.
        operand: Path,
    },
    /// `attribute_type` with a text that is not the name of a type.
    UnknownType {
        /// The text.
        name: String,
    },
    /// BETWEEN with bounds of different types.
    BetweenTypes {
        /// The lower bound, printed.
        lower: String,
        /// The upper bound, printed.
        upper: String,
    },
    /// BETWEEN with the lower bound above the upper.
    BetweenOrder {
        /// The lower bound, printed.
        lower: String,
        /// The upper bound, printed.
        upper: String,
    },
    /// More than 100 operands in an IN list.
    TooManyInOperands {
        /// Their number.
        count: usize,
    },
    /// An update clause keyword a second time.
    RepeatedClause {
        /// The keyword.
        clause: &'static str,
    },
    /// One path lies within the other.
    Overlap {
        /// The earlier path.
        one: Path,
        /// The later path.
        two: Path,
    },
    /// Two paths see one value as a map and as a list.
    Conflict {
        /// The earlier path.
        one: Path,
        /// The later path.
        two: Path,
    },
    /// An operator that key conditions do not have.
    KeyOperator {
        /// The operator.
        operator: String,
    },
    /// More than one condition on one key attribute.
    KeyConditionRepeated,
    /// A path into a document where a key attribute is needed.
    KeyNested,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // DynamoDB's message for this reason has no prefix.
        if let ExprErrorKind::KeyOperator { operator } = &self.kind {
            return write!(
                f,
                "Invalid operator used in KeyConditionExpression: {operator}"
            );
        }
        write!(f, "Invalid {}: {}", self.expression.parameter(), self.kind)
    }
}

impl std::error::Error for ExprError {}

impl fmt::Display for ExprErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExprErrorKind::Empty => write!(f, "The expression can not be empty;"),
            ExprErrorKind::TooLong { bytes } => {
                write!(
                    f,
                    "Expression size has exceeded the maximum allowed size; expression size: {bytes}"
                )
            }
            ExprErrorKind::Syntax { token, near } => {
                write!(f, "Syntax error; token: \"{token}\", near: \"{near}\"")
            }
            ExprErrorKind::RedundantParentheses => {
                write!(f, "The expression has redundant parentheses;")
            }
            ExprErrorKind::TooManyOperators { count } => {
                write!(
                    f,
                    "The expression contains too many operators; operator count: {count}"
                )
            }
            ExprErrorKind::TooDeep => write!(f, "The expression is nested too deeply;"),
            ExprErrorKind::PathTooDeep { levels } => {
                write!(
                    f,
                    "The document path has too many nesting levels; nesting levels: {levels}"
                )
            }
            ExprErrorKind::ListIndex { index } => {
                write!(
                    f,
                    "List index is not within the allowable range; index: [{index}]"
                )
            }
            ExprErrorKind::ReservedWord { word } => {
                write!(
                    f,
                    "Attribute name is a reserved keyword; reserved keyword: {word}"
                )
            }
            ExprErrorKind::UndefinedName { placeholder } => write!(
                f,
                "An expression attribute name used in the document path is not defined; attribute name: {placeholder}"
            ),
            ExprErrorKind::UndefinedValue { placeholder } => write!(
                f,
                "An expression attribute value used in expression is not defined; attribute value: {placeholder}"
            ),
            ExprErrorKind::UnknownFunction { function } => {
                write!(f, "Invalid function name; function: {function}")
            }
            ExprErrorKind::FunctionNotAllowed { function } => {
                write!(
                    f,
                    "The function is not allowed in this expression; function: {function}"
                )
            }
            ExprErrorKind::FunctionMisused { function } => {
                write!(
                    f,
                    "The function is not allowed to be used this way in an expression; function: {function}"
                )
            }
            ExprErrorKind::OperandCount { operator, count } => write!(
                f,
                "Incorrect number of operands for operator or function; operator or function: {operator}, number of operands: {count}"
            ),
            ExprErrorKind::OperandType { operator, found } => write!(
                f,
                "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {}",
                found.descriptor()
            ),
            ExprErrorKind::ClauseOperandType { clause, found } => write!(
                f,
                "Incorrect operand type for operator or function; operator: {clause}, operand type: {}, typeSet: ALLOWED_FOR_{clause}_OPERAND",
                found.long_name()
            ),
            ExprErrorKind::PathRequired { operator } => {
                write!(
                    f,
                    "Operator or function requires a document path; operator or function: {operator}"
                )
            }
            ExprErrorKind::OperandsNotDistinct { operator, operand } => write!(
                f,
                "The first operand must be distinct from the remaining operands for this operator or function; operator: {operator}, first operand: {operand}"
            ),
            ExprErrorKind::UnknownType { name } => write!(
                f,
                "Invalid attribute type name found; type: {name}, valid types: {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
            ),
            ExprErrorKind::BetweenTypes { lower, upper } => write!(
                f,
                "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
            ),
            ExprErrorKind::BetweenOrder { lower, upper } => write!(
                f,
                "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {lower}, upper bound operand: AttributeValue: {upper}"
            ),
            ExprErrorKind::TooManyInOperands { count } => {
                write!(
                    f,
                    "The IN operator is provided with too many operands; number of operands: {count}"
                )
            }
            ExprErrorKind::RepeatedClause { clause } => {
                write!(
                    f,
                    "The \"{clause}\" section can only be used once in an update expression;"
                )
            }
            ExprErrorKind::Overlap { one, two } => write!(
                f,
                "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {one}, path two: {two}"
            ),
            ExprErrorKind::Conflict { one, two } => write!(
                f,
                "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {one}, path two: {two}"
            ),
            ExprErrorKind::KeyOperator { operator } => {
                write!(
                    f,
                    "Invalid operator used in KeyConditionExpression: {operator}"
                )
            }
            ExprErrorKind::KeyConditionRepeated => {
                write!(
                    f,
                    "KeyConditionExpressions must only contain one condition per key"
                )
            }
            ExprErrorKind::KeyNested => {
                write!(
                    f,
                    "KeyConditionExpressions cannot have conditions on nested attributes"
                )
            }
        }
    }
}

/// The reason for which an update cannot be applied to an item. `Display` is DynamoDB's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// A target's parent is missing, or is not a map or list.
    #[error("The document path provided in the update expression is invalid for update")]
    InvalidPath,
    /// An operand's path has no value.
    #[error("The provided expression refers to an attribute that does not exist in the item")]
    MissingOperand,
    /// An operand's value has the wrong type.
    #[error("An operand in the update expression has an incorrect data type")]
    OperandType,
    /// A value of AttributeUpdates does not fit the type of the attribute.
    #[error("Type mismatch for attribute to update")]
    AttributeType,
    /// The result of arithmetic cannot be stored.
    #[error("{}", number_message(*.0))]
    Number(NumberError),
    /// The assigned values have more bytes than an item may have.
    #[error("Item size to update has exceeded the maximum allowed size")]
    ItemSize,
}

/// DynamoDB's message for a number that cannot be stored.
pub fn number_message(error: NumberError) -> &'static str {
    match error {
        NumberError::Syntax => "The parameter cannot be converted to a numeric value",
        NumberError::Overflow => {
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        }
        NumberError::Underflow => {
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        }
        NumberError::Precision => "Attempting to store more than 38 significant digits in a Number",
    }
}
