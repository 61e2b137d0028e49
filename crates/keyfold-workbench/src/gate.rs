//! Who may call: the page that was opened with the token, and nobody else.
//!
//! The address that the command prints holds a token. The first request with it gets a cookie, which
//! no script can read, and the token is used up. A page of another site that sends a request, or
//! whose own name leads to this machine (DNS rebinding), is refused by `Origin` or `Host`.

use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use std::sync::{Mutex, PoisonError};

/// A refusal: its status, and its reason for people.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) String);

/// What a request is let in as.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// The page shows its cookie.
    Page,
    /// The first request with the token; the answer gives this cookie and leads to the page.
    First(String),
}

/// The secrets of a workbench, and the names under which it is called.
pub(crate) struct Gate {
    port: u16,
    /// Used up by the first request that shows it.
    token: Mutex<Option<String>>,
    session: String,
}

impl Gate {
    /// A gate of a port with its two secrets.
    pub(crate) fn new(port: u16, token: String, session: String) -> Gate {
        Gate {
            port,
            token: Mutex::new(Some(token)),
            session,
        }
    }

    /// Lets a request in, or refuses it.
    ///
    /// # Errors
    /// 403 for a name, a page or a sender that is not this workbench's.
    pub(crate) fn judge(&self, parts: &Parts) -> Result<Admitted, Refusal> {
        let host = one(&parts.headers, header::HOST)?.unwrap_or_default();
        if !self.names().contains(&host) {
            return Err(forbidden("This is no name of the workbench."));
        }
        let origin = one(&parts.headers, header::ORIGIN)?;
        let own = format!("http://{host}");
        if origin.as_ref().is_some_and(|origin| *origin != own) {
            return Err(forbidden("Other pages may not call the workbench."));
        }
        // Browsers send it with what changes anything, and with each WebSocket.
        let changes = parts.method != Method::GET || parts.headers.contains_key(header::UPGRADE);
        if changes && origin.is_none() {
            return Err(forbidden("The request does not say which page it is of."));
        }
        if let Some(token) = token(parts) {
            if self.takes(token) {
                return Ok(Admitted::First(self.cookie()));
            }
            // The address is opened again in the same browser.
            if self.knows(&parts.headers) {
                return Ok(Admitted::First(self.cookie()));
            }
            return Err(forbidden(
                "This address was used before. Start the workbench again for a new one.",
            ));
        }
        if self.knows(&parts.headers) {
            Ok(Admitted::Page)
        } else {
            Err(forbidden(
                "Open the address that `keyfold workbench` has printed: it holds the token.",
            ))
        }
    }

    /// The names of this machine.
    fn names(&self) -> [String; 3] {
        ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{}", self.port))
    }

    /// Uses the token up, if it is this one.
    fn takes(&self, given: &str) -> bool {
        let mut token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = token.as_ref().is_some_and(|token| is_equal(token, given));
        if is_same {
            *token = None;
        }
        is_same
    }

    /// Whether a request shows the cookie.
    fn knows(&self, headers: &HeaderMap) -> bool {
        let name = self.name();
        let cookies = headers.get_all(header::COOKIE).iter();
        let texts = cookies.filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';'));
        pairs.any(|pair| {
            let pair = pair.trim().split_once('=');
            pair.is_some_and(|(own, value)| own == name && is_equal(value, &self.session))
        })
    }

    /// The name of the cookie. Cookies do not belong to a port, and there may be several workbenches.
    fn name(&self) -> String {
        format!("keyfold-workbench-{}", self.port)
    }

    fn cookie(&self) -> String {
        let (name, session) = (self.name(), &self.session);
        format!("{name}={session}; Path=/; HttpOnly; SameSite=Strict")
    }
}

/// The only value of a header; `None` without one.
fn one(headers: &HeaderMap, name: HeaderName) -> Result<Option<String>, Refusal> {
    let mut all = headers.get_all(&name).iter();
    let first = all.next().map(|value| {
        let text = value.to_str().unwrap_or("?");
        text.to_ascii_lowercase()
    });
    match all.next() {
        None => Ok(first),
        Some(_) => Err(forbidden("A header is there twice.")),
    }
}

/// The token in the address of the page.
fn token(parts: &Parts) -> Option<&str> {
    let query = parts.uri.query()?;
    let is_page = parts.uri.path() == "/" && parts.method == Method::GET;
    query.strip_prefix("token=").filter(|_| is_page)
}

