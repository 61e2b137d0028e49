//! The server: its address, its headers, its end.

use crate::names;
use crate::problem::{PROBLEM_JSON, Problem};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use std::error::Error;
use std::io::Write;
use std::process::ExitCode;
use tokio::net::TcpListener;

const HEADERS: [(&str, &str); 3] = [
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
         connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
];

/// The connection that a variable of the environment names, or a default.
pub fn connection(variable: &str, default: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| default.to_owned())
}

/// Listens at the address of HOST and PORT: a free port of this machine if they are not set.
///
/// # Errors
/// The address is taken, or is none.
pub async fn listen() -> Result<TcpListener, std::io::Error> {
    let host = connection("HOST", "127.0.0.1");
    let port = connection("PORT", "0");
    let address = format!("{host}:{port}");
    let named = |error| std::io::Error::other(format!("cannot listen at {address}: {error}"));
    TcpListener::bind(&address).await.map_err(named)
}

/// Prints where an application is open: the first line of its output.
///
/// # Errors
/// Nobody reads the output.
pub fn announce(name: &str, listener: &TcpListener) -> Result<(), std::io::Error> {
    let address = listener.local_addr()?;
    let line = format!("{name} is open at http://{address} (Ctrl-C closes it)");
    writeln!(std::io::stdout(), "{line}")
}

/// The exit code of a program, whose error is said in a line.
pub fn outcome(name: &str, ended: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = ended else {
        return ExitCode::SUCCESS;
    };
    // The exit code says it, too, where nobody reads the line.
    writeln!(std::io::stderr(), "{name} stays closed: {error}").unwrap_or_default();
    ExitCode::FAILURE
}

/// Serves routes until the process is interrupted. Events of pages that are open end then.
///
/// # Errors
/// Those of the listener and of the signals.
pub async fn serve(listener: TcpListener, routes: Router) -> Result<(), std::io::Error> {
    let routes = routes
        .fallback(async || Problem::not_found("There is no such page. Start at the first one."))
        .layer(from_fn(guarded));
    tokio::select! {
        served = async { axum::serve(listener, routes).await } => served,
        ended = ended() => ended,
    }
}

/// Waits for Ctrl-C, or for the signal that ends processes.
async fn ended() -> Result<(), std::io::Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut end = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = end.recv() => Ok(()),
    }
}

/// Refuses what another name leads to and what a page of another site sends, and adds the headers of all answers.
async fn guarded(request: Request, next: Next) -> Response {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let mut response = if let Some(problem) = names::misnamed(request.headers()) {
        problem.into_response()
    } else if !is_read && is_foreign(request.headers()) {
        Problem::foreign().into_response()
    } else {
        said(next.run(request).await)
    };
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        response
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
    }
    response
}

/// An answer as it is; a refusal that the routes have made themselves, as a problem like all others.
fn said(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_own = kind.is_some_and(|kind| kind.as_bytes() == PROBLEM_JSON.as_bytes());
    let status = response.status();
    if !status.is_client_error() || is_own {
        return response;
    }
    let allowed = response.headers().get(header::ALLOW).cloned();
    let mut response = Problem::refused(status).into_response();
    if let Some(allowed) = allowed {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Whether a browser sends what a page of another site has made. Programs send neither header. A proxy
/// may call the application by another name or port than the page has, which is then that of
/// `ALLOW_HOST`.
fn is_foreign(headers: &HeaderMap) -> bool {
    // What is no text is nobody's site.
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().unwrap_or_default());
    let sites = headers.get_all("sec-fetch-site");
    if sites.iter().next().is_some() {
        return (sites.iter()).any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
    }
    let Some(origin) = text(header::ORIGIN) else {
        return false;
    };
    let is_one = headers.get_all(header::ORIGIN).iter().count() == 1;
    let page = origin.split_once("://").map(|(_, page)| page);
    let is_own =
        page.is_some_and(|page| Some(page) == text(header::HOST) || names::is_allowed(page));
    !is_one || !is_own
}

#[cfg(test)]
mod tests {
    use super::is_foreign;
    use axum::http::{HeaderMap, HeaderValue};

    #[test]
    fn each_header_of_the_site_counts() {
        let sent = |sites: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for site in sites {
                headers.append("sec-fetch-site", HeaderValue::from_static(site));
            }
            is_foreign(&headers)
        };
        assert!(!sent(&[]));
        assert!(!sent(&["same-origin"]));
        assert!(!sent(&["same-origin", "none"]));
        assert!(sent(&["cross-site"]));
        assert!(sent(&["same-origin", "cross-site"]));
        assert!(sent(&["none", ""]));
    }
}
