//! TLS of the connections that tasks use: the same library, roots and provider as the blocking ones.

use std::io;
use std::sync::{Arc, OnceLock};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::{TlsConnector, rustls};

/// Encrypts a connection to a host.
///
/// # Errors
/// When the host's certificate is not its own, or the handshake fails.
pub(super) async fn encrypted(
    host: &str,
    stream: TcpStream,
) -> Result<TlsStream<TcpStream>, io::Error> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let config = config().map_err(io::Error::other)?;
    TlsConnector::from(config).connect(name, stream).await
}

/// The settings of this process. They are made once: sessions are resumed by them.
fn config() -> Result<Arc<ClientConfig>, rustls::Error> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}
