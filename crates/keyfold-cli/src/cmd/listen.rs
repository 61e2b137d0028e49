//! The address a server listens on and the clients it accepts: options that `serve` and `demo`
//! share.

use crate::failure::Failure;
use crate::terminal;
use clap::{Args, ValueEnum};
use keyfold_engine::Report;
use keyfold_server::{Access, Credential, ServerConfig, TlsFiles};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The address of a server, and its clients.
#[derive(Args)]
pub(super) struct Listen {
    /// The port; 0 takes any free one.
    #[arg(long, default_value_t = 8000)]
    pub(super) port: u16,
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    host: IpAddr,
    /// Accept only requests signed with this key (may be repeated). Without credentials every
    /// client is accepted, and the server listens on this machine only.
    #[arg(
        long = "credential",
        value_name = "KEY:SECRET",
        env = "KEYFOLD_CREDENTIALS",
        value_delimiter = ',',
        hide_env_values = true
    )]
    credentials: Vec<String>,
    /// Accept the credentials of a JSON file, with their rights: [{"accessKey": "..", "secret":
    /// "..", "sessionToken": "..", "access": "read", "tables": {"Orders": "read-write"}, "buckets":
    /// {"exports": "read-write"}}]. Rights are none, read and read-write (the default, also for
    /// tables that `tables` does not name). docs/safety.md has examples.
    #[arg(long = "credentials", value_name = "FILE")]
    credentials_file: Option<PathBuf>,
    /// Listen beyond this machine although every client is accepted.
    #[arg(long)]
    allow_anyone: bool,
    /// Serve requests without a signature, which the service refuses.
    #[arg(long)]
    allow_unsigned: bool,
    /// Accept requests of web pages from this origin, such as http://localhost:3000 (may be
    /// repeated); `*` is every origin. Without it requests of web pages are refused.
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    allow_origins: Vec<String>,
    /// Accept requests to this host name, too (may be repeated). A server without credentials
    /// accepts its address, localhost, and names that nobody can register.
    #[arg(long = "allow-host", value_name = "NAME")]
    allow_hosts: Vec<String>,
    /// Serve HTTPS with this certificate chain (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Stop when standard input ends, as it does when the program that started the server ends, even
    /// by SIGKILL.
    #[arg(long)]
    pub(super) until_stdin_closes: bool,
    /// Write a line for each request to standard error.
    #[arg(long, value_name = "FORM")]
    pub(super) log: Option<LogForm>,
}

/// The form of the log.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogForm {
    /// Text for people.
    Text,
    /// A JSON object a line.
    Json,
}

impl Listen {
    /// The options of a server.
    ///
    /// # Errors
    /// When options contradict each other, and when every client beyond this machine would be
    /// accepted.
    pub(super) fn config(&self) -> Result<ServerConfig, Failure> {
        let mut config = ServerConfig::new(SocketAddr::new(self.host, self.port));
        config.allow_unsigned = self.allow_unsigned;
        config.allow_origins.clone_from(&self.allow_origins);
        config.allow_hosts.clone_from(&self.allow_hosts);
        if let Some(odd) = self.allow_origins.iter().find(|origin| !is_origin(origin)) {
            return Err(Failure::usage(format!(
                "--allow-origin {odd}: an origin is a scheme, a name and a port without a path, as http://localhost:3000"
            )));
        }
        if let Some(odd) = self.allow_hosts.iter().find(|name| !is_host(name)) {
            return Err(Failure::usage(format!(
                "--allow-host {odd}: this takes a name without scheme and port, as db.example.com"
            )));
        }
        config.tls = self
            .tls_cert
            .clone()
            .zip(self.tls_key.clone())
            .map(|(certificate, key)| TlsFiles { certificate, key });
        for text in &self.credentials {
            let Some((access_key, secret)) = text
                .split_once(':')
                .filter(|(key, secret)| !key.is_empty() && !secret.is_empty())
            else {
                return Err(Failure::usage("--credential takes KEY:SECRET".to_owned()));
            };
            config.credentials.push(Credential::new(access_key, secret));
        }
        if let Some(file) = &self.credentials_file {
            config.credentials.extend(read_credentials(file)?);
        }
        for (at, one) in config.credentials.iter().enumerate() {
            let is_same = |other: &Credential| {
                (&other.access_key, &other.session_token) == (&one.access_key, &one.session_token)
            };
            if config.credentials.iter().take(at).any(is_same) {
                return Err(Failure::usage(format!(
                    "the access key {} is given twice; each key (with its session token) has one secret and one set of rights",
                    one.access_key
                )));
            }
        }
        if !self.host.is_loopback() && config.credentials.is_empty() && !self.allow_anyone {
            return Err(Failure::usage(format!(
                "{} is reached from other machines, and anyone could read and write; add --credential KEY:SECRET (or --allow-anyone)",
                self.host
            )));
        }
        Ok(config)
    }

