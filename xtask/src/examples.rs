//! The applications in `examples`: their tests, and the one command that starts each.

use crate::alike::{self, ALLOW_HOST};
use crate::builds;
use crate::callers;
use crate::clone::clone;
use crate::elsewhere::Engine;
use crate::install::{self, keyfold, node, npm, npm_run, python, target};
use crate::members::Doubles;
use crate::{execute, say};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time in which a program that is told to end has ended.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// The time in which a program is open.
const OPENS_WITHIN: Duration = Duration::from_secs(300);

/// Where an application and what it needs are.
struct Place {
    root: PathBuf,
    /// The workspace that programs in Rust are members of: built here, also for a clone.
    workspace: PathBuf,
    /// The command `keyfold`.
    binary: PathBuf,
}

impl Place {
    fn example(&self, name: &str) -> PathBuf {
        self.root.join("examples").join(name)
    }
}

/// The examples that end by themselves, and answer nobody.
const ENDING: [&str; 1] = ["from-postgres"];

type Prepare = fn(&Place) -> Result<Command, String>;

/// An application.
struct Example {
    /// Its folder in `examples`.
    name: &'static str,
    test: fn(&Place) -> Result<(), String>,
    /// Installs and builds it, and returns the command that runs it until it is interrupted, or until
    /// its end. None for a program that people do not start by one command.
    prepare: Option<Prepare>,
}

const EXAMPLES: [Example; 10] = [
    Example {
        name: "alleycat",
        test: alleycat,
        prepare: Some(prepare_alleycat),
    },
    Example {
        name: "bookmarks",
        test: bookmarks,
        prepare: Some(prepare_bookmarks),
    },
    Example {
        name: "freight",
        test: freight,
        prepare: Some(prepare_freight),
    },
    Example {
        name: "from-postgres",
        test: from_postgres,
        prepare: Some(prepare_from_postgres),
    },
    Example {
        name: "myapp",
        test: myapp,
        prepare: Some(prepare_myapp),
    },
    Example {
        name: "orders",
        test: orders,
        prepare: Some(prepare_orders),
    },
    Example {
        name: "sales",
        test: sales,
        prepare: Some(prepare_sales),
    },
    Example {
        name: "santa",
        test: santa,
        prepare: Some(prepare_santa),
    },
    Example {
        name: "shop",
        test: shop,
        prepare: Some(prepare_shop),
    },
    Example {
        name: "smart-home",
        test: smart_home,
        prepare: Some(prepare_smart_home),
    },
];

/// Tests the examples whose names are given behind `examples`, all where none is; `alike NAME` tests
/// what they have in common, and `run NAME` starts one.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let given: Vec<String> = std::env::args().skip(2).collect();
    if let Some(("run", names)) = given
        .split_first()
        .map(|(first, rest)| (first.as_str(), rest))
    {
        let [name] = names else {
            return Err(
                "name one example: cargo xtask examples run santa; PORT=8000 before it chooses the port"
                    .to_owned(),
            );
        };
        return start(root, find(name)?);
    }
    match given.split_first() {
        Some((first, names)) if first == "alike" => test(root, &found(names)?, Tests::Alike),
        _ => test(root, &found(&given)?, Tests::All),
    }
}

fn found(names: &[String]) -> Result<Vec<&'static Example>, String> {
    names.iter().map(|name| find(name)).collect()
}

fn find(name: &str) -> Result<&'static Example, String> {
    EXAMPLES
        .iter()
        .find(|example| example.name == name)
        .ok_or_else(|| {
            let names: Vec<&str> = EXAMPLES.iter().map(|example| example.name).collect();
            format!(
                "there is no example {name}; there are {}. `cargo xtask examples run NAME` opens one, at the port that PORT says; `cargo xtask examples NAME` tests it, and `cargo xtask examples alike NAME` what all have in common",
                names.join(", ")
            )
        })
}

/// What is tested of an example.
#[derive(Clone, Copy)]
enum Tests {
    All,
    /// What all examples have in common.
    Alike,
}

