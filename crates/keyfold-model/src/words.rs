//! Words of the language that choose one of several meanings. Declarations and the resolved model
//! share these types.

/// The verb of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Writes a new item; an existing item is an error.
    Create,
    /// Writes all attributes of an item, whether it exists or not.
    Put,
    /// Changes an item that must exist.
    Update,
    /// Deletes an item that must exist.
    Delete,
    /// Checks conditions of an item that must exist, without a change.
    Check,
}

impl Verb {
    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Put => "put",
            Verb::Update => "update",
            Verb::Delete => "delete",
            Verb::Check => "check",
        }
    }

    /// Whether the action writes all attributes of the item, which may not exist before.
    pub(crate) fn writes_all_attributes(self) -> bool {
        match self {
            Verb::Create | Verb::Put => true,
            Verb::Update | Verb::Delete | Verb::Check => false,
        }
    }
}

/// A count, sum or maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// The number of items.
    Count,
    /// The sum of an attribute.
    Sum,
    /// The greatest value of an attribute.
    Max,
}

impl AggregateKind {
    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            AggregateKind::Count => "count",
            AggregateKind::Sum => "sum",
            AggregateKind::Max => "max",
        }
    }
}

/// The order that a pattern asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Times, latest first.
    Newest,
    /// Times, earliest first.
    Oldest,
    /// Numbers, greatest first.
    Highest,
    /// Numbers, least first.
    Lowest,
}

impl Order {
    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Order::Newest => "newest",
            Order::Oldest => "oldest",
            Order::Highest => "highest",
            Order::Lowest => "lowest",
        }
    }
}

/// The comparator of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `contains`
    Contains,
    /// `starts`
    Starts,
    /// `exists`
    Exists,
    /// `missing`
    Missing,
}

impl Comparator {
    /// Its word or sign in the language.
    pub fn word(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::Unequal => "<>",
            Comparator::Less => "<",
            Comparator::AtMost => "<=",
            Comparator::Greater => ">",
            Comparator::AtLeast => ">=",
            Comparator::Contains => "contains",
            Comparator::Starts => "starts",
            Comparator::Exists => "exists",
            Comparator::Missing => "missing",
        }
    }

    /// Whether the comparison is false for an item without the attribute.
    pub(crate) fn implies_existence(self) -> bool {
        match self {
            Comparator::Unequal | Comparator::Missing => false,
            Comparator::Equal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast
            | Comparator::Contains
            | Comparator::Starts
            | Comparator::Exists => true,
        }
    }
}

/// The kind of a secondary index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// A local index: the table's partition key with another sort key.
    Local,
    /// A global index: keys of its own.
    Global,
}

/// The capacity of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// On demand: the table pays for each request.
    OnDemand,
    /// Provisioned units a second.
    Provisioned {
        /// Read units a second.
        reads: u64,
        /// Write units a second.
        writes: u64,
    },
}
