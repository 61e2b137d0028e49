//! The operations, and a request or response of any of them.

use crate::input::{
    BatchGetItemInput, BatchWriteItemInput, DeleteItemInput, GetItemInput, PutItemInput, QueryInput,
    ScanInput, TransactGetItemsInput, TransactWriteItemsInput, UpdateItemInput,
};
use crate::output::{
    BatchGetItemOutput, BatchWriteItemOutput, GetItemOutput, PageOutput, TransactGetItemsOutput,
    TransactWriteItemsOutput, WriteItemOutput,
};
use crate::table::{
    CreateTableInput, DeleteTableInput, DescribeTableInput, ListTablesInput, ListTablesOutput,
    TableDescription,
};

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($input:ty) -> $output:ty),+ $(,)?) => {
        /// An operation that Keyfold carries out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Operation { $($(#[$doc])* $name),+ }

        impl Operation {
            /// Every operation, once.
            pub const ALL: &'static [Operation] = &[$(Operation::$name),+];

            /// The operation's name in the API.
            pub fn name(self) -> &'static str {
                match self { $(Operation::$name => stringify!($name)),+ }
            }
        }

        /// The input of any operation.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Request { $($(#[$doc])* $name($input)),+ }

        impl Request {
            /// Which operation is asked for.
            pub fn operation(&self) -> Operation {
                match self { $(Request::$name(_) => Operation::$name),+ }
            }
        }

        $(impl From<$input> for Request {
            fn from(input: $input) -> Request { Request::$name(input) }
        })+

        /// The output of any operation.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Response { $($(#[$doc])* $name($output)),+ }
    };
}

operations! {
    /// Reads items by key.
    BatchGetItem(BatchGetItemInput) -> BatchGetItemOutput,
    /// Puts and deletes items.
    BatchWriteItem(BatchWriteItemInput) -> BatchWriteItemOutput,
    /// Makes a table.
    CreateTable(CreateTableInput) -> TableDescription,
    /// Deletes an item.
    DeleteItem(DeleteItemInput) -> WriteItemOutput,
    /// Removes a table.
    DeleteTable(DeleteTableInput) -> TableDescription,
    /// Tells a table's state.
    DescribeTable(DescribeTableInput) -> TableDescription,
    /// Reads an item.
    GetItem(GetItemInput) -> GetItemOutput,
    /// Lists tables.
    ListTables(ListTablesInput) -> ListTablesOutput,
    /// Writes an item.
    PutItem(PutItemInput) -> WriteItemOutput,
    /// Reads a partition.
    Query(QueryInput) -> PageOutput,
    /// Reads a table.
    Scan(ScanInput) -> PageOutput,
    /// Reads items at one moment.
    TransactGetItems(TransactGetItemsInput) -> TransactGetItemsOutput,
    /// Writes items together.
    TransactWriteItems(TransactWriteItemsInput) -> TransactWriteItemsOutput,
    /// Changes an item.
    UpdateItem(UpdateItemInput) -> WriteItemOutput,
}
