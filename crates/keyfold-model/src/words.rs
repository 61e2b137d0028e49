//! Words of the language that choose one of several meanings. Declarations and the resolved model
//! share these types.

use crate::types::Type;
use std::fmt;

/// The verb of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Writes a new item; an existing item is an error.
    Create,
    /// Writes all attributes of an item, whether it exists or not.
    Put,
    /// Changes an item that must exist.
    Update,
    /// Changes an item, or writes a new one where there is none.
    Upsert,
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
            Verb::Upsert => "create or update",
            Verb::Delete => "delete",
            Verb::Check => "check",
        }
    }

    /// Whether the action writes all attributes of the item, which may not exist before.
    pub fn writes_all_attributes(self) -> bool {
        match self {
            Verb::Create | Verb::Put => true,
            Verb::Update | Verb::Upsert | Verb::Delete | Verb::Check => false,
        }
    }

    /// Whether the action changes some attributes of an item.
    pub(crate) fn changes(self) -> bool {
        match self {
            Verb::Update | Verb::Upsert => true,
            Verb::Create | Verb::Put | Verb::Delete | Verb::Check => false,
        }
    }

    /// Whether the action may write a new item, so that the attributes it does not assign become
    /// parameters.
    pub fn may_create(self) -> bool {
        match self {
            Verb::Create | Verb::Put | Verb::Upsert => true,
            Verb::Update | Verb::Delete | Verb::Check => false,
        }
    }
}

/// The way in which an assignment joins its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// `a + b`: numbers are added; an element comes to the end of a list, or into a set.
    Plus,
    /// `a - b`: a number is subtracted, an element is taken out of a set.
    Minus,
    /// `b + a`: an element comes to the beginning of a list, which is the left operand.
    Before,
}

/// How the values of a unique attribute are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// As they are.
    Whole,
    /// In small letters.
    Lower,
}

impl Compared {
    /// All that have a word.
    pub(crate) const NAMED: [Compared; 1] = [Compared::Lower];

    /// Its word in the language; `None` for values as they are.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Compared::Whole => None,
            Compared::Lower => Some("lower"),
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

/// What a column of a view makes of the values of its source's attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The sum.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The sum divided by the number of values.
    Average,
    /// The number of different values.
    Distinct,
}

impl Fold {
    /// All of them.
    pub(crate) const ALL: [Fold; 5] = [
        Fold::Sum,
        Fold::Min,
        Fold::Max,
        Fold::Average,
        Fold::Distinct,
    ];

    /// Its word in the language.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Min => "min",
            Fold::Max => "max",
            Fold::Average => "average",
            Fold::Distinct => "distinct",
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
    /// Values of any type that has an order, least first; texts by their bytes.
    Ascending,
    /// Values of any type that has an order, greatest first.
    Descending,
}

impl Order {
    /// All of them.
    pub(crate) const ALL: [Order; 6] = [
        Order::Newest,
        Order::Oldest,
        Order::Highest,
        Order::Lowest,
        Order::Ascending,
        Order::Descending,
    ];

    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Order::Newest => "newest",
            Order::Oldest => "oldest",
            Order::Highest => "highest",
            Order::Lowest => "lowest",
            Order::Ascending => "ascending",
            Order::Descending => "descending",
        }
    }

    /// Whether the greatest value comes first.
    pub fn is_descending(self) -> bool {
        match self {
            Order::Newest | Order::Highest | Order::Descending => true,
            Order::Oldest | Order::Lowest | Order::Ascending => false,
        }
    }

    /// The same direction for values of any type.
    pub(crate) fn general(self) -> Order {
        if self.is_descending() {
            Order::Descending
        } else {
            Order::Ascending
        }
    }

    /// The same direction for values of a type; `None` where they have no order.
    pub(crate) fn of_type(self, kind: &Type) -> Option<Order> {
        let (descending, ascending) = if kind.is_time() {
            (Order::Newest, Order::Oldest)
        } else if kind.is_number() {
            (Order::Highest, Order::Lowest)
        } else {
            (Order::Descending, Order::Ascending)
        };
        let found = if self.is_descending() {
            descending
        } else {
            ascending
        };
        found.fits(kind).then_some(found)
    }

    /// Whether it orders values of a type.
    pub(crate) fn fits(self, kind: &Type) -> bool {
        match self {
            Order::Newest | Order::Oldest => kind.is_time(),
            Order::Highest | Order::Lowest => kind.is_number(),
            Order::Ascending | Order::Descending => kind.has_order(),
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
    /// `in (a, b)`: one of several.
    In,
    /// `in low..high`: a range, ends included.
    Within,
}

/// What of an attribute a comparison looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Its value, or that of a field inside it.
    Value,
    /// `size(a)`: the length of a text (in UTF-16 units) or of bytes, or the number of elements.
    Size,
    /// `kind`: the entity of the item.
    Kind,
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
            Comparator::In | Comparator::Within => "in",
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
            | Comparator::Exists
            | Comparator::In
            | Comparator::Within => true,
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

/// The capacity of a table or a global index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// On demand: the table pays for each request.
    OnDemand,
    /// Provisioned units a second.
    Provisioned {
        /// Read units a second.
        reads: Units,
        /// Write units a second.
        writes: Units,
        /// The use, in percent, at which autoscaling holds the units; `None` if neither scales.
        target: Option<u64>,
    },
}

/// Units a second, and the bounds of their autoscaling. Both are equal for units that do not scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// The least, with which a table is made.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl Units {
    /// Whether they scale.
    pub fn scale(self) -> bool {
        self.least != self.most
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Units { least, most } = self;
        if self.scale() {
            write!(f, "{least}..{most}")
        } else {
            write!(f, "{least}")
        }
    }
}

impl Capacity {
    /// Whether reads or writes scale.
    pub fn scales(self) -> bool {
        match self {
            Capacity::OnDemand => false,
            Capacity::Provisioned { reads, writes, .. } => reads.scale() || writes.scale(),
        }
    }
}

/// The capacity as the language writes it: `5..100 read 5 write at 70 percent`.
impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Capacity::OnDemand => f.write_str("on demand"),
            Capacity::Provisioned {
                reads,
                writes,
                target,
            } => {
                write!(f, "{reads} read {writes} write")?;
                target.map_or(Ok(()), |target| write!(f, " at {target} percent"))
            }
        }
    }
}

/// The images of an item in the records of a table's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamView {
    /// The item before and after the change.
    NewAndOld,
    /// The item after the change.
    New,
    /// The item before the change.
    Old,
    /// The key.
    Keys,
}

impl StreamView {
    /// Its words in the language.
    pub fn words(self) -> &'static str {
        match self {
            StreamView::NewAndOld => "new and old images",
            StreamView::New => "new images",
            StreamView::Old => "old images",
            StreamView::Keys => "keys",
        }
    }
}

/// The class of a table's prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableClass {
    /// The usual one.
    Standard,
    /// Cheaper storage, dearer requests.
    InfrequentAccess,
}

impl TableClass {
    /// Its words in the language.
    pub fn words(self) -> &'static str {
        match self {
            TableClass::Standard => "standard",
            TableClass::InfrequentAccess => "infrequent access",
        }
    }
}
