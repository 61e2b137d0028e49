//! The target of requests: an engine in this process, or an endpoint.

use crate::endpoint::Endpoint;
use crate::http::{HttpBackend, Outcome};
use crate::terms::Terms;
use crate::watch::Watch;
use keyfold_api::{ApiError, Request, Response};
use keyfold_engine::{Caller, Engine, Pending};
use keyfold_lower::ClientError;
use std::sync::Arc;
use std::time::Duration;

/// An engine in this process, or an endpoint with DynamoDB's API.
pub enum Backend {
    /// An engine in this process.
    Embedded(Arc<Engine>),
    /// An engine in this process, with the rights of a user.
    Guarded(Arc<Guarded>),
    /// An endpoint: a Keyfold server, Amazon DynamoDB, or another engine with its API.
    Http(Arc<HttpBackend>),
}

/// What a user may do: the error of a request that the user may not make.
pub type Rights = Box<dyn Fn(&Request) -> Result<(), ApiError> + Send + Sync>;

/// An engine of which a user has only what the user has a right to.
pub struct Guarded {
    engine: Arc<Engine>,
    /// The name of the user, as policies of tables see it.
    user: String,
    rights: Rights,
}

impl Guarded {
    /// An engine with the rights of a user.
    pub fn new(engine: Arc<Engine>, user: String, rights: Rights) -> Guarded {
        Guarded {
            engine,
            user,
            rights,
        }
    }

    /// Starts a request, if the user has a right to it.
    fn start(
        &self,
        agent: Option<&[u8]>,
        request: Request,
    ) -> Result<Pending<Response>, ClientError> {
        (self.rights)(&request).map_err(service_error)?;
        let caller = Caller {
            region: None,
            user: Some(&self.user),
            agent,
        };
        Ok(self.engine.execute_for(caller, request))
    }

