//! The engine's handle: opening, maintenance, and a method for each operation that embedders use.

use crate::base::caller::Caller;
use crate::base::error::internal;
use crate::base::open_error::OpenError;
use crate::base::options::EngineOptions;
use crate::base::pending::Pending;
use crate::catalog::Catalog;
use crate::core::Core;
use crate::dispatch::dispatch;
use crate::jobs::resume::resume;
use crate::jobs::worker::{Background, SharedProgress};
use crate::ops;
use crate::state_at;
use keyfold_api::*;
use keyfold_store::{MaintenanceCounts, Store, StoreCounts, StoreError};
use std::sync::Arc;

/// Tables with DynamoDB's semantics. Shared by reference between threads.
///
/// # Example
/// ```
/// use keyfold_api::{GetItemInput, ListTablesInput};
/// use keyfold_engine::{Engine, EngineOptions, StoreOptions};
///
/// let engine = Engine::open(EngineOptions::new(StoreOptions::Memory))?;
/// let tables = engine.list_tables(ListTablesInput::default()).wait()?;
/// assert_eq!(tables.table_names, Some(vec![]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    core: Core<'static>,
    progress: SharedProgress,
    /// Ends when the engine is dropped.
    _background: Option<Background>,
}

impl Engine {
    /// Opens or creates an engine.
    ///
    /// # Errors
    /// When the data folder is in use, is not Keyfold's, has another format, is corrupt, or cannot be
    /// read and written.
    pub fn open(options: EngineOptions) -> Result<Engine, OpenError> {
        let store = Store::open(options.store.clone())?;
        let catalog = Catalog::load(&store)?;
        let in_background = options.background;
        let newest_moment = state_at::newest_moment(&catalog, &store)?;
        let secret = secret(&store, &options)?;
        let core = Core::new(catalog, store, options, newest_moment, secret);
        resume(&core).map_err(OpenError::of_resumed)?;
        let progress = SharedProgress::default();
        let background = in_background
            .then(|| Background::start(core.clone(), progress.clone()))
            .transpose()
            .map_err(|error| OpenError::Io(Arc::new(error)))?;
        Ok(Engine {
            core,
            progress,
            _background: background,
        })
    }

    /// Does the background work until none is due, like the background thread.
    ///
    /// # Errors
    /// `Internal` when the store fails.
    pub fn work(&self) -> Result<(), ApiError> {
        let failed = loop {
            let mut progress = self.progress.lock();
            // An explicit call does not pause after failures.
            progress.end_pauses();
            let turn = progress.work(&self.core);
            if !turn.has_more {
                break turn
                    .failures
                    .into_iter()
                    .next_back()
                    .map(|(_, error)| error);
            }
        };
        if let Some(error) = failed {
            return Err(error);
        }
        self.core.store().barrier().wait().map_err(internal)
    }

    /// Syncs all acknowledged writes, with any durability. The process may then end without dropping
    /// the engine; a drop waits for the present piece of background work. The next start resumes
    /// background work, but exports and imports under way end as failed.
    ///
    /// # Errors
    /// `Internal` when the sync fails.
    pub fn sync(&self) -> Result<(), ApiError> {
        self.core.store().barrier().wait().map_err(internal)?;
        self.core.store().sync().map_err(internal)
    }

    /// The number of failures of background work since the engine was opened.
    pub fn background_failures(&self) -> u64 {
        self.core.failures()
    }

    /// Examines all stored data. No other caller may use the engine meanwhile.
    ///
    /// # Errors
    /// `Internal` when the store cannot be read.
    pub fn examine(&self) -> Result<crate::doctor::Examination, ApiError> {
        crate::doctor::examine(&self.core)
    }

    /// Rebuilds all indexes and counters from the items. No other caller may use the engine meanwhile.
    ///
    /// # Errors
    /// `Internal` when the store fails.
    pub fn rebuild_indexes(&self) -> Result<(), ApiError> {
        crate::doctor::repair(&self.core)
    }

    /// Copies the present state of all data into a new data folder, while others read and write.
    /// Returns the bytes of the copy.
    ///
    /// # Errors
    /// `Validation` when the folder is not empty, in use or this engine's own, or cannot be created.
    /// `Internal` when it cannot be written.
    pub fn copy_to(&self, folder: &std::path::Path) -> Result<u64, ApiError> {
        self.core.store().copy_to(folder).map_err(|error| {
            if let StoreError::Foreign(why) = error {
                Validation::Sentence(why).into()
            } else {
                internal(error)
            }
        })
    }

    /// Counts of the store's work, for tests of complexity.
    pub fn store_counts(&self) -> StoreCounts {
        self.core.store().counts()
    }

    /// The flushes and compactions of the store that are due and that were done.
    pub fn maintenance(&self) -> MaintenanceCounts {
        self.core.store().maintenance()
    }

