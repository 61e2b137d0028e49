//! A PostgreSQL of this program's own, in a temporary folder: the legacy system where none is given.
//!
//! It listens at a socket in that folder alone, which only its user can open, and so needs neither port
//! nor password. It is never run as root, which PostgreSQL refuses: root runs it as the user `postgres`
//! of Debian's package. It ends with the thread that has started it, however that ends.

use crate::fault::Fault;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

const MISSING: &str = "PostgreSQL is needed: install Debian's package postgresql, or name a database \
                       by `--legacy postgres://…`";
const INSTALLED: &str = "/usr/lib/postgresql";
const PREFIX: &str = "sales-postgres-";
const START_WITHIN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(50);
/// The age of a folder in which no server runs, and which nobody makes any more.
const LEFT_AFTER: Duration = Duration::from_secs(600);

/// A server that runs, with an empty database.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    child: Child,
}

impl Postgres {
    /// Starts a server. The thread that calls it must last as long as the server is to.
    ///
    /// # Errors
    /// `Legacy` when PostgreSQL is not installed, or does not start.
    pub async fn start() -> Result<Postgres, Fault> {
        let programs = programs()?;
        sweep();
        let template = std::env::temp_dir().join(format!("{PREFIX}XXXXXX"));
        let made = run(Path::new("mktemp"), &["-d", &template.to_string_lossy()]).await?;
        let folder = PathBuf::from(made.trim());
        match started(&programs, &folder).await {
            Ok(child) => Ok(Postgres { folder, child }),
            Err(why) => {
                remove(&folder);
                Err(why)
            }
        }
    }

    /// The connection text of its database.
    pub fn connection(&self) -> String {
        connection(&self.folder)
    }

    /// Ends the server, and removes its folder.
    ///
    /// # Errors
    /// `Legacy` when it cannot be ended.
    pub async fn stop(mut self) -> Result<(), Fault> {
        let failed = |error: Error| Fault::Legacy(format!("it cannot be ended: {error}"));
        interrupt(&self.child).map_err(failed)?;
        self.child.wait().await.map_err(failed)?;
        remove(&self.folder);
        Ok(())
    }
}

/// Where a program of PostgreSQL is: on the PATH, or the highest version that Debian has installed.
fn programs() -> Result<PathBuf, Fault> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file());
    if let Some(folder) = on_path {
        // Its siblings are beside the program itself.
        let program = folder.join("initdb").canonicalize();
        let folder = program
            .ok()
            .and_then(|one| one.parent().map(Path::to_owned));
        return folder.ok_or_else(|| Fault::Legacy(MISSING.to_owned()));
    }
    let versions = std::fs::read_dir(INSTALLED).into_iter().flatten().flatten();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let versions = versions.map(|entry| entry.path());
    let installed = versions.filter(|path| path.join("bin").join("initdb").is_file());
    let highest = installed.max_by_key(number);
    let found = highest.map(|path| path.join("bin"));
    found.ok_or_else(|| Fault::Legacy(MISSING.to_owned()))
}

/// A command as a user who is not root, which is interrupted when the thread that starts it ends.
fn as_own_user(program: &Path, words: &[&str]) -> Command {
    let mut command = Command::new("setpriv");
    if geteuid().is_root() {
        command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]);
    }
    command.args(["--pdeathsig", "INT", "--"]);
    command.arg(program).args(words);
    // Its user may not see the folder that this program is in.
    command.current_dir(std::env::temp_dir());
    // Ctrl-C is for the program, which ends the server at its own end.
    command.process_group(0).stdin(Stdio::null());
    command
}

