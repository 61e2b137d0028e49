//! The sources of keys that Amazon's own SDKs ask, by the crate `aws-config`: profiles with single
//! sign-on, roles and processes, web identities, containers, instances. Their requests go over our own
//! connections.

use super::pool::Connection;
use super::source::{Fetched, Fetching};
use super::tls::Authorities;
use crate::connection::Keys;
use crate::endpoint::{Address, Elsewhere, address};
use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::{BehaviorVersion, Region};
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Uri;
use hyper::header::{HOST, HeaderValue};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// A request as it is sent.
type Prepared = hyper::Request<Full<Bytes>>;

/// The most bytes of an answer of a source of keys.
const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// The time of a request for which the SDK sets none.
const TIME: Duration = Duration::from_secs(30);

/// What fetches the keys of another place.
pub(super) fn fetch(
    elsewhere: &Elsewhere,
    region: &str,
) -> impl Fn() -> Fetching + Send + Sync + use<> {
    let (profile, region) = (elsewhere.profile.clone(), region.to_owned());
    let provider = Arc::new(OnceCell::new());
    move || {
        let (profile, region) = (profile.clone(), region.clone());
        let provider = Arc::clone(&provider);
        Box::pin(async move {
            let provider: &SharedCredentialsProvider =
                provider.get_or_init(|| chain(profile, region)).await;
            let found = provider.provide_credentials().await;
            let found = found.map_err(|error| sentence(&error))?;
            Ok(Fetched {
                keys: Keys {
                    access_key: found.access_key_id().to_owned(),
                    secret: found.secret_access_key().to_owned(),
                    session_token: found.session_token().map(str::to_owned),
                },
                expires: found.expiry(),
            })
        })
    }
}

/// The sources: a profile that was named, or all in the SDKs' order.
async fn chain(profile: Option<String>, region: String) -> SharedCredentialsProvider {
    let config = ProviderConfig::without_region()
        .with_region(Some(Region::new(region)))
        .with_behavior_version(Some(BehaviorVersion::v2026_01_12()))
        .with_http_client(OwnClient);
    match profile {
        Some(name) => {
            let builder = ProfileFileCredentialsProvider::builder();
            let provider = builder.configure(&config).profile_name(name).build();
            SharedCredentialsProvider::new(provider)
        }
        None => {
            let builder = DefaultCredentialsChain::builder().configure(config);
            SharedCredentialsProvider::new(builder.build().await)
        }
    }
}

/// An error with its causes.
fn sentence(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Sends the SDK's requests over our own connections.
#[derive(Debug)]
struct OwnClient;

impl HttpClient for OwnClient {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(OwnConnector {
            connect: settings.connect_timeout().unwrap_or(TIME),
            answer: settings.read_timeout().unwrap_or(TIME),
        })
    }
}

/// Connects for each request: they are rare.
#[derive(Debug, Clone, Copy)]
struct OwnConnector {
    connect: Duration,
    answer: Duration,
}

impl HttpConnector for OwnConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let own = *self;
        HttpConnectorFuture::new(async move { own.sent(request).await })
    }
}

impl OwnConnector {
    async fn sent(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let (address, request) = prepared(request).map_err(ConnectorError::user)?;
        // The authorities of an endpoint are not those of the sources, which are Amazon's.
        let authorities = Authorities::public();
        let open = Connection::open(&address, &authorities);
        let mut connection = match timeout(self.connect, open).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(error)) => return Err(ConnectorError::io(error.into()).never_connected()),
            Err(late) => return Err(ConnectorError::timeout(late.into()).never_connected()),
        };
        let answer = async {
            let answer = connection.sender().send_request(request);
            let answer = connection.during(answer).await?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect();
            let bytes = connection.during(body).await?.to_bytes();
            Ok(hyper::Response::from_parts(head, SdkBody::from(bytes)))
        };
        let answer: Result<_, BoxError> = match timeout(self.answer, answer).await {
            Ok(answer) => answer,
            Err(late) => return Err(ConnectorError::timeout(late.into())),
        };
        let answer = answer.map_err(ConnectorError::io)?;
        HttpResponse::try_from(answer).map_err(|error| ConnectorError::other(error.into(), None))
    }
}

/// The address of a request, and the request as it is sent there.
fn prepared(request: HttpRequest) -> Result<(Address, Prepared), BoxError> {
    let (mut head, body) = request.try_into_http1x()?.into_parts();
    let host = head.uri.authority().ok_or("it names no host")?.clone();
    let scheme = head.uri.scheme_str().unwrap_or("https");
    let address = address(&format!("{scheme}://{host}"))?;
    let path = head.uri.path_and_query();
    let path = path.map_or("/", |path| path.as_str()).to_owned();
    head.uri = Uri::try_from(path)?;
    head.headers
        .insert(HOST, HeaderValue::try_from(host.as_str())?);
    let body = body.bytes().ok_or("its body is a stream")?;
    let body = Full::new(Bytes::copy_from_slice(body));
    Ok((address, hyper::Request::from_parts(head, body)))
}
