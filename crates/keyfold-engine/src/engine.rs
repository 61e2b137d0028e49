//! The engine's handle: opening, and one method for each operation.

use crate::catalog::Catalog;
use crate::environment::Environment;
use crate::ops;
use crate::pending::{Pending, internal};
use crate::sweep::Sweeper;
use crate::table::Table;
use keyfold_api::{
    ApiError, BatchGetItemInput, BatchGetItemOutput, BatchWriteItemInput, BatchWriteItemOutput,
    CreateTableInput, DeleteItemInput, DeleteTableInput, DescribeTableInput, GetItemInput, GetItemOutput,
    ListTablesInput, ListTablesOutput, PageOutput, PutItemInput, QueryInput, Request, Response, ScanInput,
    TableDescription, TransactGetItemsInput, TransactGetItemsOutput, TransactWriteItemsInput,
    TransactWriteItemsOutput, UpdateItemInput, WriteItemOutput,
};
use keyfold_store::{Store, StoreCounts, StoreOptions};
use keyfold_types::limits::ITEM_COLLECTION_BYTES_MAX;
use std::sync::Arc;

/// How an engine is opened.
#[derive(Clone)]
pub struct EngineOptions {
    /// Where bytes are kept.
    pub store: StoreOptions,
    /// Time and randomness.
    pub environment: Environment,
    /// The region in ARNs.
    pub region: String,
    /// The account in ARNs.
    pub account: String,
    /// Bytes of an item collection at the most, on tables with local indexes.
    pub item_collection_bytes_max: u64,
}

impl EngineOptions {
    /// The defaults over a store.
    pub fn new(store: StoreOptions) -> EngineOptions {
        EngineOptions {
            store,
            environment: Environment::system(),
            region: "us-east-1".to_owned(),
            account: "000000000000".to_owned(),
            item_collection_bytes_max: ITEM_COLLECTION_BYTES_MAX,
        }
    }
}

/// Tables with DynamoDB's semantics. Shared by reference between threads.
///
/// # Example
/// ```
/// use keyfold_api::{GetItemInput, ListTablesInput};
/// use keyfold_engine::{Engine, EngineOptions, StoreOptions};
///
/// let engine = Engine::open(EngineOptions::new(StoreOptions::Memory))?;
/// let tables = engine.list_tables(ListTablesInput::default()).wait()?;
/// assert!(tables.table_names.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    // Dropped in this order: the sweeper uses the store.
    sweeper: Sweeper,
    catalog: Catalog,
    store: Arc<Store>,
    options: EngineOptions,
}

