//! The resolved model: references are positions instead of names, and all types are known.

mod attribute;
mod condition;
mod entity;
mod followed;
mod former;
mod list;
mod model;
pub mod origin;
mod path;
mod pattern;
mod plan;
mod renamed;
mod table;
pub mod view;
mod write;

pub use crate::period::Precision;
pub use crate::types::{Record, Type};
pub use crate::words::{
    AggregateKind, Capacity, Comparator, Compared, IndexKind, Joint, Measure, Order, StreamView,
    TableClass, Units, Verb,
};
pub use attribute::{Attribute, DefaultValue, hidden};
pub use condition::{Comparison, Condition, Lent, Operand, conjunction};
pub use entity::{
    Aggregate, Copy, Entity, Excluded, Expected, GUARD_SORT, IndexKey, KeyPair, Sparse, Unique,
    UniqueMember, guard_parts, held_in_guard,
};
pub(crate) use entity::{order_by_name, touched};
pub use former::{Former, FormerNumber, FormerPart, FormerSign};
pub(crate) use list::step;
pub use list::{List, Named, Walk, steps};
pub use model::{File, Model};
pub use path::Path;
pub use pattern::{Limit, Ordered, Parameter, Pattern, Returned, Together};
pub use plan::{Fan, Get, Guard, PatternPlan, RequestKind, SortCondition, TablePeriod};
pub use renamed::NewNames;
pub use table::{Column, Index, Projection, Settings, Table};
pub use write::{Action, Assignment, Source, Taken, Write, WriteParameter};