/// Tests the chosen examples, all where none is chosen. One that fails does not keep the others from
/// being tested: a run shows everything that is wrong.
fn test(root: &Path, chosen: &[&Example], tests: Tests) -> Result<(), String> {
    let place = Place {
        root: root.to_owned(),
        workspace: root.to_owned(),
        binary: keyfold(root)?,
    };
    let mut failed = Vec::new();
    for example in &EXAMPLES {
        let name = example.name;
        if chosen.is_empty() || chosen.iter().any(|one| one.name == name) {
            say(&format!("--- example {name}"));
            if let Err(reason) = test_one(&place, example, tests) {
                say(&format!("--- example {name} FAILED: {reason}"));
                failed.push(name);
            }
        }
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("these failed: {}", failed.join(", ")))
    }
}

fn test_one(place: &Place, example: &Example, tests: Tests) -> Result<(), String> {
    let own = match tests {
        Tests::All => (example.test)(place),
        Tests::Alike => Ok(()),
    };
    let stays = !ENDING.contains(&example.name);
    match example.prepare.filter(|_| stays) {
        Some(prepare) => own.and(starts_from_clone(place, example.name, prepare)),
        None => own,
    }
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
        workspace: root.to_owned(),
        binary: keyfold(root)?,
    };
    say(&format!(
        "preparing {name} (some minutes at the first time)"
    ));
    let error = prepare(&place)?.exec();
    Err(format!("cannot run {name}: {error}"))
}

fn alleycat(place: &Place) -> Result<(), String> {
    rust_tests(place, "alleycat")?;
    rust_elsewhere(place, "alleycat")
}

fn prepare_alleycat(place: &Place) -> Result<Command, String> {
    rust_program(place, "alleycat")
}

fn freight(place: &Place) -> Result<(), String> {
    rust_tests(place, "freight")?;
    rust_elsewhere(place, "freight")
}

fn prepare_freight(place: &Place) -> Result<Command, String> {
    rust_program(place, "freight")
}

fn sales(place: &Place) -> Result<(), String> {
    rust_tests(place, "sales")?;
    let packages = place.root.join("e2e");
    node(&packages)?;
    let mut tests = tests_elsewhere(place, "sales");
    let streamless = packages.join("node_modules").join(".bin").join("dynalite");
    tests.env("EXAMPLE_STREAMLESS", streamless);
    execute(Engine::start(&place.root)?.named_to(&mut tests))
}

fn prepare_sales(place: &Place) -> Result<Command, String> {
    rust_program(place, "sales")
}

fn smart_home(place: &Place) -> Result<(), String> {
    rust_tests(place, "smart-home")?;
    rust_elsewhere(place, "smart-home")
}

fn prepare_smart_home(place: &Place) -> Result<Command, String> {
    rust_program(place, "smart-home")
}