/// Runs a command to its end, and returns what it has printed.
async fn run(program: &Path, words: &[&str]) -> Result<String, Fault> {
    let failed = |why: &dyn std::fmt::Display| {
        let name = program.display();
        Fault::Legacy(format!("{name} fails: {why}"))
    };
    let output = as_own_user(program, words).output().await;
    let output = output.map_err(|error| failed(&error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

async fn started(programs: &Path, folder: &Path) -> Result<Child, Fault> {
    let data = folder.join("data").to_string_lossy().into_owned();
    let form = ["--username=sales", "--auth=trust", "--encoding=UTF8"];
    let words = [&["-D", &data, "--locale=C", "--no-sync"], &form[..]].concat();
    run(&programs.join("initdb"), &words).await?;
    let log = folder.join("log");
    let socket = format!("unix_socket_directories={}", folder.display());
    let to_log = format!("log_directory={}", folder.display());
    // What it holds is made at each start, so that nothing is lost with the machine.
    let settings = ["listen_addresses=", &socket, &to_log, "fsync=off"];
    let settings = [&settings[..], &["logging_collector=on", "log_filename=log"]].concat();
    let options = settings.iter().flat_map(|one| ["-c", *one]);
    let words: Vec<&str> = ["-D", &data].into_iter().chain(options).collect();
    let mut server = as_own_user(&programs.join("postgres"), &words);
    server.stdout(Stdio::null()).stderr(Stdio::null());
    let started = server.spawn();
    let mut child =
        started.map_err(|error| Fault::Legacy(format!("PostgreSQL does not start: {error}")))?;
    let text = connection(folder);
    let until = Instant::now() + START_WITHIN;
    loop {
        let connected = tokio_postgres::connect(&text, tokio_postgres::NoTls).await;
        let Err(error) = connected else {
            return Ok(child);
        };
        let has_ended = !matches!(child.try_wait(), Ok(None));
        if has_ended || Instant::now() > until {
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            let why = format!("PostgreSQL does not answer: {error}\n{said}");
            interrupt(&child).unwrap_or_default();
            return Err(Fault::Legacy(why));
        }
        sleep(LOOK).await;
    }
}

fn connection(folder: &Path) -> String {
    format!("host={} user=sales dbname=postgres", folder.display())
}

/// The signal upon which it closes connections and ends in order.
fn interrupt(child: &Child) -> Result<(), Error> {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    match id.and_then(Pid::from_raw) {
        Some(id) => Ok(kill_process(id, Signal::INT)?),
        // It has ended.
        None => Ok(()),
    }
}

fn remove(folder: &Path) {
    // What is left is swept by a later start.
    std::fs::remove_dir_all(folder).unwrap_or_default();
}

/// Removes the folders of programs that were killed: no server runs in them.
fn sweep() {
    let entries = std::fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().flatten() {
        let is_own = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let changed = entry.metadata().and_then(|found| found.modified());
        let age = changed.map(|at| SystemTime::now().duration_since(at).unwrap_or_default());
        let is_old = age.is_ok_and(|age| age > LEFT_AFTER);
        if is_own && is_old && !is_used(&entry.path()) {
            remove(&entry.path());
        }
    }
}

/// Whether a server runs in a folder: one that was killed leaves the file that names its process.
fn is_used(folder: &Path) -> bool {
    let file = std::fs::read_to_string(folder.join("data").join("postmaster.pid"));
    let process = match file {
        Ok(text) => (text.lines().next()).and_then(|line| line.trim().parse().ok()),
        Err(error) if error.kind() == ErrorKind::NotFound => return false,
        // Another user's.
        Err(_) => return true,
    };
    let is_gone = |id: Pid| test_kill_process(id) == Err(Errno::SRCH);
    !process.and_then(Pid::from_raw).is_some_and(is_gone)
}

#[cfg(test)]
mod tests {
    use super::is_used;
    use std::process::Command;

    #[test]
    fn a_folder_whose_server_was_killed_is_not_used() {
        let folder = std::env::temp_dir().join(format!("sales-swept-{}", std::process::id()));
        let data = folder.join("data");
        std::fs::create_dir_all(&data).unwrap();
        assert!(!is_used(&folder));
        let file = data.join("postmaster.pid");
        std::fs::write(&file, format!("{}\n/data\n", std::process::id())).unwrap();
        assert!(is_used(&folder));
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        std::fs::write(&file, format!("{}\n/data\n", ended.id())).unwrap();
        assert!(!is_used(&folder));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
