//! A MariaDB of a test's own, in a temporary folder, whose log tells rows.

#![allow(dead_code, reason = "each test takes what it needs")]

use crate::worlds::carried;
use keyfold_client::Backend;
use keyfold_model::Model;
use keyfold_relational::mariadb::Mariadb;
use mysql::prelude::Queryable as _;
use mysql::{Conn, OptsBuilder};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An entity of a table `t`.
pub(crate) const MODEL: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: string, v: string?
  key \"A#{id}\" \"A\"
  from t

pattern one(id) -> A
";

/// A run of a model until everything is carried, or an error's text.
pub(crate) fn run(model: &Model, name: &str, backend: &Backend) -> Result<(), String> {
    let mut source = Mariadb::open(name).map_err(|error| error.message)?;
    carried(model, &mut source, backend)
}

/// The settings that a migration needs.
pub(crate) const ROWS: [&str; 3] = [
    "--log-bin=log",
    "--binlog-format=ROW",
    "--binlog-row-metadata=FULL",
];
/// A server of tests is small, and need not outlive a failure of the power.
const SMALL: [&str; 5] = [
    "--innodb-log-file-size=8M",
    "--innodb-buffer-pool-size=32M",
    "--innodb-flush-log-at-trx-commit=2",
    "--key-buffer-size=1M",
    "--aria-pagecache-buffer-size=1M",
];

/// A server; it ends with the test.
pub(crate) struct Server {
    folder: TempDir,
    child: Option<Child>,
}

fn program(name: &str) -> PathBuf {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(name));
    paths
        .find(|path| path.exists())
        .expect("MariaDB is needed: install Debian's package mariadb-server")
}

/// A program that ends with the test.
fn command(name: &str) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--"])
        .arg(program(name))
        .arg("--no-defaults");
    if rustix::process::geteuid().is_root() {
        command.arg("--user=root");
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The data of a server that was never started; a process makes them once.
fn fresh() -> &'static Path {
    static FRESH: OnceLock<TempDir> = OnceLock::new();
    let folder = FRESH.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let made = command("mariadb-install-db")
            .arg(format!("--datadir={}", folder.path().display()))
            // It starts a server, and a server that starts removes what others have in their temporary folder.
            .arg(format!("--tmpdir={}", scratch.path().display()))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            .args(SMALL)
            .status();
        assert!(made.unwrap().success());
        folder
    });
    folder.path()
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(&ROWS)
    }

    /// A server with other settings than a migration needs.
    pub(crate) fn with(settings: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let copied = Command::new("cp")
            .arg("-a")
            .arg(fresh())
            .arg(folder.path().join("data"))
            .status();
        assert!(copied.unwrap().success());
        let mut server = Server {
            folder,
            child: None,
        };
        server.run(settings);
        server
    }

    /// Starts the program, with settings.
    pub(crate) fn run(&mut self, settings: &[&str]) {
        let mut server = command("mariadbd");
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        server
            .arg(format!("--datadir={}", path("data")))
            .arg(format!("--socket={}", path("s")))
            .arg(format!("--pid-file={}", path("pid")))
            // A server that starts removes what others have there.
            .arg(format!("--tmpdir={}", self.folder.path().display()))
            .args(["--skip-networking", "--server-id=1", "--lc-messages=en_US"])
            .args(SMALL)
            .args(settings);
        self.child = Some(server.spawn().unwrap());
        let until = Instant::now() + Duration::from_secs(60);
        while self.try_connect("").is_none() {
            assert!(Instant::now() < until, "MariaDB does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends the program as a failure would.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// The number of the program's process.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// What names a database.
    pub(crate) fn name(&self, database: &str) -> String {
        self.name_of("root", database)
    }

    /// What names a database, for a role.
    pub(crate) fn name_of(&self, role: &str, database: &str) -> String {
        let socket = self.socket();
        format!("mysql://{role}@localhost/{database}?socket={socket}")
    }

    fn try_connect(&self, database: &str) -> Option<Program> {
        Program::connect(self.socket(), database)
    }

    /// Where the server is.
    pub(crate) fn socket(&self) -> String {
        self.folder.path().join("s").display().to_string()
    }

    pub(crate) fn connect(&self, database: &str) -> Program {
        self.try_connect(database).unwrap()
    }

    /// A new database.
    pub(crate) fn database(&self, name: &str) -> Program {
        self.connect("")
            .must(&format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"));
        self.connect(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        }
    }
}

/// A program that writes SQL.
pub(crate) struct Program {
    conn: RefCell<Conn>,
}

impl Program {
    /// A program of a database, if the server at a socket answers.
    pub(crate) fn connect(socket: String, database: &str) -> Option<Program> {
        let opts = OptsBuilder::new()
            .user(Some("root"))
            .socket(Some(socket))
            .db_name(Some(database).filter(|name| !name.is_empty()));
        let mut conn = Conn::new(opts).ok()?;
        conn.query_drop("SET NAMES utf8mb4").ok()?;
        Some(Program {
            conn: RefCell::new(conn),
        })
    }

    /// Whether the database took a statement.
    pub(crate) fn execute(&self, sql: &str) -> bool {
        self.conn.borrow_mut().query_drop(sql).is_ok()
    }

    /// Statements that are right, each on a line or behind a semicolon.
    pub(crate) fn must(&self, sql: &str) {
        for statement in sql.split([';', '\n']).map(str::trim) {
            if !statement.is_empty() {
                let done = self.conn.borrow_mut().query_drop(statement);
                done.unwrap_or_else(|error| panic!("{statement}: {error}"));
            }
        }
    }

    /// The rows of a statement as texts, or what the database says.
    pub(crate) fn said(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let said: mysql::Result<Vec<mysql::Row>> = self.conn.borrow_mut().query(sql);
        let said = said.map_err(|error| match error {
            mysql::Error::MySqlError(said) => said.message,
            other => other.to_string(),
        })?;
        let rows = said.into_iter().map(|row| {
            let texts = row.unwrap().into_iter();
            texts.map(mysql::from_value::<Option<String>>).collect()
        });
        Ok(rows.collect())
    }

    pub(crate) fn text(&self, sql: &str) -> String {
        let found: Option<String> = self.conn.borrow_mut().query_first(sql).unwrap();
        found.unwrap()
    }
}
