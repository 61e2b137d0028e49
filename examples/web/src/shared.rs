//! Files that are part of the program, and events for a page.

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use futures_util::stream::{Stream, unfold};
use serde::Serialize;
use std::convert::Infallible;
use tokio::sync::watch;

fn file<S: Clone + Send + Sync + 'static>(
    kind: &'static str,
    text: &'static str,
) -> MethodRouter<S> {
    let answer = move || async move {
        let headers = [
            (header::CONTENT_TYPE, kind),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        let body = Bytes::from_static(text.as_bytes());
        Response::into_response((headers, body).into_response())
    };
    get(answer)
}

/// The route of a page.
pub fn page<S: Clone + Send + Sync + 'static>(text: &'static str) -> MethodRouter<S> {
    file("text/html; charset=utf-8", text)
}

/// The route of a script.
pub fn script<S: Clone + Send + Sync + 'static>(text: &'static str) -> MethodRouter<S> {
    file("text/javascript; charset=utf-8", text)
}

/// The route of a file of JSON.
pub fn json_file<S: Clone + Send + Sync + 'static>(text: &'static str) -> MethodRouter<S> {
    file("application/json", text)
}

/// The routes of the style, the script and the icon that the applications share: `/page.css`,
/// `/page.js`, `/icon.svg`.
pub fn look<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route(
            "/page.css",
            file(
                "text/css; charset=utf-8",
                include_str!("../assets/page.css"),
            ),
        )
        .route("/page.js", script(include_str!("../assets/page.js")))
        .route(
            "/icon.svg",
            file("image/svg+xml", include_str!("../assets/icon.svg")),
        )
}

/// The states of something as server-sent events: the present one, then each that follows, until
/// the sender is gone. A reader that is slow misses states, never the last one.
pub fn events<T>(states: watch::Receiver<T>) -> Sse<impl Stream<Item = Result<Event, Infallible>>>
where
    T: Serialize + Clone + Send + Sync + 'static,
{
    let stream = unfold((states, true), async |(mut states, is_first)| {
        if !is_first {
            states.changed().await.ok()?;
        }
        let state = states.borrow_and_update().clone();
        // A state that cannot be written ends the events, and the page says that it lost them.
        let event = Event::default().json_data(state).ok()?;
        Some((Ok(event), (states, false)))
    });
    Sse::new(stream).keep_alive(KeepAlive::default())
}
