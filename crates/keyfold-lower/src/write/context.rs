//! The handle and the model that every step of a write is made with.

use crate::capacity;
use crate::error::{ClientError, unexpected};
use crate::lowering::Io;
use keyfold_api::{GetItemInput, Response};
use keyfold_model::Model;
use keyfold_types::Item;

/// The handle and the model of a write.
pub(super) struct Context<'c> {
    pub(super) io: &'c Io,
    pub(super) model: &'c Model,
}

impl Context<'_> {
    /// Reads an item with strong consistency; `None` when there is no item with that key.
    ///
    /// # Errors
    /// The backend's error, `ResourceNotFound` when the table does not exist.
    pub(super) async fn get(&self, table: &str, key: &Item) -> Result<Option<Item>, ClientError> {
        let input = GetItemInput {
            table_name: Some(table.to_owned()),
            key: Some(Ok(key.clone())),
            consistent_read: Some(true),
            returns: capacity::requested(),
            ..GetItemInput::default()
        };
        let Response::GetItem(output) = self.io.ask(input.into()).await? else {
            return Err(unexpected());
        };
        Ok(output.item.map(|item| item.to_item()))
    }
}
