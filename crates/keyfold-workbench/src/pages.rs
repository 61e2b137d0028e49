//! What the workbench answers, by path.

use crate::assets;
use crate::explore;
use crate::files::{FileError, Save};
use crate::gate::{Admitted, Refusal};
use crate::language;
use crate::learn::Stand;
use crate::proof;
use crate::shared::{Shared, secret};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use keyfold_codegen::map;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

/// An answer.
type Answer = Response<Full<Bytes>>;

/// The largest body of a request: a model before and after.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The beginning of the paths of data.
const EXPLORE: &str = "/explore/";

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Answers a request.
pub(crate) async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    let mut answer = match shared.gate.judge(&parts) {
        Err(refusal) => refused(&refusal),
        Ok(Admitted::First(cookie)) => first(&cookie),
        Ok(Admitted::Page) => {
            let request = Request::from_parts(parts, body);
            routed(shared, request).await
        }
    };
    protect(&mut answer);
    answer
}

async fn routed(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    let path = request.uri().path().to_owned();
    let stand = match stand(shared, request.uri().query()).await {
        Ok(stand) => stand,
        Err(error) => return failed(StatusCode::NOT_FOUND, &error),
    };
    match (request.method(), path.as_str()) {
        (&Method::GET, "/") => page(),
        (&Method::GET, "/map.css") => full(StatusCode::OK, "text/css; charset=utf-8", map::STYLE),
        (&Method::GET, "/files") => match stand.files.read() {
            Ok(files) => {
                let place = stand.place.as_ref().map(explore::Place::json);
                let said = json!({ "files": files, "place": place });
                full(StatusCode::OK, JSON, said.to_string())
            }
            Err(error) => failed(StatusCode::INTERNAL_SERVER_ERROR, &error),
        },
        (&Method::GET, "/language") => upgraded(shared, request),
        (&Method::GET, "/proof") => full(StatusCode::OK, JSON, shared.proofs.state().to_string()),
        (&Method::POST, "/prove") => prove(shared, &stand, request.into_body()).await,
        (&Method::POST, "/prove/stop") => {
            shared.proofs.stop();
            full(StatusCode::OK, JSON, "{}")
        }
        (&Method::GET, "/learn") => full(StatusCode::OK, JSON, shared.stands.json().to_string()),
        (&Method::POST, "/save") => save(&stand, request.into_body()).await,
        (&Method::POST, path) if path.starts_with(EXPLORE) => {
            explored(stand, path, request.into_body()).await
        }
        (&Method::GET, path) => match assets::at(path) {
            Some(asset) => {
                let mut answer = full(StatusCode::OK, asset.kind, asset.gzip);
                set(&mut answer, header::CONTENT_ENCODING, "gzip");
                answer
            }
            None => full(StatusCode::NOT_FOUND, TEXT, "There is no such page.\n"),
        },
        _ => full(
            StatusCode::METHOD_NOT_ALLOWED,
            TEXT,
            "The workbench does not do that.\n",
        ),
    }
}

/// The models and the place that a request is about. A design may be opened, which blocks.
async fn stand(shared: &Arc<Shared>, query: Option<&str>) -> Result<Arc<Stand>, String> {
    let Some(query) = query.map(str::to_owned) else {
        return shared.stands.of(None);
    };
    let shared = Arc::clone(shared);
    let opened = tokio::task::spawn_blocking(move || shared.stands.of(Some(&query)));
    opened.await.map_err(|error| error.to_string())?
}

/// The page, with a policy that lets the editor's own style in.
fn page() -> Answer {
    let Ok(nonce) = secret() else {
        return full(
            StatusCode::INTERNAL_SERVER_ERROR,
            TEXT,
            "The system gives no chance.\n",
        );
    };
    let mut answer = full(
        StatusCode::OK,
        "text/html; charset=utf-8",
        assets::page(&nonce),
    );
    let policy = format!("{POLICY}; style-src 'self' 'nonce-{nonce}'");
    set(&mut answer, header::CONTENT_SECURITY_POLICY, &policy);
    answer
}

/// The body of a request, or the answer to one that is too long.
async fn received(body: Incoming) -> Result<Bytes, Box<Answer>> {
    match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(_) => Err(Box::new(full(
            StatusCode::PAYLOAD_TOO_LARGE,
            TEXT,
            "The request is too long.\n",
        ))),
    }
}

