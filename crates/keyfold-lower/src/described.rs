//! What DescribeTable says of a table.

use crate::error::{ClientError, unexpected};
use crate::lowering::Io;
use keyfold_api::{DescribeTableInput, ErrorKind, Response, TableDescription};

/// The description of a table; `None` when there is none of this name.
///
/// # Errors
/// The backend's error.
pub(crate) async fn described(
    io: &Io,
    table: &str,
) -> Result<Option<TableDescription>, ClientError> {
    let input = DescribeTableInput {
        table_name: Some(table.to_owned()),
    };
    match io.ask(input.into()).await {
        Ok(Response::DescribeTable(description)) => Ok(Some(description)),
        Ok(_) => Err(unexpected()),
        Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(None),
        Err(error) => Err(error),
    }
}