impl Engine {
    /// Opens or creates an engine.
    ///
    /// # Errors
    /// `Internal` when the store cannot be opened or its catalog not read.
    pub fn open(options: EngineOptions) -> Result<Engine, ApiError> {
        let store = Arc::new(Store::open(options.store.clone()).map_err(internal)?);
        let catalog = Catalog::load(&store)?;
        let sweeper = Sweeper::start(Arc::clone(&store)).map_err(internal)?;
        Ok(Engine { sweeper, catalog, store, options })
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn options(&self) -> &EngineOptions {
        &self.options
    }

    pub(crate) fn sweeper(&self) -> &Sweeper {
        &self.sweeper
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.options.environment.clock.now_ms()
    }

    /// The table of a name.
    pub fn table(&self, name: &str) -> Option<Arc<Table>> {
        self.catalog.read().get(name).cloned()
    }

    /// What the store did so far, for tests of complexity.
    pub fn store_counts(&self) -> StoreCounts {
        self.store.counts()
    }

    /// The plan of a query's next page.
    ///
    /// # Errors
    /// As [`Engine::query`].
    pub fn plan_query(&self, input: QueryInput) -> Result<crate::page::ReadPlan, ApiError> {
        ops::query::plan(self, input)
    }

    /// Carries out any operation.
    pub fn execute(&self, request: Request) -> Pending<Response> {
        match request {
            Request::BatchGetItem(input) => self.batch_get_item(input).map(Response::BatchGetItem),
            Request::BatchWriteItem(input) => self.batch_write_item(input).map(Response::BatchWriteItem),
            Request::CreateTable(input) => self.create_table(input).map(Response::CreateTable),
            Request::DeleteItem(input) => self.delete_item(input).map(Response::DeleteItem),
            Request::DeleteTable(input) => self.delete_table(input).map(Response::DeleteTable),
            Request::DescribeTable(input) => self.describe_table(input).map(Response::DescribeTable),
            Request::GetItem(input) => self.get_item(input).map(Response::GetItem),
            Request::ListTables(input) => self.list_tables(input).map(Response::ListTables),
            Request::PutItem(input) => self.put_item(input).map(Response::PutItem),
            Request::Query(input) => self.query(input).map(Response::Query),
            Request::Scan(input) => self.scan(input).map(Response::Scan),
            Request::TransactGetItems(input) => {
                self.transact_get_items(input).map(Response::TransactGetItems)
            }
            Request::TransactWriteItems(input) => {
                self.transact_write_items(input).map(Response::TransactWriteItems)
            }
            Request::UpdateItem(input) => self.update_item(input).map(Response::UpdateItem),
        }
    }

    /// Creates a table with its indexes.
    pub fn create_table(&self, input: CreateTableInput) -> Pending<TableDescription> {
        ops::create_table::run(self, input)
    }

    /// Describes a table.
    pub fn describe_table(&self, input: DescribeTableInput) -> Pending<TableDescription> {
        Pending::ready(ops::describe_table::run(self, input))
    }

    /// Lists table names.
    pub fn list_tables(&self, input: ListTablesInput) -> Pending<ListTablesOutput> {
        Pending::ready(ops::list_tables::run(self, input))
    }

    /// Deletes a table and its items.
    pub fn delete_table(&self, input: DeleteTableInput) -> Pending<TableDescription> {
        ops::delete_table::run(self, input)
    }

    /// Reads an item.
    pub fn get_item(&self, input: GetItemInput) -> Pending<GetItemOutput> {
        Pending::ready(ops::get_item::run(self, input))
    }

    /// Writes an item.
    pub fn put_item(&self, input: PutItemInput) -> Pending<WriteItemOutput> {
        ops::put_item::run(self, input)
    }

    /// Changes an item.
    pub fn update_item(&self, input: UpdateItemInput) -> Pending<WriteItemOutput> {
        ops::update_item::run(self, input)
    }

    /// Deletes an item.
    pub fn delete_item(&self, input: DeleteItemInput) -> Pending<WriteItemOutput> {
        ops::delete_item::run(self, input)
    }

    /// Reads a page of a partition.
    pub fn query(&self, input: QueryInput) -> Pending<PageOutput> {
        Pending::ready(ops::query::run(self, input))
    }

    /// Reads a page of a table or index.
    pub fn scan(&self, input: ScanInput) -> Pending<PageOutput> {
        Pending::ready(ops::scan::run(self, input))
    }

    /// Reads items by key.
    pub fn batch_get_item(&self, input: BatchGetItemInput) -> Pending<BatchGetItemOutput> {
        Pending::ready(ops::batch_get_item::run(self, input))
    }

    /// Puts and deletes items.
    pub fn batch_write_item(&self, input: BatchWriteItemInput) -> Pending<BatchWriteItemOutput> {
        ops::batch_write_item::run(self, input)
    }

    /// Reads items as they are at one moment.
    pub fn transact_get_items(&self, input: TransactGetItemsInput) -> Pending<TransactGetItemsOutput> {
        Pending::ready(ops::transact_get_items::run(self, input))
    }

    /// Writes items together or not at all.
    pub fn transact_write_items(&self, input: TransactWriteItemsInput) -> Pending<TransactWriteItemsOutput> {
        ops::transact_write_items::run(self, input)
    }
}
