//! The target of requests: an engine in this process, or an endpoint.

use crate::endpoint::Endpoint;
use crate::http::HttpBackend;
use keyfold_api::{ApiError, Request, Response};
use keyfold_engine::Engine;
use keyfold_lower::ClientError;
use std::sync::Arc;

/// An engine in this process, or an endpoint with DynamoDB's API.
pub enum Backend {
    /// An engine in this process.
    Embedded(Arc<Engine>),
    /// An endpoint: a Keyfold server, Amazon DynamoDB, or another engine with its API.
    Http(Box<HttpBackend>),
}

impl Backend {
    /// A backend at an endpoint, such as `http://127.0.0.1:8000` or
    /// `https://dynamodb.eu-west-1.amazonaws.com`. Requests are signed with the given credentials.
    ///
    /// # Errors
    /// `Invalid` when the URL is no HTTP address.
    pub fn endpoint(
        url: &str,
        region: &str,
        access_key: &str,
        secret: &str,
    ) -> Result<Backend, ClientError> {
        Backend::at(Endpoint {
            region: region.to_owned(),
            access_key: access_key.to_owned(),
            secret: secret.to_owned(),
            ..Endpoint::new(url)
        })
    }

    /// A backend at an endpoint with all its settings.
    ///
    /// # Errors
    /// `Invalid` when the URL is no HTTP address.
    pub fn at(endpoint: Endpoint) -> Result<Backend, ClientError> {
        Ok(Backend::Http(Box::new(HttpBackend::new(endpoint)?)))
    }

    /// Syncs all acknowledged writes of an engine in this process. An endpoint does that itself.
    ///
    /// # Errors
    /// `Service` when the sync fails.
    pub fn sync(&self) -> Result<(), ClientError> {
        match self {
            Backend::Embedded(engine) => engine.sync().map_err(service_error),
            Backend::Http(_) => Ok(()),
        }
    }

    /// Asks a Keyfold server to copy its data folder, as it is at this moment, to a new folder of its
    /// machine. Returns the number of copied keys.
    ///
    /// # Errors
    /// `Service` when the server refuses, `Refused` when the backend is embedded, `Transport` when
    /// the server cannot be reached, `OutcomeUnknown` when its answer was lost.
    pub fn copy_data_folder(&self, to: &str) -> Result<u64, ClientError> {
        match self {
            Backend::Embedded(_) => {
                Err(ClientError::Refused("the backend is no server".to_owned()))
            }
            Backend::Http(http) => http.copy_data_folder(to),
        }
    }

    /// Carries out a request.
    ///
    /// # Errors
    /// `Service` when the backend refuses, `Transport` when it cannot be reached, `OutcomeUnknown`
    /// when the answer of a write was lost and the write is not idempotent.
    pub fn call(&self, request: Request) -> Result<Response, ClientError> {
        match self {
            Backend::Embedded(engine) => engine.execute(request).wait().map_err(service_error),
            Backend::Http(http) => http.call(request),
        }
    }

    /// Starts a request on an engine in this process. The future completes when its write is durable;
    /// no thread blocks on it.
    ///
    /// # Errors
    /// The request itself, when the backend is an endpoint: its calls block, by [`Backend::call`].
    /// The future's errors are those of [`Backend::call`].
    pub fn start(
        &self,
        request: Request,
    ) -> Result<impl Future<Output = Result<Response, ClientError>> + Send + use<>, Box<Request>>
    {
        match self {
            Backend::Embedded(engine) => {
                let pending = engine.execute(request);
                Ok(async move { pending.await.map_err(service_error) })
            }
            Backend::Http(_) => Err(Box::new(request)),
        }
    }
}

/// The error of an engine's answer.
fn service_error(error: ApiError) -> ClientError {
    let mut reasons = Vec::new();
    if let ApiError::TransactionCanceled(canceled) = &error {
        let each = canceled.iter();
        reasons.extend(each.map(|one| (one.code(), one.message().map(str::to_owned))));
    }
    let message = if let ApiError::Internal(detail) = &error {
        detail.clone()
    } else {
        error.message().unwrap_or_default()
    };
    let kind = error.kind();
    ClientError::Service {
        kind: Some(kind),
        exception: kind.exception().to_owned(),
        message,
        reasons,
    }
}