    /// The plan of a query's next page.
    ///
    /// # Errors
    /// As [`Engine::query`].
    pub fn plan_query(&self, input: QueryInput) -> Result<crate::read::page::ReadPlan, ApiError> {
        ops::query::plan(&self.core, input)
    }

    /// The region of full names, unless a request has another.
    pub fn region(&self) -> &str {
        self.core.region()
    }

    /// The tables that a request touches, and whether it changes them.
    pub fn resources(&self, request: &Request) -> Vec<crate::access::Resource> {
        crate::access::resources(&self.core, request)
    }

    /// Executes any operation.
    ///
    /// A write blocks while staged bytes are above the hard limit (64 MB). Async callers wait with
    /// [`Engine::wait_for_back_pressure`] before it.
    pub fn execute(&self, request: Request) -> Pending<Response> {
        dispatch(&self.core, request)
    }

    /// Executes any operation for a caller. Full names in the answer have its region, which shares all
    /// tables with the others, and the policies of tables see its agent.
    pub fn execute_for(&self, caller: Caller<'_>, request: Request) -> Pending<Response> {
        dispatch(&self.core.for_caller(caller), request)
    }

    /// Whether staged bytes are above the soft limit (32 MB).
    pub fn has_back_pressure(&self) -> bool {
        self.core.store().back_pressure().is_some()
    }

    /// Waits while staged bytes are above the soft limit, for async callers, which must not block
    /// their thread.
    pub async fn wait_for_back_pressure(&self) {
        while let Some(ahead) = self.core.store().back_pressure() {
            // A failure is reported to the write.
            drop(ahead.await);
        }
    }

    /// Creates a table with its indexes.
    pub fn create_table(&self, input: CreateTableInput) -> Pending<TableDescription> {
        ops::create_table::run(&self.core, input)
    }

    /// Describes a table.
    pub fn describe_table(&self, input: DescribeTableInput) -> Pending<TableDescription> {
        Pending::ready(ops::describe_table::run(&self.core, input))
    }

    /// Lists table names.
    pub fn list_tables(&self, input: ListTablesInput) -> Pending<ListTablesOutput> {
        Pending::ready(ops::list_tables::run(&self.core, input))
    }

    /// Deletes a table and its items.
    pub fn delete_table(&self, input: DeleteTableInput) -> Pending<TableDescription> {
        ops::delete_table::run(&self.core, input)
    }

    /// Reads an item.
    pub fn get_item(&self, input: GetItemInput) -> Pending<GetItemOutput> {
        Pending::ready(ops::get_item::run(&self.core, input))
    }

    /// Writes an item.
    pub fn put_item(&self, input: PutItemInput) -> Pending<WriteItemOutput> {
        ops::put_item::run(&self.core, input)
    }

    /// Changes an item.
    pub fn update_item(&self, input: UpdateItemInput) -> Pending<WriteItemOutput> {
        ops::update_item::run(&self.core, input)
    }

    /// Deletes an item.
    pub fn delete_item(&self, input: DeleteItemInput) -> Pending<WriteItemOutput> {
        ops::delete_item::run(&self.core, input)
    }

    /// Reads a page of a partition.
    pub fn query(&self, input: QueryInput) -> Pending<PageOutput> {
        Pending::ready(ops::query::run(&self.core, input))
    }

    /// Reads a page of a table or index.
    pub fn scan(&self, input: ScanInput) -> Pending<PageOutput> {
        Pending::ready(ops::scan::run(&self.core, input))
    }

    /// Reads items by key.
    pub fn batch_get_item(&self, input: BatchGetItemInput) -> Pending<BatchGetItemOutput> {
        Pending::ready(ops::batch_get_item::run(&self.core, input))
    }

    /// Puts and deletes items.
    pub fn batch_write_item(&self, input: BatchWriteItemInput) -> Pending<BatchWriteItemOutput> {
        ops::batch_write_item::run(&self.core, input)
    }

    /// Reads items of one state of the store.
    pub fn transact_get_items(
        &self,
        input: TransactGetItemsInput,
    ) -> Pending<TransactGetItemsOutput> {
        Pending::ready(ops::transact_get_items::run(&self.core, input))
    }

    /// Writes items together or not at all.
    pub fn transact_write_items(
        &self,
        input: TransactWriteItemsInput,
    ) -> Pending<TransactWriteItemsOutput> {
        ops::transact_write_items::run(&self.core, input)
    }
}

