//! A MariaDB that is reached over TLS, with a certificate of an authority of one's own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod mariadb_server;
mod worlds;

use keyfold_client::Backend;
use keyfold_model::Model;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{Ended, Mapping, Migration, Progress, Source as _};
use mariadb_server::{MODEL, ROWS, Server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use worlds::{backend, carried, compiled};

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Writes a certificate of an authority for `localhost`, and its key. It has expired where that is wanted.
fn certify(folder: &Path, authority: &CertifiedIssuer<'static, KeyPair>, has_expired: bool) {
    let key = KeyPair::generate().unwrap();
    let mut own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    if has_expired {
        own.not_after = rcgen::date_time_ymd(2001, 1, 1);
    }
    let own = own.signed_by(&key, authority).unwrap();
    std::fs::write(folder.join("own.pem"), own.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
}

/// A run that follows the log ends with a sentence when it connects again and the certificate is not to be trusted.
fn follows_until_the_certificate_is_bad(
    model: &Model,
    from: &str,
    backend: &Backend,
    spoil: impl FnOnce(),
) {
    let mut source = Mariadb::open(from).unwrap();
    let mapping = Mapping::of(model, &mut source).unwrap();
    let progress = Progress::default();
    let ended = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut migration = Migration::new(&mapping, &mut source, backend, &progress);
            migration.run(false)
        });
        while !progress.figures().follows && !run.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
        }
        spoil();
        let until = Instant::now() + Duration::from_secs(120);
        while !run.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        progress.stop();
        run.join().unwrap()
    });
    let Ended::Source(said) = ended else {
        panic!("{ended:?}")
    };
    let said = said.message;
    assert!(
        said.contains("TLS fails") && said.contains("expired"),
        "{said}"
    );
}

#[test]
fn rows_and_the_log_are_read_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let own = authority();
    certify(folder.path(), &own, false);
    std::fs::write(path("ca.pem"), own.pem()).unwrap();
    let port = free_port();
    let mut settings = ROWS.map(str::to_owned).to_vec();
    settings.extend([
        "--skip-networking=0".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--port={port}"),
        format!("--ssl-cert={}", path("own.pem")),
        format!("--ssl-key={}", path("key.pem")),
    ]);
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut server = Server::with(&settings);
    let program = server.database("d");
    program.must(
        "CREATE USER r@'%' REQUIRE SSL; GRANT SELECT, REPLICATION SLAVE, BINLOG MONITOR ON *.* TO r@'%'; CREATE TABLE t (id \
         varchar(9) PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'b')",
    );
    let model = compiled(MODEL);
    let backend = backend(&model);
    let address = format!("mysql://r@localhost:{port}/d");
    let trusted = format!(
        "{address}?require_ssl=true&root_cert_path={}",
        path("ca.pem")
    );
    for id in ["b", "c"] {
        let mut source = Mariadb::open(&trusted).unwrap();
        assert_eq!(carried(&model, &mut source, &backend), Ok(()));
        program.must(&format!("INSERT INTO t VALUES ('{id}', 'x')"));
    }
    assert!(Mariadb::open(&address).is_err(), "without TLS");
    // By another name than the certificate's, and without its authority.
    let other = format!("mysql://r@127.0.0.1:{port}/d?require_ssl=true");
    let rooted = format!("{other}&root_cert_path={}", path("ca.pem"));
    let ways = [
        (rooted.clone(), false),
        (format!("{rooted}&danger_skip_domain_validation=true"), true),
        (format!("{other}&danger_skip_domain_validation=true"), false),
        (format!("{other}&danger_accept_invalid_certs=true"), true),
    ];
    for (name, is_taken) in ways {
        assert_eq!(Mariadb::open(&name).is_ok(), is_taken, "{name}");
    }
    let said = Mariadb::open(&format!("{address}?require_ssl=true"));
    let said = said.map(|_| ()).unwrap_err();
    assert!(said.message.contains("certificate"), "{said:?}");
    follows_until_the_certificate_is_bad(&model, &trusted, &backend, || {
        certify(folder.path(), &own, true);
        program.must("FLUSH SSL");
        let others = "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'r'";
        for row in program.said(others).unwrap() {
            program.execute(&format!("KILL {}", row[0].as_ref().unwrap()));
        }
    });
    certify(folder.path(), &own, false);
    program.must("FLUSH SSL");
    // A certificate that the server gets while it is followed, and that is not to be trusted.
    for (has_expired, why) in [(true, "expired"), (false, "invalid peer certificate")] {
        let mut source = Mariadb::open(&trusted).unwrap();
        source.query("SELECT v FROM t", &[]).unwrap();
        server.kill();
        match has_expired {
            true => certify(folder.path(), &own, true),
            false => certify(folder.path(), &authority(), false),
        }
        server.run(&settings);
        // The first error says that the connection was lost.
        let mut errors = (0..5).filter_map(|_| source.query("SELECT v FROM t", &[]).err());
        let lasting = errors.find(|error| !error.may_pass);
        let said = lasting.map(|error| error.message).unwrap_or_default();
        assert!(
            said.contains(why) && said.contains("root_cert_path=FILE"),
            "{said}"
        );
        certify(folder.path(), &own, false);
        server.kill();
        server.run(&settings);
        assert_eq!(source.query("SELECT v FROM t", &[]).unwrap().len(), 3);
    }
}