/// Whether two texts are equal; the time that it takes does not say where they differ.
fn is_equal(one: &str, other: &str) -> bool {
    let pairs = one.bytes().zip(other.bytes());
    one.len() == other.len() && pairs.fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

fn forbidden(reason: &str) -> Refusal {
    Refusal(StatusCode::FORBIDDEN, reason.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn gate() -> Gate {
        Gate::new(8010, "t0ken".to_owned(), "secret".to_owned())
    }

    const COOKIE: (&str, &str) = ("cookie", "a=b; keyfold-workbench-8010=secret");

    fn judged(
        gate: &Gate,
        (method, path): (&str, &str),
        headers: &[(&str, &str)],
    ) -> Result<Admitted, StatusCode> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        gate.judge(&parts).map_err(|Refusal(status, _)| status)
    }

    #[test]
    fn the_token_lets_one_browser_in() {
        let gate = gate();
        let host = ("host", "127.0.0.1:8010");
        let no = Err(StatusCode::FORBIDDEN);
        assert_eq!(judged(&gate, ("GET", "/"), &[host]), no);
        for wrong in ["/?token=", "/?token=t0keN", "/?token=t0ken2", "/?t=t0ken"] {
            assert_eq!(judged(&gate, ("GET", wrong), &[host]), no, "{wrong}");
        }
        // Only the page takes it.
        assert_eq!(judged(&gate, ("GET", "/files?token=t0ken"), &[host]), no);
        let cookie = "keyfold-workbench-8010=secret; Path=/; HttpOnly; SameSite=Strict".to_owned();
        let first = Ok(Admitted::First(cookie));
        assert_eq!(judged(&gate, ("GET", "/?token=t0ken"), &[host]), first);
        assert_eq!(judged(&gate, ("GET", "/?token=t0ken"), &[host]), no);
        assert_eq!(
            judged(&gate, ("GET", "/?token=t0ken"), &[host, COOKIE]),
            first
        );
        assert_eq!(
            judged(&gate, ("GET", "/"), &[host, COOKIE]),
            Ok(Admitted::Page)
        );
        for cookie in [
            "keyfold-workbench-8010=secreT",
            "keyfold-workbench-8010=",
            "keyfold-workbench-8011=secret",
            "secret",
        ] {
            let headers = [host, ("cookie", cookie)];
            assert_eq!(judged(&gate, ("GET", "/"), &headers), no, "{cookie}");
        }
    }

    #[test]
    fn other_names_of_the_machine_and_other_pages_are_refused() {
        let gate = gate();
        let no = Err(StatusCode::FORBIDDEN);
        for host in ["localhost:8010", "LOCALHOST:8010", "[::1]:8010"] {
            let headers = [("host", host), COOKIE];
            assert_eq!(judged(&gate, ("GET", "/"), &headers), Ok(Admitted::Page));
        }
        for host in [
            "evil.example:8010",
            "127.0.0.1",
            "127.0.0.1:8011",
            "127.0.0.1.evil.example:8010",
            "localhost.:8010",
            "",
        ] {
            let headers = [("host", host), COOKIE];
            assert_eq!(judged(&gate, ("GET", "/"), &headers), no, "{host}");
        }
        assert_eq!(judged(&gate, ("GET", "/"), &[COOKIE]), no);
        let host = ("host", "localhost:8010");
        assert_eq!(judged(&gate, ("GET", "/"), &[host, host, COOKIE]), no);
        for origin in [
            "http://evil.example",
            "https://localhost:8010",
            "http://127.0.0.1:8010",
            "http://localhost:8011",
            "null",
        ] {
            let headers = [host, ("origin", origin), COOKIE];
            assert_eq!(judged(&gate, ("GET", "/"), &headers), no, "{origin}");
            assert_eq!(judged(&gate, ("POST", "/save"), &headers), no, "{origin}");
        }
    }

    #[test]
    fn what_changes_something_says_its_page() {
        let gate = gate();
        let host = ("host", "localhost:8010");
        let no = Err(StatusCode::FORBIDDEN);
        let origin = ("origin", "http://localhost:8010");
        assert_eq!(judged(&gate, ("POST", "/save"), &[host, COOKIE]), no);
        let headers = [host, origin, COOKIE];
        assert_eq!(
            judged(&gate, ("POST", "/save"), &headers),
            Ok(Admitted::Page)
        );
        let socket = [host, ("upgrade", "websocket"), COOKIE];
        assert_eq!(judged(&gate, ("GET", "/language"), &socket), no);
    }
}
