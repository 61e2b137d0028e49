//! The applications in `examples`: their tests, and the one command that starts each.

use crate::install::{keyfold, node, npm, python, target};
use crate::{execute, say};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// The time in which an application that was started answers a request.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// Where an application and what it needs are.
struct Place {
    root: PathBuf,
    /// The command `keyfold`.
    binary: PathBuf,
}

impl Place {
    fn example(&self, name: &str) -> PathBuf {
        self.root.join("examples").join(name)
    }
}

type Prepare = fn(&Place) -> Result<Command, String>;

/// An application.
struct Example {
    /// Its folder in `examples`.
    name: &'static str,
    test: fn(&Place) -> Result<(), String>,
    /// Installs and builds it, and returns the command that runs it until it is interrupted. None
    /// for a program that does not stay open.
    prepare: Option<Prepare>,
}

const EXAMPLES: [Example; 4] = [
    Example {
        name: "freight-rust",
        test: freight,
        prepare: None,
    },
    Example {
        name: "myapp-python",
        test: myapp,
        prepare: None,
    },
    Example {
        name: "santa",
        test: santa,
        prepare: Some(prepare_santa),
    },
    Example {
        name: "shop-typescript",
        test: shop,
        prepare: None,
    },
];

/// Tests the examples whose names are given behind `examples`, all where none is; `run NAME` starts
/// one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let given: Vec<String> = std::env::args().skip(2).collect();
    if let Some(("run", names)) = given
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        let [name] = names else {
            return Err("name one example: cargo xtask examples run santa".to_owned());
        };
        return start(root, find(name)?);
    }
    let chosen: Vec<&Example> = given
        .iter()
        .map(|name| find(name))
        .collect::<Result<_, _>>()?;
    test(root, &chosen)
}

/// Tests all examples.
pub(crate) fn test_all(root: &Path) -> Result<(), String> {
    test(root, &[])
}

fn find(name: &str) -> Result<&'static Example, String> {
    EXAMPLES
        .iter()
        .find(|example| example.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
            format!("there is no example {name}; there are {}", names.join(", "))
        })
}

/// Tests the chosen examples, all where none is chosen.
fn test(root: &Path, chosen: &[&Example]) -> Result<(), String> {
    let place = Place {
        root: root.to_owned(),
        binary: keyfold(root)?,
    };
    for example in &EXAMPLES {
        let is_chosen = chosen.iter().any(|one| one.name == example.name);
        if chosen.is_empty() || is_chosen {
            say(&format!("--- example {}", example.name));
            (example.test)(&place)?;
            if let Some(prepare) = example.prepare {
                starts_from_clone(&place, example.name, prepare)?;
            }
        }
    }
    Ok(())
}

/// Starts an example in the place of this process, so that it gets the signals.
fn start(root: &Path, example: &Example) -> Result<(), String> {
    let name = example.name;
    let prepare = example.prepare.ok_or_else(|| {
        format!("{name} does not stay open; examples/{name}/README.md says how it is used")
    })?;
    say("building keyfold (some minutes at the first time)");
    let place = Place {
        root: root.to_owned(),
        binary: keyfold(root)?,
    };
    say(&format!("preparing {name}"));
    let error = prepare(&place)?.exec();
    Err(format!("cannot run {name}: {error}"))
}

/// The example in Rust. It is a member of the workspace.
fn freight(place: &Place) -> Result<(), String> {
    let mut tests = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    let package = ["test", "--quiet", "--package", "freight"];
    execute(tests.current_dir(&place.root).args(package))
}

/// The example in Python: its tests, on the package's sources and with its tools.
fn myapp(place: &Place) -> Result<(), String> {
    let package = place.root.join("clients").join("python");
    let sources = package.join("src");
    let mut tests = Command::new(python(&package)?);
    tests
        .current_dir(place.example("myapp-python"))
        .args(["-m", "pytest", "--quiet"])
        .env("PYTHONPATH", &sources)
        .env("MYPYPATH", &sources)
        .env("KEYFOLD_BIN", &place.binary);
    execute(&mut tests)
}

fn shop(place: &Place) -> Result<(), String> {
    typescript_package(place)?;
    let folder = place.example("shop-typescript");
    node(&folder)?;
    npm(&folder, "test", &place.binary)
}