    /// Whether clients need credentials.
    pub(super) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty() || self.credentials_file.is_some()
    }

    /// Whether the server speaks HTTPS.
    pub(super) fn is_secure(&self) -> bool {
        self.tls_cert.is_some()
    }

    /// Starts the log that was asked for.
    pub(super) fn start_log(&self) {
        // A file gets no colours.
        let colours = std::io::stderr().is_terminal();
        let builder = || {
            tracing_subscriber::fmt()
                .with_writer(std::io::stderr)
                .with_target(false)
                .with_ansi(colours)
        };
        // The log may have been started before.
        drop(match self.log {
            None => Ok(()),
            Some(LogForm::Text) => builder().try_init(),
            Some(LogForm::Json) => builder().json().flatten_event(true).try_init(),
        });
    }

    /// The report of failures that no client sees: it writes to the log, or without one to standard
    /// error.
    pub(super) fn report(&self) -> Report {
        let has_log = self.log.is_some();
        Arc::new(move |what, reason| {
            if has_log {
                tracing::error!(what, reason, "background work failed");
            } else {
                terminal::error_line(&format!("{what} failed: {reason}"));
            }
        })
    }
}

fn is_origin(text: &str) -> bool {
    let rest = text.split_once("://").map(|(_, rest)| rest);
    matches!(text, "*" | "null") || rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
}

fn is_host(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

fn read_credentials(file: &Path) -> Result<Vec<Credential>, Failure> {
    let wrong = |what: String| Failure::usage(format!("{}: {what}", file.display())).in_file(file);
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let rows: Vec<Value> = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("the file must hold a JSON list of credentials, as [{{\"accessKey\": \"..\", \"secret\": \"..\"}}]: {error}")))?;
    if rows.is_empty() {
        return Err(wrong("the list holds no credential".to_owned()));
    }
    rows.iter()
        .enumerate()
        .map(|(at, row)| credential(row).map_err(|what| wrong(format!("entry {}: {what}", at + 1))))
        .collect()
}

fn credential(row: &Value) -> Result<Credential, String> {
    let members = row.as_object().ok_or("must be an object")?;
    if let Some(other) = members.keys().find(|name| {
        ![
            "accessKey",
            "secret",
            "sessionToken",
            "access",
            "tables",
            "buckets",
        ]
        .contains(&name.as_str())
    }) {
        return Err(format!("has an unknown member `{other}`"));
    }
    let text = |name: &str| match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` must be a text")),
    };
    let access_key = text("accessKey")?.ok_or("`accessKey` is missing")?;
    let secret = text("secret")?.ok_or("`secret` is missing")?;
    let mut credential = Credential::new(access_key, secret);
    credential.session_token = text("sessionToken")?;
    if let Some(word) = text("access")? {
        credential.access = access(&word)?;
    }
    credential.tables = rights(members.get("tables"), "tables")?;
    if let Some(name) = credential
        .tables
        .keys()
        .find(|name| name.contains([':', '/']))
    {
        return Err(format!(
            "`tables` takes names of tables, and `{name}` is none"
        ));
    }
    credential.buckets = rights(members.get("buckets"), "buckets")?;
    Ok(credential)
}

/// The rights of a member of a credential, by the name of the table or bucket.
fn rights(given: Option<&Value>, member: &str) -> Result<BTreeMap<String, Access>, String> {
    let rights = match given {
        None => return Ok(BTreeMap::new()),
        Some(Value::Object(rights)) => rights,
        Some(_) => return Err(format!("`{member}` must be an object of rights by name")),
    };
    rights
        .iter()
        .map(|(name, word)| {
            let word = word
                .as_str()
                .ok_or_else(|| format!("the right to {name} must be a text"))?;
            Ok((name.clone(), access(word)?))
        })
        .collect()
}

fn access(word: &str) -> Result<Access, String> {
    match word {
        "none" => Ok(Access::None),
        "read" => Ok(Access::Read),
        "read-write" => Ok(Access::ReadWrite),
        other => Err(format!(
            "`{other}` is no right; rights are none, read and read-write"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_have_rights_by_table() {
        let read = |text: &str| credential(&serde_json::from_str(text).unwrap());
        let found = read(
            r#"{"accessKey":"A","secret":"s","access":"read","tables":{"Orders":"read-write"}}"#,
        )
        .unwrap();
        assert_eq!(
            (found.access, found.tables.get("Orders")),
            (Access::Read, Some(&Access::ReadWrite))
        );
        assert_eq!(
            read(r#"{"accessKey":"A","secret":"s"}"#).unwrap().access,
            Access::ReadWrite
        );
        for wrong in [
            r#"{"accessKey":"A"}"#,
            r#"{"accessKey":"A","secret":1}"#,
            r#"{"accessKey":"A","secret":"s","access":"all"}"#,
            r#"{"accessKey":"A","secret":"s","right":"read"}"#,
            r#"[]"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
