//! Who may call an application in `examples`: by which names, and from which pages. One table for all
//! of them, whatever they are written in.

use crate::answer::{Answer, ask, is_problem};

/// A name that anybody may let lead to this machine.
const REBOUND: &str = "rebound.example.com";
/// A name of a proxy, which an application is told of by `ALLOW_HOST`.
pub(crate) const PROXY: &str = "proxy.example.com";

/// What `ALLOW_HOST` may not be: no request is ever called so.
pub(crate) const NOT_NAMES: [&str; 5] = [
    "https://proxy.example.com",
    "proxy.example.com:443",
    "proxy.example.com.",
    "*.example.com",
    "one.example.com,other.example.com",
];

/// Names that no page of the web has: addresses, names without a dot, and those below `localhost`.
const OWN: [&str; 8] = [
    "127.0.0.1",
    "192.168.1.20:8000",
    "[::1]:8000",
    "[::ffff:127.0.0.1]",
    "LocalHost:65535",
    "club.localhost",
    "club:8000",
    "in_a-network",
];

/// What stands in `Host` and is no name, or one that anybody may have.
const FOREIGN: [&str; 24] = [
    REBOUND,
    "rebound.example.com:8000",
    "localhost.rebound.example.com",
    "127.0.0.1.rebound.example.com",
    "rebound.example.com.",
    "localhost.",
    ".localhost",
    "a..localhost",
    "localhost:",
    "localhost:80:evil",
    "localhost:evil",
    "localhost:123456",
    "localhost:80.evil.example",
    "localhost@rebound.example.com",
    "local host",
    "999.1.1.1",
    "127.0.0.1:",
    "::1",
    "[::1",
    "[::1]evil.example",
    "[localhost]",
    ":8000",
    "*",
    "",
];

/// What stands in `Host` where `PROXY` is allowed, and is not that name.
const NOT_THE_PROXY: [&str; 6] = [
    "proxy.example.com:",
    "proxy.example.com:80:evil",
    "proxy.example.com.",
    "of.proxy.example.com",
    "proxy.example.com.rebound.example.com",
    REBOUND,
];

/// Where nothing is.
const NOWHERE: &str = "/api/nothing";

/// Asks an application by names that are its own, and by others.
pub(crate) fn names(address: &str) -> Result<(), String> {
    for host in OWN {
        is_answered(&named(address, host)?, host)?;
    }
    for host in FOREIGN {
        is_refused(&named(address, host)?, host)?;
    }
    is_refused(&named(address, PROXY)?, PROXY)?;
    is_refused(
        &ask(address, &format!("GET {NOWHERE} HTTP/1.0"), &[])?,
        "no Host",
    )?;
    // A server may refuse by itself what HTTP/1.1 forbids.
    for hosts in [&[][..], &[("host", "localhost"), ("host", REBOUND)]] {
        let answer = ask(address, &format!("GET {NOWHERE} HTTP/1.1"), hosts)?;
        if ![400, 403].contains(&answer.status) {
            return Err(format!("with Host {hosts:?} it answers {}", answer.status));
        }
    }
    let page = ask(address, "GET / HTTP/1.1", &[("host", REBOUND)])?;
    match page.status {
        403 => Ok(()),
        other => Err(format!("its first page at {REBOUND} is {other}")),
    }
}

/// Asks an application that was told of `PROXY` by that name, and by others.
pub(crate) fn by_proxy(address: &str) -> Result<(), String> {
    for host in [
        PROXY,
        "PROXY.example.com",
        "proxy.example.com:443",
        "localhost",
    ] {
        is_answered(&named(address, host)?, host)?;
    }
    for host in NOT_THE_PROXY {
        is_refused(&named(address, host)?, host)?;
    }
    // Most proxies call what is behind them by its address, or leave the port of the page away.
    for host in [address, PROXY, "proxy.example.com:8443"] {
        for origin in ["https://proxy.example.com", "http://PROXY.example.com:8080"] {
            is_answered(&by_page(address, host, &[origin])?, origin)?;
        }
        for origin in NOT_THE_PROXY {
            let origin = format!("https://{origin}");
            is_refused(&by_page(address, host, &[&origin])?, &origin)?;
        }
    }
    Ok(())
}

/// What an application answers to pages that send it something by the name `host`.
fn by_page(address: &str, host: &str, origins: &[&str]) -> Result<Answer, String> {
    let mut headers = vec![("host", host), ("content-length", "0")];
    headers.extend(origins.iter().map(|origin| ("origin", *origin)));
    ask(address, &format!("POST {NOWHERE} HTTP/1.1"), &headers)
}

/// Sends an application what pages make: its own, and those of other sites.
pub(crate) fn pages(address: &str) -> Result<(), String> {
    let origin = format!("http://{address}");
    let by_tls = format!("https://{address}");
    let own: [&[(&str, &str)]; 5] = [
        &[],
        &[("origin", &origin)],
        &[("origin", &by_tls)],
        &[("sec-fetch-site", "same-origin"), ("origin", &origin)],
        &[("sec-fetch-site", "none")],
    ];
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let neighbour = format!("http://localhost:{port}");
    let longer = format!("{origin}.evil.example");
    let foreign: [&[(&str, &str)]; 8] = [
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "")],
        &[("origin", &neighbour)],
        &[("origin", &longer)],
        &[("origin", address)],
        &[("sec-fetch-site", "same-site"), ("origin", &origin)],
        &[("sec-fetch-site", "cross-site")],
    ];
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let line = format!("{method} {NOWHERE} HTTP/1.1");
        let sent = |headers: &[(&str, &str)]| {
            let mut all = vec![("host", address), ("content-length", "0")];
            all.extend(headers);
            ask(address, &line, &all)
        };
        for headers in own {
            is_answered(&sent(headers)?, &format!("{method} of {headers:?}"))?;
        }
        for headers in foreign {
            is_refused(&sent(headers)?, &format!("{method} of {headers:?}"))?;
        }
    }
    let both = by_page(address, address, &[&origin, "https://evil.example"])?;
    is_refused(&both, "two pages at once")?;
    let both = by_page(address, address, &[&origin, &origin])?;
    is_refused(&both, "one page twice")?;
    // What is read only is for links of other sites, too.
    let headers = [("host", address), ("sec-fetch-site", "cross-site")];
    let read = ask(address, &format!("GET {NOWHERE} HTTP/1.1"), &headers)?;
    is_answered(&read, "GET of another site")
}

/// What an application answers to whoever calls it by a name.
fn named(address: &str, host: &str) -> Result<Answer, String> {
    ask(
        address,
        &format!("GET {NOWHERE} HTTP/1.1"),
        &[("host", host)],
    )
}

fn is_refused(answer: &Answer, what: &str) -> Result<(), String> {
    is_problem(answer, 403, "forbidden").map_err(|why| format!("{what:?}: {why}"))
}

/// Whether there is nothing there, or no such method: not that the caller may not ask.
fn is_answered(answer: &Answer, what: &str) -> Result<(), String> {
    match answer.status {
        404 | 405 => Ok(()),
        other => Err(format!("{what:?}: {other} {}", answer.body)),
    }
}