/// Answers a question about data. It is carried out where it may block.
async fn explored(stand: Arc<Stand>, path: &str, body: Incoming) -> Answer {
    let body = match received(body).await {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let what = path.replacen(EXPLORE, "", 1);
    let work = move || {
        let place = stand.place.as_ref()?;
        explore::answer(place, &stand.files, &what, &body)
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Some(said)) => full(StatusCode::OK, JSON, said.to_string()),
        Ok(None) => full(StatusCode::NOT_FOUND, TEXT, "There is no such page.\n"),
        Err(error) => failed(StatusCode::INTERNAL_SERVER_ERROR, &error),
    }
}

/// Begins the proof of a model as it is edited.
async fn prove(shared: &Shared, stand: &Stand, body: Incoming) -> Answer {
    let body = match received(body).await {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let begun = serde_json::from_slice::<proof::Asked>(&body)
        .map_err(|error| error.to_string())
        .and_then(|asked| {
            let model = stand.files.compiled(asked.file, &asked.text)?;
            shared.proofs.begin(model, asked)
        });
    match begun {
        Ok(()) => full(StatusCode::OK, JSON, "{}"),
        Err(error) => failed(StatusCode::CONFLICT, &error),
    }
}

/// Writes a file that the page has changed.
async fn save(stand: &Stand, body: Incoming) -> Answer {
    let body = match received(body).await {
        Ok(body) => body,
        Err(refused) => return *refused,
    };
    let save: Save = match serde_json::from_slice(&body) {
        Ok(save) => save,
        Err(error) => return failed(StatusCode::BAD_REQUEST, &error),
    };
    match stand.files.save(&save) {
        Ok(()) => full(StatusCode::OK, JSON, "{}"),
        Err(error @ FileError::Unknown) => failed(StatusCode::NOT_FOUND, &error),
        Err(error @ FileError::Changed(_)) => failed(StatusCode::CONFLICT, &error),
        Err(error @ FileError::Io(..)) => failed(StatusCode::INTERNAL_SERVER_ERROR, &error),
    }
}

/// Makes a WebSocket of a request, which then carries the messages of the language server.
fn upgraded(shared: &Arc<Shared>, mut request: Request<Incoming>) -> Answer {
    let headers = request.headers();
    let is_socket = headers
        .get(header::UPGRADE)
        .is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"));
    let is_known = headers
        .get(header::SEC_WEBSOCKET_VERSION)
        .is_some_and(|version| version == "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY);
    let Some(key) = key.filter(|_| is_socket && is_known) else {
        return full(StatusCode::BAD_REQUEST, TEXT, "This path is a WebSocket.\n");
    };
    let accepted = derive_accept_key(key.as_bytes());
    let upgrade = hyper::upgrade::on(&mut request);
    let files = Arc::clone(&shared.language_files);
    tokio::spawn(async move {
        // A page that left before is served no more.
        if let Ok(stream) = upgrade.await {
            language::carry(TokioIo::new(stream), files).await;
        }
    });
    let mut answer = full(StatusCode::SWITCHING_PROTOCOLS, TEXT, "");
    answer.headers_mut().remove(header::CONTENT_TYPE);
    set(&mut answer, header::CONNECTION, "upgrade");
    set(&mut answer, header::UPGRADE, "websocket");
    set(&mut answer, header::SEC_WEBSOCKET_ACCEPT, &accepted);
    answer
}

/// Gives the page its cookie, and leads to it without the token.
fn first(cookie: &str) -> Answer {
    let mut answer = full(StatusCode::SEE_OTHER, TEXT, "");
    set(&mut answer, header::LOCATION, "/");
    set(&mut answer, header::SET_COOKIE, cookie);
    answer
}

fn refused(Refusal(status, reason): &Refusal) -> Answer {
    full(*status, TEXT, format!("{reason}\n"))
}

fn failed(status: StatusCode, error: &impl ToString) -> Answer {
    let body: Json = json!({ "error": error.to_string() });
    full(status, JSON, body.to_string())
}

fn full(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(body.into()));
    *answer.status_mut() = status;
    set(&mut answer, header::CONTENT_TYPE, kind);
    answer
}

/// The policy of every answer: nothing from elsewhere, in no other page.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/// The headers of every answer.
fn protect(answer: &mut Answer) {
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in headers {
        if !answer.headers().contains_key(&name) {
            set(answer, name, value);
        }
    }
}

/// Sets a header; a value that none can have is left out.
fn set(answer: &mut Answer, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}
