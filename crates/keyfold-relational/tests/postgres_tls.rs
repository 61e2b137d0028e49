//! Connections to PostgreSQL that are encrypted, as its own clients understand `sslmode` and `sslrootcert`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use keyfold_relational::postgres::Postgres;
use keyfold_relational::{Cell, Source};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use support::Server;

/// Whether the connection by a name is encrypted, or what is said of it.
fn encrypted(name: &str) -> Result<bool, String> {
    let mut source = Postgres::open(name).map_err(|error| error.message)?;
    let sql = "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let rows = source.query(sql, &[]).map_err(|error| error.message)?;
    Ok(rows[0][0] == Cell::Text("true".to_owned()))
}

/// An authority of a name, in PEM, and a certificate of it for `localhost` with its key.
fn authority(name: &str) -> (String, String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    (issuer.pem(), certificate.pem(), key.serialize_pem())
}

#[test]
fn connections_are_encrypted_as_the_name_asks() {
    let mut server = Server::start();
    server.kill();
    let (authority_pem, certificate, key) = authority("own");
    let (other, ..) = authority("other");
    let certificate = server.write("own.pem", &certificate);
    let key = server.write("own.key", &key);
    let roots = server.write("roots.pem", &authority_pem);
    let others = server.write("others.pem", &other);
    // A port that nobody has.
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let number = format!("port={port}");
    let settings = ["wal_level=logical", "listen_addresses=127.0.0.1", &number];
    let settings: Vec<&str> = settings.iter().flat_map(|one| ["-c", *one]).collect();
    let own = [
        format!("ssl_cert_file={}", certificate.display()),
        format!("ssl_key_file={}", key.display()),
    ];
    let mut with_tls = settings.clone();
    with_tls.extend(["-c", "ssl=on", "-c", &own[0], "-c", &own[1]]);
    server.run_at(port, &with_tls);
    let at = |host: &str, options: &str| format!("postgres://me@{host}:{port}/postgres{options}");
    let root = |mode: &str, file: &std::path::Path| {
        let file = file.display().to_string().replace('/', "%2F");
        format!("?sslmode={mode}&sslrootcert={file}")
    };
    assert_eq!(encrypted(&at("localhost", "?sslmode=disable")), Ok(false));
    for options in ["", "?sslmode=prefer", "?sslmode=require"] {
        assert_eq!(encrypted(&at("127.0.0.1", options)), Ok(true), "{options}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        assert_eq!(
            encrypted(&at("localhost", &root(mode, &roots))),
            Ok(true),
            "{mode}"
        );
        let refused = Postgres::open(&at("localhost", &root(mode, &others)));
        assert!(!refused.map(|_| ()).unwrap_err().may_pass, "{mode}");
        let said = encrypted(&at("localhost", &root(mode, &others))).unwrap_err();
        assert!(
            said.contains("UnknownIssuer") && said.contains("sslrootcert=FILE"),
            "{said}"
        );
    }
    assert_eq!(
        encrypted(&at("127.0.0.1", &root("verify-ca", &roots))),
        Ok(true)
    );
    let said = encrypted(&at("127.0.0.1", &root("verify-full", &roots))).unwrap_err();
    assert!(said.contains("certificate not valid for name"), "{said}");
    let said = encrypted(&at("localhost", "?sslmode=verify-full")).unwrap_err();
    assert!(said.contains("UnknownIssuer"), "{said}");
    let said = encrypted(&at(
        "localhost",
        "?sslmode=verify-full&sslrootcert=none.pem",
    ))
    .unwrap_err();
    assert!(
        said.contains("`sslrootcert=none.pem` holds no certificates"),
        "{said}"
    );
    server.kill();
    server.run_at(port, &settings);
    assert_eq!(encrypted(&at("localhost", "")), Ok(false));
    let said = encrypted(&at("localhost", "?sslmode=require")).unwrap_err();
    assert!(said.contains("server does not support TLS"), "{said}");
}

/// A server that goes away while TLS begins is waited for, unlike one whose certificate is not to be trusted.
#[test]
fn a_server_that_goes_away_in_the_handshake_may_come_back() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        // Its answer to the request for TLS is yes.
        client.read_exact(&mut [0; 8]).unwrap();
        client.write_all(b"S").unwrap();
        client.read_exact(&mut [0; 8]).unwrap();
    });
    let said = Postgres::open(&format!("postgres://me@localhost:{port}/d?sslmode=require"));
    let said = said.map(|_| ()).unwrap_err();
    assert!(said.may_pass, "{said:?}");
    server.join().unwrap();
}

#[test]
fn a_name_that_is_none_is_answered_with_its_form() {
    for name in [
        "postgres://",
        "postgresql://",
        "postgres:///shop",
        "postgres://me@db/shop?nonsense=1",
    ] {
        let said = encrypted(name).unwrap_err();
        assert!(
            said.contains("postgres://USER@HOST:PORT/DATABASE"),
            "{name}: {said}"
        );
    }
    let said = encrypted("postgres://me@db/shop?sslmode=always").unwrap_err();
    assert!(said.contains("`sslmode=always` is none"), "{said}");
}
