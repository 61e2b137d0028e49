//! TLS to PostgreSQL, as its own clients understand `sslmode` and `sslrootcert` in what names a database.

use crate::source::SourceError;
use crate::untrusted;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{
    CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_rustls::{TlsConnector, client};

/// What is checked of a server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checks {
    Nothing,
    Authority,
    AuthorityAndName,
}

/// What the name of a database says of TLS.
#[derive(Debug)]
pub(super) struct Asked {
    /// The name without it.
    pub(super) rest: String,
    pub(super) mode: SslMode,
    checks: Checks,
    authorities: Option<String>,
}

impl Asked {
    /// Takes `sslmode` and `sslrootcert` out of a name. Without a mode, TLS is used where the server has it.
    pub(super) fn of(text: &str) -> Result<Asked, SourceError> {
        let (place, options) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut authorities, mut rest) = (None, None, Vec::new());
        for option in options.split('&').filter(|one| !one.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", word)) => mode = Some(word.to_owned()),
                Some(("sslrootcert", file)) => authorities = Some(decoded(file)),
                Some(_) | None => rest.push(option),
            }
        }
        let rest = match rest.is_empty() {
            true => place.to_owned(),
            false => format!("{place}?{}", rest.join("&")),
        };
        let checks = match authorities {
            Some(_) => Checks::Authority,
            None => Checks::Nothing,
        };
        let (mode, checks) = match mode.as_deref() {
            Some("disable") => (SslMode::Disable, Checks::Nothing),
            None | Some("prefer" | "allow") => (SslMode::Prefer, checks),
            Some("require") => (SslMode::Require, checks),
            Some("verify-ca") => (SslMode::Require, Checks::Authority),
            Some("verify-full") => (SslMode::Require, Checks::AuthorityAndName),
            Some(other) => {
                return Err(SourceError::lasting(format!(
                    "`sslmode={other}` is none: it is disable, prefer, require, verify-ca or verify-full"
                )));
            }
        };
        Ok(Asked {
            rest,
            mode,
            checks,
            authorities,
        })
    }

    /// What encrypts connections so.
    pub(super) fn connector(&self) -> Result<Connector, SourceError> {
        let failed = |error: Error| SourceError::lasting(format!("TLS cannot be used: {error}"));
        let provider = Arc::new(ring::default_provider());
        let roots = match &self.authorities {
            Some(file) => authorities(file)?,
            None => RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(failed)?;
        let config = match self.checks {
            Checks::AuthorityAndName => builder.with_root_certificates(roots).with_no_client_auth(),
            Checks::Authority | Checks::Nothing => {
                let authority = match self.checks {
                    Checks::Nothing => None,
                    Checks::Authority | Checks::AuthorityAndName => {
                        let made = WebPkiServerVerifier::builder_with_provider(
                            Arc::new(roots),
                            Arc::clone(&provider),
                        );
                        let made = made.build();
                        Some(made.map_err(|error| {
                            SourceError::lasting(format!("TLS cannot be used: {error}"))
                        })?)
                    }
                };
                let lenient = Lenient {
                    authority,
                    provider,
                };
                let dangerous = builder.dangerous();
                dangerous
                    .with_custom_certificate_verifier(Arc::new(lenient))
                    .with_no_client_auth()
            }
        };
        Ok(Connector(Arc::new(config)))
    }
}

/// The file that an option names: its `%2F` are slashes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let escaped = behind.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|two| std::str::from_utf8(two).ok());
        let escaped = escaped.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = match escaped {
            Some(_) => behind.get(2..).unwrap_or_default(),
            None => behind,
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The authorities of a file in PEM.
fn authorities(file: &str) -> Result<RootCertStore, SourceError> {
    let refused = |why: String| {
        SourceError::lasting(format!("`sslrootcert={file}` holds no certificates: {why}"))
    };
    let all = CertificateDer::pem_file_iter(file).map_err(|error| refused(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    for one in all {
        let one = one.map_err(|error| refused(error.to_string()))?;
        roots.add(one).map_err(|error| refused(error.to_string()))?;
    }
    match roots.is_empty() {
        true => Err(refused("there is no `BEGIN CERTIFICATE` in it".to_owned())),
        false => Ok(roots),
    }
}

/// Why TLS is what a connection fails by, if it is. A server that goes away in the middle of a handshake is none of
/// these.
pub(super) fn fault(error: &tokio_postgres::Error) -> Option<String> {
    let said = error.to_string();
    if !said.contains("TLS") {
        return None;
    }
    let mut cause = std::error::Error::source(error);
    let mut last = said;
    while let Some(one) = cause {
        if untrusted::is_lost(one) {
            return None;
        }
        last = one.to_string();
        cause = one.source();
    }
    Some(format!(
        "TLS fails: {last} (`sslmode=require` encrypts, `verify-full` also checks the certificate, by the public \
         authorities or those of `sslrootcert=FILE`; `disable` does neither)"
    ))
}

/// A check of a certificate that leaves the name of the server out, or all.
#[derive(Debug)]
struct Lenient {
    authority: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Lenient {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        stapled: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else {
            return Ok(ServerCertVerified::assertion());
        };
        match authority.verify_server_cert(end, between, name, stapled, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// What encrypts the connections of a session.
#[derive(Clone)]
pub(super) struct Connector(Arc<ClientConfig>);

/// What encrypts a connection to a host.
pub(super) struct Connecting {
    config: Arc<ClientConfig>,
    host: String,
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S> MakeTlsConnect<S> for Connector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Connecting;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Connecting> {
        Ok(Connecting {
            config: Arc::clone(&self.0),
            host: host.to_owned(),
        })
    }
}

impl<S> TlsConnect<S> for Connecting
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let name = ServerName::try_from(self.host).map_err(io::Error::other)?;
            let encrypted = TlsConnector::from(self.config)
                .connect(name, stream)
                .await?;
            Ok(Encrypted(encrypted))
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(options: &str) -> Option<(String, SslMode, Checks, Option<String>)> {
        let asked = Asked::of(&format!("postgres://me@db/shop{options}")).ok()?;
        Some((asked.rest, asked.mode, asked.checks, asked.authorities))
    }

    #[test]
    fn modes_are_those_of_its_own_clients() {
        let plain = || "postgres://me@db/shop".to_owned();
        let (nothing, authority) = (Checks::Nothing, Checks::Authority);
        assert_eq!(asked(""), Some((plain(), SslMode::Prefer, nothing, None)));
        assert_eq!(
            asked("?sslmode=disable"),
            Some((plain(), SslMode::Disable, nothing, None))
        );
        assert_eq!(
            asked("?sslmode=require"),
            Some((plain(), SslMode::Require, nothing, None))
        );
        let file = Some("/a b.pem".to_owned());
        assert_eq!(
            asked("?sslmode=require&sslrootcert=%2Fa%20b.pem"),
            Some((plain(), SslMode::Require, authority, file))
        );
        assert_eq!(
            asked("?sslmode=verify-full&port=1"),
            Some((
                format!("{}?port=1", plain()),
                SslMode::Require,
                Checks::AuthorityAndName,
                None
            ))
        );
        assert_eq!(asked("?sslmode=always"), None);
    }
}