fn santa(place: &Place) -> Result<(), String> {
    typescript_package(place)?;
    let folder = place.example("santa");
    node(&folder)?;
    npm(&folder, "test", &place.binary)
}

fn prepare_santa(place: &Place) -> Result<Command, String> {
    typescript_package(place)?;
    let folder = place.example("santa");
    node(&folder)?;
    npm(&folder, "build", &place.binary)?;
    let mut program = Command::new("node");
    program
        .current_dir(&folder)
        .args(["dist/main.js", "--seeded"])
        .env("KEYFOLD_BIN", &place.binary);
    Ok(program)
}

/// Builds the package for TypeScript, unless it is newer than its sources.
fn typescript_package(place: &Place) -> Result<(), String> {
    let folder = place.root.join("clients").join("typescript");
    node(&folder)?;
    let built = modified(&folder.join("dist").join("esm").join("index.js"));
    let settings =
        ["build.mjs", "package.json", "tsconfig.json"].map(|name| modified(&folder.join(name)));
    let newest = settings
        .into_iter()
        .chain([newest(&folder.join("src"))])
        .max();
    if built.is_some_and(|built| newest.flatten().is_some_and(|source| source < built)) {
        return Ok(());
    }
    npm(&folder, "build", &place.binary)
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|found| found.modified())
        .ok()
}

/// When the newest file below a folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => newest(&entry.path()),
            _ => modified(&entry.path()),
        })
        .max()
}

/// Starts an example of the files that a clone of the repository has, and asks for its first page.
/// The command `keyfold` and the packages for clients are those that are built already.
fn starts_from_clone(place: &Place, name: &str, prepare: Prepare) -> Result<(), String> {
    let root = target(&place.root).join("fresh-clone");
    clone(&place.root, &root, &format!("examples/{name}"))?;
    let fresh = Place {
        root,
        binary: place.binary.clone(),
    };
    let mut program = prepare(&fresh)?
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let outcome = program
        .stdout
        .take()
        .ok_or_else(|| format!("{name} has no output"))
        .and_then(|output| answers(BufReader::new(output)));
    let killed = program.kill().and_then(|()| program.wait());
    killed.map_err(|error| format!("cannot end {name}: {error}"))?;
    outcome.map_err(|why| format!("{name} from a clone: {why}"))
}

/// Reads the address that a program prints, and asks it for its first page.
fn answers(mut output: impl BufRead) -> Result<(), String> {
    let mut line = String::new();
    output
        .read_line(&mut line)
        .map_err(|error| format!("its output cannot be read: {error}"))?;
    let address = line
        .split_once("http://")
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .ok_or_else(|| format!("it prints no address: {line}"))?;
    let failed = |error: std::io::Error| format!("{address} does not answer: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    stream
        .set_read_timeout(Some(ANSWER_WITHIN))
        .map_err(failed)?;
    let request = format!("GET /toys HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(failed)?;
    if answer.starts_with("HTTP/1.1 200 ") {
        return Ok(());
    }
    Err(format!(
        "it answers {}",
        answer.lines().next().unwrap_or("nothing")
    ))
}

/// Copies the files of a folder that git knows, or would add, into an empty folder, beside the
/// packages for clients, which are built already.
fn clone(root: &Path, to: &Path, folder: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot make {}: {error}", to.display());
    if to.exists() {
        std::fs::remove_dir_all(to).map_err(failed)?;
    }
    std::fs::create_dir_all(to).map_err(failed)?;
    std::os::unix::fs::symlink(root.join("clients"), to.join("clients")).map_err(failed)?;
    let listed = Command::new("git")
        .current_dir(root)
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
        ])
        .arg(folder)
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    if !listed.status.success() {
        return Err(format!(
            "git lists no files: {}",
            String::from_utf8_lossy(&listed.stderr)
        ));
    }
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    for file in files.split_terminator('\0') {
        let (from, into) = (root.join(file), to.join(file));
        // A file that was deleted is listed until that is committed.
        if from.exists() {
            let made = into.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::copy(&from, &into).map(drop))
                .map_err(|error| format!("cannot copy {file}: {error}"))?;
        }
    }
    Ok(())
}
