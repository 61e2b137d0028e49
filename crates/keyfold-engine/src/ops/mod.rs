//! One file for each operation: `check` (no table), `plan` (no items), then the work.

pub(crate) mod batch_get_item;
pub(crate) mod batch_write_item;
pub(crate) mod capacity;
pub(crate) mod create_table;
pub(crate) mod delete_item;
pub(crate) mod delete_table;
pub(crate) mod describe_table;
pub(crate) mod get_item;
mod key_range;
pub(crate) mod list_tables;
pub(crate) mod put_item;
pub(crate) mod query;
mod read_options;
pub(crate) mod scan;
mod single_write;
pub(crate) mod transact_get_items;
mod transact_token;
pub(crate) mod transact_write_items;
pub(crate) mod update_item;
