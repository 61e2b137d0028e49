//! A MariaDB of the measurement's own, whose log tells rows, with the settings that Debian gives it.

use mysql::prelude::Queryable as _;
use mysql::{Conn, OptsBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time that a start takes.
const START_TAKES_MAX: Duration = Duration::from_secs(60);
/// The settings that a migration needs.
const ROWS: [&str; 3] = [
    "--log-bin=log",
    "--binlog-format=ROW",
    "--binlog-row-metadata=FULL",
];
/// What lets MariaDB read the statements that make the rows.
const FORMS: &str = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',PIPES_AS_CONCAT'), SESSION max_recursive_iterations = 4294967295";

/// A running server. Dropping it ends the process.
pub(super) struct Mariadb {
    folder: PathBuf,
    child: Option<Child>,
}

fn program(name: &str) -> io::Result<PathBuf> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(name));
    let missing = || io::Error::other("MariaDB is needed: install Debian's package mariadb-server");
    paths.find(|path| path.exists()).ok_or_else(missing)
}

fn command(name: &str) -> io::Result<Command> {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]);
    command.arg(program(name)?).arg("--no-defaults");
    if super::postgres::is_root()? {
        command.arg("--user=root");
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

impl Mariadb {
    /// Makes a database in a folder, and serves it on a socket there.
    pub(super) fn start(folder: &Path) -> io::Result<Mariadb> {
        std::fs::create_dir_all(folder)?;
        let data = format!("--datadir={}", folder.join("data").display());
        let mut install = command("mariadb-install-db")?;
        // A server that starts, as this one does, removes what others have in its temporary folder.
        let scratch = format!("--tmpdir={}", folder.display());
        install.args([&data, &scratch, "--auth-root-authentication-method=normal"]);
        super::postgres::succeeded(install.arg("--skip-test-db"), "mariadb-install-db")?;
        let mut server = command("mariadbd")?;
        let path = |name: &str| folder.join(name).display().to_string();
        server.args([
            data,
            format!("--socket={}", path("s")),
            format!("--pid-file={}", path("pid")),
            format!("--tmpdir={}", folder.display()),
        ]);
        server
            .args(["--skip-networking", "--server-id=1"])
            .args(ROWS);
        let mariadb = Mariadb {
            folder: folder.to_owned(),
            child: Some(server.spawn()?),
        };
        let until = Instant::now() + START_TAKES_MAX;
        while let Err(error) = mariadb.connect("") {
            if Instant::now() > until {
                return Err(io::Error::other(format!("MariaDB does not start: {error}")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut first = mariadb.connect("").map_err(io::Error::other)?;
        let create = "CREATE DATABASE source CHARACTER SET utf8mb4";
        first.query_drop(create).map_err(io::Error::other)?;
        Ok(mariadb)
    }

    fn socket(&self) -> String {
        self.folder.join("s").display().to_string()
    }

    /// A connection of a program.
    pub(super) fn connect(&self, database: &str) -> mysql::Result<Conn> {
        let options = OptsBuilder::new()
            .user(Some("root"))
            .socket(Some(self.socket()))
            .db_name(Some(database).filter(|name| !name.is_empty()));
        let mut conn = Conn::new(options)?;
        conn.query_drop("SET NAMES utf8mb4")?;
        conn.query_drop(FORMS)?;
        Ok(conn)
    }

    /// What names its database.
    pub(super) fn name(&self) -> String {
        format!("mysql://root@localhost/source?socket={}", self.socket())
    }
}

impl Drop for Mariadb {
    fn drop(&mut self) {
        // A process that has ended already is no error.
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// The statements that make the rows, as MariaDB writes them.
pub(super) fn statements(sql: &str) -> impl Iterator<Item = String> {
    let whole = sql.split(';').map(str::trim);
    let whole = whole.filter(|sql| !sql.is_empty());
    // Whole numbers are divided by a word.
    whole.map(|sql| sql.replace(" / ", " DIV "))
}