/// The tests of an example in Rust: those of its program, its API and its pages, which are run by Node, and those of its
/// package. The latter belong to the Rust tests where the examples are tested behind them.
fn rust_tests(place: &Place, name: &str) -> Result<(), String> {
    if !builds::is_everything_built() {
        let arguments = ["test", "--quiet", "--package", name];
        execute(&mut crate::cargo(&place.workspace, &arguments))?;
    }
    builds::build(&place.workspace, name)?;
    node(&place.example("web"))?;
    let folder = place.example(name).join("test");
    let files = std::fs::read_dir(&folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"));
    execute(&mut node_tests(place, name, files))
}

/// The tests of an example in Rust on another engine.
fn rust_elsewhere(place: &Place, name: &str) -> Result<(), String> {
    let mut tests = tests_elsewhere(place, name);
    execute(Engine::start(&place.root)?.named_to(&mut tests))
}

fn tests_elsewhere(place: &Place, name: &str) -> Command {
    let file = place.example(name).join("test").join("elsewhere.mjs");
    node_tests(place, name, [file])
}

/// Node with files that test an example in Rust.
fn node_tests(place: &Place, name: &str, files: impl IntoIterator<Item = PathBuf>) -> Command {
    let mut tests = Command::new("node");
    tests
        .current_dir(place.example(name))
        .args(["--test", "--test-timeout=600000"])
        .args(files)
        .env("KEYFOLD_BIN", &place.binary)
        .env("EXAMPLE_BIN", target(&place.workspace).join("debug"));
    tests
}

/// The program of an example in Rust, which keeps its data in the folder `data` beside it.
fn rust_program(place: &Place, name: &str) -> Result<Command, String> {
    builds::build(&place.workspace, name)?;
    let mut program = Command::new(target(&place.workspace).join("debug").join(name));
    program.current_dir(place.example(name));
    Ok(program)
}

fn bookmarks(place: &Place) -> Result<(), String> {
    python_tests(place, "bookmarks")?;
    // The engine neither isolates nor counts as the service does, which others of these ask for.
    let chosen = "goes_on or come_and_go or has_room";
    python_elsewhere(place, "bookmarks", &["tests/test_api.py", "-k", chosen])
}

fn prepare_bookmarks(place: &Place) -> Result<Command, String> {
    python_program(place, "bookmarks")
}

fn myapp(place: &Place) -> Result<(), String> {
    python_tests(place, "myapp")?;
    python_elsewhere(place, "myapp", &["tests/test_service.py"])
}

fn prepare_myapp(place: &Place) -> Result<Command, String> {
    let mut program = python_program(place, "myapp")?;
    program.arg("--seeded");
    Ok(program)
}

fn orders(place: &Place) -> Result<(), String> {
    python_tests(place, "orders")?;
    python_elsewhere(place, "orders", &["tests/test_api.py"])
}

fn prepare_orders(place: &Place) -> Result<Command, String> {
    python_program(place, "orders")
}

fn from_postgres(place: &Place) -> Result<(), String> {
    python_tests(place, "from-postgres")
}

fn prepare_from_postgres(place: &Place) -> Result<Command, String> {
    let mut program = python_in(place, "from-postgres")?;
    program.args(["-m", "from_postgres"]);
    Ok(program)
}

/// Python in the folder of an example, on the package's sources and with its tools.
fn python_in(place: &Place, name: &str) -> Result<Command, String> {
    let package = place.root.join("clients").join("python");
    let sources = package.join("src");
    let mut command = Command::new(python(&package)?);
    command
        .current_dir(place.example(name))
        .env("PYTHONPATH", &sources)
        .env("MYPYPATH", &sources)
        .env("KEYFOLD_BIN", &place.binary);
    Ok(command)
}

/// The tests of an example in Python.
fn python_tests(place: &Place, name: &str) -> Result<(), String> {
    execute(python_in(place, name)?.args(["-m", "pytest", "--quiet"]))
}

/// Some tests of an example in Python on another engine.
fn python_elsewhere(place: &Place, name: &str, chosen: &[&str]) -> Result<(), String> {
    let mut tests = python_in(place, name)?;
    tests.args(["-m", "pytest", "--quiet"]).args(chosen);
    execute(Engine::start(&place.root)?.named_to(&mut tests))
}

/// The program of an example in Python, which is a package of its name.
fn python_program(place: &Place, name: &str) -> Result<Command, String> {
    let mut program = python_in(place, name)?;
    program.args(["-m", name]);
    Ok(program)
}

fn shop(place: &Place) -> Result<(), String> {
    typescript(place, "shop")?;
    typescript_elsewhere(place, "shop")
}

fn santa(place: &Place) -> Result<(), String> {
    typescript(place, "santa")?;
    typescript_elsewhere(place, "santa")
}

fn prepare_shop(place: &Place) -> Result<Command, String> {
    prepare_typescript(place, "shop")
}

fn prepare_santa(place: &Place) -> Result<Command, String> {
    prepare_typescript(place, "santa")
}

/// The tests of an example in TypeScript.
fn typescript(place: &Place, name: &str) -> Result<(), String> {
    typescript_package(place)?;
    let folder = place.example(name);
    node(&folder)?;
    npm(&folder, "test", &place.binary)
}

/// The tests of the API of an example in TypeScript on another engine.
fn typescript_elsewhere(place: &Place, name: &str) -> Result<(), String> {
    let mut tests = npm_run(&place.example(name), "test:elsewhere", &place.binary);
    execute(Engine::start(&place.root)?.named_to(&mut tests))
}

/// The program of an example in TypeScript, which fills an empty table.
fn prepare_typescript(place: &Place, name: &str) -> Result<Command, String> {
    typescript_package(place)?;
    let folder = place.example(name);
    node(&folder)?;
    npm(&folder, "build", &place.binary)?;
    let mut program = Command::new("node");
    program
        .current_dir(&folder)
        .args(["dist/main.js", "--seeded"])
        .env("KEYFOLD_BIN", &place.binary);
    Ok(program)
}

/// Builds the package for TypeScript, unless it is built of these sources already.
fn typescript_package(place: &Place) -> Result<(), String> {
    install::typescript(&place.root, &place.binary)
}

/// Starts an example in a fresh clone of the repository, and asks for what all of them answer alike. The
/// command `keyfold`, programs in Rust and the packages for clients are those of the repository, which are
/// built already: so nothing is compiled twice.
fn starts_from_clone(place: &Place, name: &str, prepare: Prepare) -> Result<(), String> {
    let root = target(&place.root).join("fresh-clone");
    clone(&place.root, &root)?;
    let fresh = Place {
        root,
        workspace: place.workspace.clone(),
        binary: place.binary.clone(),
    };
    let mut program = prepare(&fresh)?;
    program.stdout(Stdio::piped());
    let in_javascript = place.example(name).join("package.json").exists();
    let doubles = match in_javascript {
        true => Doubles::Taken,
        false => Doubles::Refused,
    };
    alike::takes_words(&program)
        .and_then(|()| alike::refuses_names(&mut program))
        // An empty name, as files of settings have it, allows none.
        .and_then(|()| {
            open(program.env(ALLOW_HOST, ""), |address| {
                alike::is_open(address, doubles)
            })
        })
        .and_then(|()| open(program.env(ALLOW_HOST, callers::PROXY), callers::by_proxy))
        .map_err(|why| format!("{name} from a clone: {why}"))
}

/// Opens a program, asks it at its address, and closes it.
fn open(
    program: &mut Command,
    asked: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), String> {
    let mut running = program
        .spawn()
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let outcome = running
        .stdout
        .take()
        .ok_or_else(|| "it has no output".to_owned())
        .and_then(|output| soon(move || address(BufReader::new(output))))
        .and_then(|address| asked(&address));
    let closed = close(&mut running);
    closed.map_err(|error| format!("it cannot be ended: {error}"))?;
    outcome
}

/// Ends a program as people do, so that it leaves its data folder to the next one; by force where it
/// takes long.
fn close(running: &mut Child) -> std::io::Result<()> {
    Command::new("kill")
        .arg(running.id().to_string())
        .status()?;
    let until = Instant::now() + ENDS_WITHIN;
    while Instant::now() < until {
        if running.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    running.kill().and_then(|()| running.wait()).map(drop)
}

/// What is found on a thread of its own, if it is in time.
fn soon<T: Send + 'static>(
    find: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (found, is_found) = std::sync::mpsc::channel();
    // One that comes too late has nobody who waits for it.
    std::thread::spawn(move || found.send(find()).unwrap_or_default());
    is_found
        .recv_timeout(OPENS_WITHIN)
        .map_err(|_| format!("it is not open after {} s", OPENS_WITHIN.as_secs()))?
}

/// The address that a program prints.
fn address(mut output: impl BufRead) -> Result<String, String> {
    let mut line = String::new();
    output
        .read_line(&mut line)
        .map_err(|error| format!("its output cannot be read: {error}"))?;
    line.split_once("http://")
        .and_then(|(_, rest)| rest.split_whitespace().next())
        .map(str::to_owned)
        .ok_or_else(|| format!("it prints no address: {line}"))
}