    /// Carries a request out, if the user has a right to it.
    fn call(&self, agent: Option<&[u8]>, request: Request) -> Result<Response, ClientError> {
        let pending = self.start(agent, request)?;
        pending.wait().map_err(service_error)
    }
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
        Ok(Backend::Http(Arc::new(HttpBackend::new(endpoint)?)))
    }

    /// Syncs all acknowledged writes of an engine in this process. An endpoint does that itself.
    ///
    /// # Errors
    /// `Service` when the sync fails.
    pub fn sync(&self) -> Result<(), ClientError> {
        match self {
            Backend::Embedded(engine) => engine.sync().map_err(service_error),
            Backend::Guarded(guarded) => guarded.engine.sync().map_err(service_error),
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
            Backend::Embedded(_) | Backend::Guarded(_) => {
                Err(ClientError::refused("the backend is no server".to_owned()))
            }
            Backend::Http(http) => http.copy_data_folder(to),
        }
    }

    /// The counters of a Keyfold server: requests and latencies by operation, in the text form of OpenMetrics. `None`
    /// where there are none: of an engine in this process, and of an endpoint that is another engine.
    ///
    /// # Errors
    /// `Transport` when the server cannot be reached.
    pub fn counters(&self) -> Result<Option<String>, ClientError> {
        match self {
            Backend::Embedded(_) | Backend::Guarded(_) => Ok(None),
            Backend::Http(http) => http.counters(),
        }
    }

    /// Whether the engine is in this process.
    pub fn is_embedded(&self) -> bool {
        match self {
            Backend::Embedded(_) | Backend::Guarded(_) => true,
            Backend::Http(_) => false,
        }
    }

    /// Carries out a request.
    ///
    /// # Errors
    /// `Service` when the backend refuses, `Transport` when it cannot be reached, `OutcomeUnknown`
    /// when the answer of a write was lost and the write is not idempotent.
    pub fn call(&self, request: Request) -> Result<Response, ClientError> {
        self.call_on(request, &Terms::default())
    }

    /// Carries out a request with another `User-Agent`, over a connection of its own.
    ///
    /// # Errors
    /// As [`Backend::call`].
    pub fn call_as(&self, agent: &str, request: Request) -> Result<Response, ClientError> {
        match self {
            Backend::Embedded(engine) => {
                let caller = Caller {
                    agent: Some(agent.as_bytes()),
                    ..Caller::default()
                };
                let answer = engine.execute_for(caller, request).wait();
                answer.map_err(service_error)
            }
            Backend::Guarded(guarded) => guarded.call(Some(agent.as_bytes()), request),
            Backend::Http(http) => http.with_agent(agent)?.call(request, &Terms::default()).0,
        }
    }

    /// Carries out a request of a call with terms. An engine in this process is not interrupted: the
    /// call's time is looked at before the request.
    ///
    /// # Errors
    /// As [`Backend::call`]; `TimedOut` when the call's time is over, and nothing was written.
    pub fn call_on(&self, request: Request, terms: &Terms) -> Result<Response, ClientError> {
        let Some(watch) = Watch::begin(&request, terms, self.address()) else {
            return self.carried(request, terms).0;
        };
        let (result, attempts) = watch.span().within(|| self.carried(request, terms));
        watch.end(&result, attempts);
        result
    }

    fn carried(&self, request: Request, terms: &Terms) -> Outcome {
        match self {
            Backend::Embedded(engine) => match terms.check(Duration::ZERO) {
                Ok(()) => {
                    let result = engine.execute(request).wait();
                    (result.map_err(service_error), 1)
                }
                Err(error) => (Err(error), 0),
            },
            Backend::Guarded(guarded) => match terms.check(Duration::ZERO) {
                Ok(()) => (guarded.call(None, request), 1),
                Err(error) => (Err(error), 0),
            },
            Backend::Http(http) => http.call(request, terms),
        }
    }

    /// The host and the port of an endpoint.
    fn address(&self) -> Option<(&str, u16)> {
        match self {
            Backend::Embedded(_) | Backend::Guarded(_) => None,
            Backend::Http(http) => Some(http.address()),
        }
    }

    /// Starts a request, whose answer is awaited on a task of any runtime; no thread blocks.
    ///
    /// An engine in this process begins at once and carries the request out, whether its answer is
    /// awaited or not. An endpoint is asked when the future is first polled. A future that is dropped
    /// closes its connection: whether the request was carried out is then not known.
    ///
    /// Where the task's runtime is tokio, its drivers of network and time are used; it must have them.
    /// Tasks of other runtimes share one thread of this process.
    ///
    /// # Errors
    /// As [`Backend::call_on`].
    pub fn start(
        &self,
        request: Request,
        terms: &Terms,
    ) -> impl Future<Output = Result<Response, ClientError>> + Send + use<> {
        let watch = Watch::begin(&request, terms, self.address());
        let started = match self {
            Backend::Embedded(engine) => match terms.check(Duration::ZERO) {
                Ok(()) => Started::Embedded(engine.execute(request)),
                Err(error) => Started::Refused(error),
            },
            Backend::Guarded(guarded) => {
                let checked = terms.check(Duration::ZERO);
                let started = checked.and_then(|()| guarded.start(None, request));
                started.map_or_else(Started::Refused, Started::Embedded)
            }
            Backend::Http(http) => {
                Started::Http(Arc::clone(http), Box::new(request), terms.clone())
            }
        };
        async move {
            let Some(watch) = watch else {
                return started.outcome().await.0;
            };
            let (result, attempts) = watch.span().around(started.outcome()).await;
            watch.end(&result, attempts);
            result
        }
    }
}

/// A request that was started.
#[expect(
    clippy::large_enum_variant,
    reason = "it is moved once, and the common variant is the large one"
)]
enum Started {
    Embedded(Pending<Response>),
    Http(Arc<HttpBackend>, Box<Request>, Terms),
    /// It was not: its call has no time left, or its user no right to it.
    Refused(ClientError),
}

impl Started {
    async fn outcome(self) -> Outcome {
        match self {
            Started::Embedded(pending) => (pending.await.map_err(service_error), 1),
            Started::Http(http, request, terms) => http.start(*request, terms).await,
            Started::Refused(error) => (Err(error), 0),
        }
    }
}

/// The error of an engine's answer.
fn service_error(error: ApiError) -> ClientError {
    let (mut reasons, mut found) = (Vec::new(), Vec::new());
    if let ApiError::ConditionalCheckFailed(Some(_)) = &error {
        found.push(0);
    }
    if let ApiError::TransactionCanceled(canceled) = &error {
        let each = canceled.iter();
        reasons.extend(each.map(|one| (one.code(), one.message().map(str::to_owned))));
        let all = canceled.iter().enumerate();
        found.extend(all.filter_map(|(at, one)| one.item().map(|_| at)));
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
        found,
    }
}
