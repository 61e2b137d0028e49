//! TLS: the authorities that are trusted, and connections of tasks, which have the same library, roots
//! and provider as the blocking ones.

use keyfold_lower::ClientError;
use std::io;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{TlsConnector, rustls};

/// The certificate authorities that an endpoint trusts.
pub(super) struct Authorities {
    /// Its own, in place of the public ones.
    own: Option<Vec<CertificateDer<'static>>>,
    /// The settings of connections, made once: sessions are resumed by them.
    config: OnceLock<Arc<ClientConfig>>,
}

impl Authorities {
    /// The public authorities.
    #[cfg(feature = "aws")]
    pub(super) fn public() -> Authorities {
        Authorities {
            own: None,
            config: OnceLock::new(),
        }
    }

    /// The authorities of a text in PEM; the public ones where there is none.
    ///
    /// # Errors
    /// `Invalid` when the text has no certificate, or one that is none of an authority.
    pub(super) fn of_pem(pem: Option<&[u8]>) -> Result<Authorities, ClientError> {
        let own = pem.map(certificates).transpose().map_err(|why| {
            ClientError::Invalid(format!("the certificate authorities cannot be used: {why}"))
        })?;
        Ok(Authorities {
            own,
            config: OnceLock::new(),
        })
    }

    /// The authorities of blocking connections.
    pub(super) fn blocking(&self) -> ureq::tls::TlsConfig {
        let roots = match &self.own {
            None => ureq::tls::RootCerts::WebPki,
            Some(own) => {
                let each = own
                    .iter()
                    .map(|one| ureq::tls::Certificate::from_der(one).to_owned());
                ureq::tls::RootCerts::new_with_certs(&each.collect::<Vec<_>>())
            }
        };
        ureq::tls::TlsConfig::builder().root_certs(roots).build()
    }

    /// Encrypts a connection to a host.
    ///
    /// # Errors
    /// When the host's certificate is not its own or of no trusted authority, or the handshake fails.
    pub(super) async fn encrypted(
        &self,
        host: &str,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, io::Error> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let config = self.config().map_err(io::Error::other)?;
        TlsConnector::from(config).connect(name, stream).await
    }

    fn config(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        static PUBLIC: OnceLock<Arc<ClientConfig>> = OnceLock::new();
        let made = match &self.own {
            None => &PUBLIC,
            Some(_) => &self.config,
        };
        if let Some(config) = made.get() {
            return Ok(Arc::clone(config));
        }
        let roots = match &self.own {
            None => RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(own) => store(own)?,
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Arc::clone(made.get_or_init(|| Arc::new(config))))
    }
}

/// The certificates of a text.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let each = CertificateDer::pem_slice_iter(pem);
    let all: Vec<_> = each
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    if all.is_empty() {
        return Err("there is no `BEGIN CERTIFICATE` in PEM".to_owned());
    }
    store(&all).map_err(|error| error.to_string())?;
    Ok(all)
}

/// The authorities as roots.
fn store(all: &[CertificateDer<'static>]) -> Result<RootCertStore, rustls::Error> {
    let mut roots = RootCertStore::empty();
    for one in all {
        roots.add(one.clone())?;
    }
    Ok(roots)
}
