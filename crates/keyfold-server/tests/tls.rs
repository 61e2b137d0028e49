//! HTTPS with a chain of certificates and a client that trusts only its root.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig, ServerError, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};

fn authority() -> (CertificateParams, KeyPair) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    (params, KeyPair::generate().unwrap())
}

/// Writes the certificate chain of localhost, with one authority between it and the root; returns
/// the files and the root's certificate.
fn write_chain(folder: &Path) -> (TlsFiles, CertificateDer<'static>) {
    let (params, key) = authority();
    let root = CertifiedIssuer::self_signed(params, key).unwrap();
    let (params, key) = authority();
    let between = CertifiedIssuer::signed_by(params, key, &root).unwrap();
    let leaf_key = KeyPair::generate().unwrap();
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let leaf = leaf.signed_by(&leaf_key, &between).unwrap();
    let files = TlsFiles {
        certificate: folder.join("chain.pem"),
        key: folder.join("key.pem"),
    };
    std::fs::write(
        &files.certificate,
        format!("{}{}", leaf.pem(), between.pem()),
    )
    .unwrap();
    std::fs::write(&files.key, leaf_key.serialize_pem()).unwrap();
    (files, root.der().clone())
}

fn config(tls: TlsFiles) -> ServerConfig {
    let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    config.allow_unsigned = true;
    config.tls = Some(tls);
    config
}

fn engine() -> Arc<Engine> {
    Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap())
}

async fn list_tables(address: SocketAddr, roots: RootCertStore) -> std::io::Result<String> {
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(common::trusting(roots)))
        .connect(name, stream)
        .await?;
    let request = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\
         Content-Length: 2\r\nConnection: close\r\n\r\n{}";
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

#[tokio::test]
async fn only_clients_that_trust_the_root_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let (files, root) = write_chain(folder.path());
    let server = Server::bind(engine(), config(files)).await.unwrap();
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
    let mut roots = RootCertStore::empty();
    roots.add(root).unwrap();
    let answer = list_tables(address, roots.clone()).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with(r#"{"TableNames":[]}"#),
        "{answer}"
    );
    assert!(
        list_tables(address, RootCertStore::empty()).await.is_err(),
        "a stranger's certificate"
    );
    // A request without TLS gets no answer, and does not disturb others.
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain
        .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut answer = Vec::new();
    // The connection may be closed or reset.
    drop(plain.read_to_end(&mut answer).await);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    assert!(list_tables(address, roots).await.is_ok());
    drop(stop);
    serving.await.unwrap();
}

#[tokio::test]
async fn the_error_names_the_unusable_file() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = write_chain(folder.path());
    let absent = TlsFiles {
        certificate: folder.path().join("absent.pem"),
        ..files.clone()
    };
    let swapped = TlsFiles {
        certificate: files.key.clone(),
        key: files.key.clone(),
    };
    let keyless = TlsFiles {
        key: files.certificate.clone(),
        ..files
    };
    for (files, named) in [
        (absent, "absent.pem"),
        (swapped, "key.pem"),
        (keyless, "chain.pem"),
    ] {
        match Server::bind(engine(), config(files)).await {
            Err(error @ ServerError::Certificate { .. }) => {
                assert!(error.to_string().contains(named), "{error}");
            }
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("{named} was accepted"),
        }
    }
}
