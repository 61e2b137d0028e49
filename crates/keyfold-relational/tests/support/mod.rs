//! A PostgreSQL of a test's own, in a temporary folder, whose log tells rows.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A server; it ends with the test.
pub(crate) struct Server {
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

fn programs() -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let highest = installed.map(|entry| entry.path()).max_by_key(number);
    highest
        .expect("PostgreSQL is needed: install Debian's package postgresql")
        .join("bin")
}

/// A program that does not run as root, which PostgreSQL refuses, and that ends with the test.
fn command(name: &str) -> Command {
    let is_root = rustix::process::geteuid().is_root();
    let mut command = Command::new("setpriv");
    if is_root {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    }
    command
        .args(["--pdeathsig", "KILL", "--"])
        .arg(programs().join(name));
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

impl Server {
    pub(crate) fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).unwrap();
        if rustix::process::geteuid().is_root() {
            for path in [folder.path(), &data] {
                let done = Command::new("chown").arg("postgres").arg(path).status();
                assert!(done.unwrap().success());
            }
        }
        let mut init = command("initdb");
        init.arg("-D").arg(&data);
        init.args([
            "--username=me",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        assert!(init.status().unwrap().success());
        let mut server = Server {
            folder,
            port: 5432,
            child: None,
        };
        server.run(&["-c", "wal_level=logical"]);
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A file of the server, which others may not read.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.data().join(name);
        std::fs::write(&path, text).unwrap();
        let mut as_due = vec![vec!["chmod", "600"]];
        if rustix::process::geteuid().is_root() {
            as_due.push(vec!["chown", "postgres"]);
        }
        for words in as_due {
            let done = Command::new(words[0]).arg(words[1]).arg(&path).status();
            assert!(done.unwrap().success());
        }
        path
    }

    /// Starts the program, with settings.
    pub(crate) fn run(&mut self, settings: &[&str]) {
        let mut server = command("postgres");
        server
            .arg("-D")
            .arg(self.data())
            .args(["-c", "listen_addresses=", "-c", "fsync=off"]);
        server.arg("-c").arg(format!(
            "unix_socket_directories={}",
            self.folder.path().display()
        ));
        server.args(settings);
        self.child = Some(server.spawn().unwrap());
        let until = Instant::now() + Duration::from_secs(30);
        while self.try_connect("postgres").is_none() {
            assert!(Instant::now() < until, "PostgreSQL does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Starts the program with settings, of which one is its port.
    pub(crate) fn run_at(&mut self, port: u16, settings: &[&str]) {
        self.port = port;
        self.run(settings);
    }

    /// Ends the program as a failure of the machine would.
    pub(crate) fn kill(&mut self) {
        let pid = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap();
        let pid = pid.lines().next().unwrap().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::QUIT).unwrap();
        self.child.take().unwrap().wait().unwrap();
    }

    /// Kills every process of the program at once.
    pub(crate) fn kill_all(&mut self) {
        let mut child = self.child.take().unwrap();
        let own = format!("/proc/{0}/task/{0}/children", child.id());
        let others = std::fs::read_to_string(own).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let others: Vec<&str> = others.split_whitespace().collect();
        for other in &others {
            let pid = rustix::process::Pid::from_raw(other.parse().unwrap()).unwrap();
            // It may have ended with the first.
            let _killed = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let until = Instant::now() + Duration::from_secs(30);
        let is_there = |other: &&str| Path::new("/proc").join(other).exists();
        while others.iter().any(is_there) {
            assert!(
                Instant::now() < until,
                "a process of PostgreSQL does not end"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What names a database.
    pub(crate) fn name(&self, database: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://me@{folder}:{}/{database}", self.port)
    }

    fn try_connect(&self, database: &str) -> Option<Program> {
        Program::connect(&self.name(database))
    }

    pub(crate) fn connect(&self, database: &str) -> Program {
        self.try_connect(database).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.is_some() && Path::new(&self.data()).join("postmaster.pid").exists() {
            self.kill();
        }
    }
}

/// A program that writes SQL.
pub(crate) struct Program {
    runtime: Runtime,
    client: Client,
}

impl Program {
    /// A program of a database that a name names, if the server answers.
    pub(crate) fn connect(name: &str) -> Option<Program> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let connecting = tokio_postgres::connect(name, NoTls);
        let (client, connection) = runtime.block_on(connecting).ok()?;
        runtime.spawn(async move { connection.await.unwrap_or_default() });
        Some(Program { runtime, client })
    }

    /// Whether the database took statements.
    pub(crate) fn execute(&self, sql: &str) -> bool {
        self.runtime
            .block_on(self.client.batch_execute(sql))
            .is_ok()
    }

    /// Statements that are right.
    pub(crate) fn must(&self, sql: &str) {
        self.runtime
            .block_on(self.client.batch_execute(sql))
            .unwrap();
    }

    /// The rows of statements as texts, or what the database says.
    pub(crate) fn said(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, String> {
        let said = self.runtime.block_on(self.client.simple_query(sql));
        let said = said.map_err(|error| match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            None => error.to_string(),
        })?;
        let mut rows = Vec::new();
        for message in said {
            if let SimpleQueryMessage::Row(row) = message {
                let texts = (0..row.len()).map(|at| row.get(at).map(str::to_owned));
                rows.push(texts.collect());
            }
        }
        Ok(rows)
    }

    pub(crate) fn text(&self, sql: &str) -> String {
        let rows = self.runtime.block_on(self.client.query(sql, &[])).unwrap();
        rows[0].get::<_, String>(0)
    }
}
