//! What a place of a move is: tables behind the API, or an export.

use crate::exported::Exports;
use keyfold_api::{Request, Response};
use keyfold_client::{Backend, ClientError};
use keyfold_types::Item;
use std::sync::Arc;

/// What a place of a move is.
#[derive(Clone)]
pub enum Side {
    /// Tables behind the API.
    Tables(Arc<Backend>),
    /// An export, which is read only.
    Export(Arc<Exports>),
}

impl From<Arc<Backend>> for Side {
    fn from(backend: Arc<Backend>) -> Side {
        Side::Tables(backend)
    }
}

impl Side {
    /// Syncs all acknowledged writes of an engine in this process.
    ///
    /// # Errors
    /// `Service` when the sync fails.
    pub fn sync(&self) -> Result<(), ClientError> {
        match self {
            Side::Tables(backend) => backend.sync(),
            Side::Export(_) => Ok(()),
        }
    }

    /// Carries out a request.
    pub(crate) fn call(&self, request: Request) -> Result<Response, ClientError> {
        match self {
            Side::Tables(backend) => backend.call(request),
            Side::Export(exports) => exports.call(request),
        }
    }

    /// Carries out a request with another `User-Agent`.
    pub(crate) fn call_as(&self, agent: &str, request: Request) -> Result<Response, ClientError> {
        match self {
            Side::Tables(backend) => backend.call_as(agent, request),
            Side::Export(exports) => exports.call(request),
        }
    }

    /// Notes which items are asked for next.
    pub(crate) fn will_get(&self, table: &str, keys: &[Item]) {
        match self {
            Side::Tables(_) => {}
            Side::Export(exports) => exports.will_get(table, keys),
        }
    }
}
