//! HTTPS with a chain of certificates, to a client that knows only its root.
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

/// Writes the chain of a server named localhost, below an authority below the root whose
/// certificate is given back.
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
async fn a_client_that_trusts_the_root_is_served_and_others_go_away() {
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
    // Plain HTTP is not answered in clear, and hurts nobody.
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain
        .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await
        .unwrap();
    let mut told = Vec::new();
    // Closed or reset: either will do.
    drop(plain.read_to_end(&mut told).await);
    assert!(!told.starts_with(b"HTTP"), "{told:?}");
    assert!(list_tables(address, roots).await.is_ok());
    drop(stop);
    serving.await.unwrap();
}

#[tokio::test]
async fn files_that_are_no_certificate_are_named() {
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
