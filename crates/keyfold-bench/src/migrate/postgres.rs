//! A PostgreSQL of the measurement's own, whose log tells rows, with the settings that Debian gives it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

/// The longest time that a start takes.
const START_TAKES_MAX: Duration = Duration::from_secs(30);

/// A running server. Dropping it ends the process.
pub(super) struct Postgres {
    folder: PathBuf,
    child: Option<Child>,
}

/// What PostgreSQL says, which its error does not show by itself.
pub(super) fn said(error: &tokio_postgres::Error) -> io::Error {
    match error.as_db_error() {
        Some(said) => io::Error::other(said.to_string()),
        None => io::Error::other(error.to_string()),
    }
}

/// The folder of the programs of the latest version that is installed.
fn programs() -> io::Result<PathBuf> {
    let installed = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let highest = installed.map(|entry| entry.path()).max_by_key(number);
    let missing = || io::Error::other("PostgreSQL is needed: install Debian's package postgresql");
    Ok(highest.ok_or_else(missing)?.join("bin"))
}

/// Whether this is root, for whom servers run in another way.
pub(super) fn is_root() -> io::Result<bool> {
    let said = Command::new("id").arg("-u").output()?;
    Ok(said.stdout.trim_ascii() == b"0")
}

fn command(name: &str) -> io::Result<Command> {
    let mut command = Command::new("setpriv");
    if is_root()? {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    }
    command.args(["--pdeathsig", "KILL", "--"]);
    command.arg(programs()?.join(name));
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

pub(super) fn succeeded(command: &mut Command, what: &str) -> io::Result<()> {
    match command.status()?.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{what} failed"))),
    }
}

impl Postgres {
    /// Makes a database in a folder, and serves it on a socket there.
    pub(super) fn start(folder: &Path) -> io::Result<Postgres> {
        let data = folder.join("data");
        std::fs::create_dir_all(&data)?;
        if is_root()? {
            for path in [folder, &data] {
                succeeded(Command::new("chown").arg("postgres").arg(path), "chown")?;
            }
        }
        let mut init = command("initdb")?;
        init.arg("-D").arg(&data);
        init.args(["--username=me", "--auth=trust", "--encoding=UTF8"]);
        succeeded(init.args(["--locale=C", "--no-sync"]), "initdb")?;
        let mut server = command("postgres")?;
        server.arg("-D").arg(&data);
        server.args(["-c", "listen_addresses=", "-c", "wal_level=logical"]);
        let sockets = format!("unix_socket_directories={}", folder.display());
        let child = server.arg("-c").arg(sockets).spawn()?;
        let postgres = Postgres {
            folder: folder.to_owned(),
            child: Some(child),
        };
        let until = Instant::now() + START_TAKES_MAX;
        // It answers before it takes anybody in.
        while let Err(error) = postgres.connect() {
            if Instant::now() > until {
                return Err(io::Error::other(format!(
                    "PostgreSQL does not start: {error}"
                )));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(postgres)
    }

    /// A connection of a program, and what drives it.
    pub(super) fn connect(&self) -> io::Result<(Runtime, Client)> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let name = self.name();
        let connected = runtime.block_on(tokio_postgres::connect(&name, NoTls));
        let (client, connection) = connected.map_err(|error| said(&error))?;
        runtime.spawn(async move { connection.await.unwrap_or_default() });
        Ok((runtime, client))
    }

    /// What names its database.
    pub(super) fn name(&self) -> String {
        let folder = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://me@{folder}/postgres")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A process that has ended already is no error.
        if let Some(mut child) = self.child.take() {
            drop(crate::process::send(
                crate::process::Signal::Terminate,
                &child,
            ));
            drop(child.wait());
        }
    }
}
