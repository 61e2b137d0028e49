//! Endpoints with TLS whose certificate is of an authority of one's own.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and its server reads files"
)]

use keyfold::{Database, Endpoint, Error, Keyfold, nonblocking, values};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig, TlsFiles};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::net::SocketAddr;
use std::sync::Arc;
use tempfile::TempDir;

const MODEL: &str = "model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"N#{id}\" \"N\"\npattern note(id) -> Note?\n";

/// A server for localhost, and the authority of its certificate.
struct Served {
    folder: TempDir,
    authority: String,
    port: u16,
}

impl Served {
    fn start() -> Served {
        let folder = tempfile::tempdir().unwrap();
        let authority = authority();
        let key = KeyPair::generate().unwrap();
        let own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let own = own.signed_by(&key, &authority).unwrap();
        let files = TlsFiles {
            certificate: folder.path().join("own.pem"),
            key: folder.path().join("key.pem"),
        };
        std::fs::write(&files.certificate, own.pem()).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        let (send, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            runtime.block_on(async {
                let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
                let mut config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
                config.tls = Some(files);
                let server = Server::bind(Arc::new(engine), config).await.unwrap();
                send.send(server.address()).unwrap();
                server.run(std::future::pending()).await;
            });
        });
        Served {
            folder,
            authority: authority.pem(),
            port: address.recv().unwrap().port(),
        }
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url()).retries(0)
    }

    fn url(&self) -> String {
        format!("https://localhost:{}", self.port)
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn notes(endpoint: Endpoint) -> Result<Database, Error> {
    Keyfold::connect_with(endpoint)?.model(MODEL)
}

#[test]
fn a_server_of_a_trusted_authority_is_used() {
    let served = Served::start();
    let trusting = served
        .endpoint()
        .certificate_authorities(&*served.authority);
    let blocking = notes(trusting.clone()).unwrap();
    blocking.put("Note", values! { "id": "a" }).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let keyfold = nonblocking::Keyfold::connect_with(trusting).unwrap();
        let notes = keyfold.model(MODEL).await.unwrap();
        let found = notes.query("note").arg("id", "a").one().await;
        assert!(found.unwrap().is_some());
    });
    let file = served.folder.path().join("ca.pem");
    let text = format!("{}?ca={}", served.url(), file.display());
    let named = Keyfold::connect(&text).unwrap().model(MODEL).unwrap();
    assert!(named.query("note").arg("id", "a").one().unwrap().is_some());
}

#[test]
fn a_server_of_another_authority_is_refused() {
    let served = Served::start();
    let other = authority().pem();
    for endpoint in [
        served.endpoint(),
        served.endpoint().certificate_authorities(other),
    ] {
        let refused = notes(endpoint.clone());
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let refused = runtime.block_on(async {
            let keyfold = nonblocking::Keyfold::connect_with(endpoint).unwrap();
            keyfold.model(MODEL).await.map(drop)
        });
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    }
}

#[test]
fn texts_that_are_no_authorities_are_refused_before_anything_is_sent() {
    for (pem, why) in [
        ("", "BEGIN CERTIFICATE"),
        ("no certificate", "BEGIN CERTIFICATE"),
        (
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "cannot be used",
        ),
    ] {
        let endpoint = Endpoint::new("https://localhost:1").certificate_authorities(pem);
        let Err(Error::Invalid { message: text, .. }) = Keyfold::connect_with(endpoint) else {
            panic!("{pem} is taken");
        };
        assert!(text.contains(why), "{text}");
    }
    for (text, why) in [
        ("https://localhost:1?ca=/none.pem", "no file /none.pem"),
        ("http://localhost:1?ca=/none.pem", "no TLS"),
    ] {
        let refused = Keyfold::connect(text).map(drop).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}
