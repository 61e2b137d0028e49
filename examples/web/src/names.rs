//! The names that an application is called by. A page whose own name leads to this machine (DNS
//! rebinding) reads and writes what only this machine reaches; its name shows in the header `Host`.

use axum::http::{HeaderMap, header};
use std::net::{IpAddr, Ipv6Addr};

/// Names the one further name that an application answers to: that of a proxy before it.
const ALLOW_HOST: &str = "ALLOW_HOST";

/// The name that a request calls the application by, if anybody may let that name lead here.
pub(crate) fn foreign(headers: &HeaderMap) -> Option<String> {
    // Probes of HTTP/1.0 name none.
    let host = headers.get(header::HOST)?;
    let allowed = std::env::var(ALLOW_HOST).ok();
    // A name that is no text is nobody's.
    let host = host.to_str().unwrap_or("?.");
    let name = name_of(host);
    let is_own = is_safe(name) || allowed.is_some_and(|one| one.eq_ignore_ascii_case(name));
    (!is_own).then(|| name.to_owned())
}

/// The name in `name`, `name:port` or `[address]:port`. What is none of them stays as it is.
fn name_of(host: &str) -> &str {
    let address = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    match address {
        Some((address, _)) if address.parse::<Ipv6Addr>().is_ok() => address,
        _ => host.split(':').next().unwrap_or(host),
    }
}

/// Whether no page of the web has this name: it is an address, a name without a dot, or one below
/// `localhost`.
fn is_safe(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_local = !name.contains('.') || name.ends_with(".localhost");
    name.parse::<IpAddr>().is_ok() || !name.is_empty() && name.bytes().all(is_word) && is_local
}

#[cfg(test)]
mod tests {
    use super::foreign;
    use axum::http::{HeaderMap, HeaderValue, header};

    #[test]
    fn only_names_that_cannot_be_registered_are_answered() {
        let named = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
            foreign(&headers)
        };
        for own in [
            "127.0.0.1",
            "127.0.0.1:8000",
            "[::1]:8000",
            "localhost",
            "LOCALHOST:80",
            "home.localhost",
            "club:8000",
        ] {
            assert_eq!(named(own), None, "{own}");
        }
        for other in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost@evil.example",
            "[localhost]evil.example",
            "local host",
            "",
        ] {
            assert!(named(other).is_some(), "{other}");
        }
        assert_eq!(foreign(&HeaderMap::new()), None);
    }
}