/// The secret of this data folder's seals. It is created once.
fn secret(store: &Store, options: &EngineOptions) -> Result<[u8; 32], OpenError> {
    let place = crate::base::layout::secret();
    if let Some(known) = store.snapshot().get(&place)? {
        let unreadable =
            |_| OpenError::Corrupt("the secret of the data folder is unreadable".to_owned());
        return known.as_ref().try_into().map_err(unreadable);
    }
    let mut secret = [0; 32];
    for half in secret.chunks_mut(16) {
        half.copy_from_slice(&options.environment.random.next_u128().to_be_bytes());
    }
    let mut batch = keyfold_store::Batch::new();
    batch.put(place, secret.to_vec());
    store.stage(batch)?.wait()?;
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::tasks::Task;
    use crate::jobs::progress::Progress;
    use crate::table::transfer::Export;
    use keyfold_store::StoreOptions;

    fn ask(engine: &Engine, operation: Operation, body: &str) {
        let request = keyfold_wire::decode(operation, body.as_bytes()).unwrap();
        engine.execute(request).wait().unwrap();
    }

    const TABLE: &str = r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
        "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;

    /// An engine with 700 items: more than one piece handles. By the attribute `b` they expired a
    /// hundred seconds ago.
    fn with_items() -> Engine {
        let options = EngineOptions {
            background: false,
            ..EngineOptions::new(StoreOptions::Memory)
        };
        let engine = Engine::open(options).unwrap();
        ask(&engine, Operation::CreateTable, TABLE);
        put_items(&engine);
        engine
    }

    fn put_items(engine: &Engine) {
        let expired = engine.core.now_ms() / 1000 - 100;
        for n in 0..700 {
            let item = format!(r#"{{"p":{{"S":"{n}"}},"g":{{"S":"g"}},"b":{{"N":"{expired}"}}}}"#);
            ask(
                engine,
                Operation::PutItem,
                &format!(r#"{{"TableName":"Tab","Item":{item}}}"#),
            );
        }
    }

    const INDEX: &str = r#"{"TableName":"Tab","AttributeDefinitions":[{"AttributeName":"g","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{
        "IndexName":"NAME","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;

    /// The id of a deleted index is used again, but not the progress of the deleted index.
    #[test]
    fn an_index_with_the_id_of_a_half_built_one_is_built_from_the_beginning() {
        let engine = with_items();
        let mut progress = Progress::default();
        ask(
            &engine,
            Operation::UpdateTable,
            &INDEX.replace("NAME", "First"),
        );
        assert!(progress.work(&engine.core).has_more, "half of the items");
        let delete = r#"{"TableName":"Tab","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"First"}}]}"#;
        ask(&engine, Operation::UpdateTable, delete);
        while progress.work(&engine.core).has_more {}
        ask(
            &engine,
            Operation::UpdateTable,
            &INDEX.replace("NAME", "Second"),
        );
        while progress.work(&engine.core).has_more {}
        let examination = engine.examine().unwrap();
        assert!(examination.is_well(), "{:?}", examination.problems.first());
        assert_eq!(examination.entries, 700);
    }

    /// A setting of time to live that was removed and made again is backfilled from the beginning.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test waits for the clock to go on"
    )]
    fn time_to_live_that_is_set_again_covers_every_item() {
        let engine = with_items();
        let set = |attribute: &str, enabled: bool| {
            let setting = format!(r#"{{"AttributeName":"{attribute}","Enabled":{enabled}}}"#);
            let body = format!(r#"{{"TableName":"Tab","TimeToLiveSpecification":{setting}}}"#);
            ask(&engine, Operation::UpdateTimeToLive, &body);
            // Settings are distinguished by their times.
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        let mut progress = Progress::default();
        set("a", true);
        assert!(progress.work(&engine.core).has_more, "half of the items");
        set("a", false);
        set("b", true);
        while progress.work(&engine.core).has_more {}
        assert_eq!(engine.examine().unwrap().items, 0, "all have expired");
    }

    #[test]
    fn unreadable_items_do_not_stop_the_expiry_of_others() {
        let engine = with_items();
        let setting =
            r#"{"TableName":"Tab","TimeToLiveSpecification":{"AttributeName":"b","Enabled":true}}"#;
        ask(&engine, Operation::UpdateTimeToLive, setting);
        engine.work().unwrap();
        put_items(&engine);
        let table = engine.core.catalog().read()["Tab"].clone();
        let mut batch = keyfold_store::Batch::new();
        for n in 0..100 {
            let key = keyfold_types::Item::from_iter([(
                "p".to_owned(),
                keyfold_types::Value::S(n.to_string()),
            )]);
            let key = keyfold_codec::key::base_key(table.id, &table.key, &key).unwrap();
            batch.put(key.as_slice().to_vec(), b"no item".to_vec());
        }
        engine.core.store().stage(batch).unwrap().wait().unwrap();
        let turn = Progress::default().work(&engine.core);
        assert!(turn.has_more, "others were deleted");
        assert!(!turn.failures.is_empty(), "the failures are reported, too");
        assert!(engine.background_failures() > 0);
        engine.work().unwrap_err();
        let snapshot = engine.core.store().snapshot();
        let (low, high) = (table.id.0.to_be_bytes(), (table.id.0 + 1).to_be_bytes());
        let (low, high) = (
            std::ops::Bound::Included(&low[..]),
            std::ops::Bound::Excluded(&high[..]),
        );
        assert_eq!(
            snapshot
                .range(low, high, keyfold_store::Direction::Forward)
                .count(),
            100
        );
    }

    #[test]
    fn an_interrupted_restore_begins_again() {
        let engine = with_items();
        ask(
            &engine,
            Operation::CreateBackup,
            r#"{"TableName":"Tab","BackupName":"kept"}"#,
        );
        engine.work().unwrap();
        let backup = engine
            .core
            .catalog()
            .backups()
            .values()
            .next()
            .unwrap()
            .clone();
        let arn = engine.core.arn(
            &backup.table.name,
            crate::table::arn::Part::Backup(&backup.label),
        );
        let body = format!(r#"{{"BackupArn":"{arn}","TargetTableName":"Again"}}"#);
        ask(&engine, Operation::RestoreTableFromBackup, &body);
        let mut progress = Progress::default();
        for _ in 0..3 {
            // One turn to remove earlier items, and one to restore some: then a restart.
            (0..2).for_each(|_| drop(progress.work(&engine.core)));
            assert!(!engine.core.catalog().read()["Again"].is_ready());
            progress.restart(&engine.core);
        }
        while progress.work(&engine.core).has_more {}
        assert!(engine.core.catalog().read()["Again"].is_ready());
        // The table, the copy and the backup have the items.
        assert_eq!(engine.examine().unwrap().items, 2100);
    }

    #[test]
    fn a_restore_fails_when_its_source_no_longer_keeps_changes() {
        let engine = with_items();
        let recovery = |is_on: bool| {
            let body = format!(
                r#"{{"TableName":"Tab","PointInTimeRecoverySpecification":{{"PointInTimeRecoveryEnabled":{is_on}}}}}"#
            );
            ask(&engine, Operation::UpdateContinuousBackups, &body);
        };
        recovery(true);
        let body =
            r#"{"SourceTableName":"Tab","TargetTableName":"Again","UseLatestRestorableTime":true}"#;
        ask(&engine, Operation::RestoreTableToPointInTime, body);
        let mut progress = Progress::default();
        progress.work(&engine.core);
        progress.restart(&engine.core);
        recovery(false);
        while progress.work(&engine.core).has_more {}
        let again = engine.core.catalog().read()["Again"].clone();
        assert!(!again.is_ready(), "its changes are no longer kept");
        assert_eq!(again.status, TableStatus::Archived);
        assert!(
            again
                .settings
                .failure
                .as_ref()
                .unwrap()
                .reason
                .contains("no longer kept")
        );
        ask(&engine, Operation::DeleteTable, r#"{"TableName":"Again"}"#);
        while progress.work(&engine.core).has_more {}
        assert!(engine.examine().unwrap().is_well());
    }

    /// A record of another version may hold a filter that this one refuses.
    #[test]
    fn an_export_whose_filter_cannot_be_bound_ends_as_failed() {
        let folder = tempfile::tempdir().unwrap();
        let options = EngineOptions {
            background: false,
            buckets: Some(folder.path().to_owned()),
            ..EngineOptions::new(StoreOptions::Memory)
        };
        let engine = Engine::open(options).unwrap();
        ask(&engine, Operation::CreateTable, TABLE);
        let recovery = r#"{"TableName":"Tab","PointInTimeRecoverySpecification":{"PointInTimeRecoveryEnabled":true}}"#;
        ask(&engine, Operation::UpdateContinuousBackups, recovery);
        let arn = engine.core.table_arn("Tab");
        let body = format!(r#"{{"TableArn":"{arn}","S3Bucket":"bucket"}}"#);
        ask(&engine, Operation::ExportTableToPointInTime, &body);
        let begun = engine.core.tasks().take();
        let Some(Task::Export { export, table }) = begun else {
            panic!("an export was begun");
        };
        let filter = FilterSpecification {
            filter_expression: Some("a = ".to_owned()),
            ..FilterSpecification::default()
        };
        let export = Arc::new(Export {
            filter: Some(filter),
            ..Export::clone(&export)
        });
        engine.core.tasks().add(Task::Export { export, table });
        drop(engine.work());
        let exports = engine.core.catalog().exports();
        let export = exports.values().next().unwrap();
        assert_eq!(export.status, ExportStatus::Failed);
        let (code, message) = export.failure.clone().unwrap();
        assert_eq!(code, "InternalError");
        assert!(message.contains("Syntax error"), "{message}");
    }
}
