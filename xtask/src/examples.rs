//! The applications in `examples`: their tests, and the one command that starts each.

use crate::alike::{self, ALLOW_HOST};
use crate::builds;
use crate::callers;
use crate::clone;
use crate::elsewhere::Engine;
use crate::install::{self, keyfold, node, npm, npm_run, python, target};
use crate::members::Doubles;
use crate::readme::Fresh;
use crate::running::open;
use crate::{execute, say};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
        let [name, words @ ..] = names else {
            return Err(
                "name one example: cargo xtask examples run santa; PORT=8000 before it chooses the port, and words behind it go to the program"
                    .to_owned(),
            );
        };
        return start(root, find(name)?, words);
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
    let clone = target(root).join("fresh-clone");
    clone::clone(root, &clone)?;
    let fresh = Fresh::of(clone, root)?;
    let mut failed = Vec::new();
    for example in &EXAMPLES {
        let name = example.name;
        if chosen.is_empty() || chosen.iter().any(|one| one.name == name) {
            say(&format!("--- example {name}"));
            if let Err(reason) = test_one(&place, &fresh, example, tests) {
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

fn test_one(place: &Place, fresh: &Fresh, example: &Example, tests: Tests) -> Result<(), String> {
    let own = match tests {
        Tests::All => (example.test)(place),
        Tests::Alike => Ok(()),
    };
    match example.prepare {
        Some(prepare) => own.and(starts_from_clone(place, fresh, example, prepare)),
        None => own,
    }
}

/// Starts an example in the place of this process, so that it gets the signals.
fn start(root: &Path, example: &Example, words: &[String]) -> Result<(), String> {
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
    let error = prepare(&place)?.args(words).exec();
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
    // The engine counts units and bytes in a way of its own, and is too slow for sixty devices that do not wait.
    let not = "not small_write and not too_large and not meet_again and not promises";
    python_elsewhere(place, "bookmarks", &["tests/test_api.py", "-k", not])
}

fn prepare_bookmarks(place: &Place) -> Result<Command, String> {
    python_program(place, "bookmarks")
}

fn myapp(place: &Place) -> Result<(), String> {
    python_tests(place, "myapp")?;
    let tests = ["tests/test_service.py", "tests/test_api.py"];
    python_elsewhere(place, "myapp", &tests)
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

/// Some tests of an example in Python on another engine, which gets one request after another.
fn python_elsewhere(place: &Place, name: &str, chosen: &[&str]) -> Result<(), String> {
    let mut tests = python_in(place, name)?;
    tests.args(["-m", "pytest", "--quiet"]).args(chosen);
    let engine = Engine::start(&place.root)?.in_turn(&place.root)?;
    execute(engine.named_to(&mut tests))
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

/// The tests of the API of an example in TypeScript on another engine, which gets one request after another.
fn typescript_elsewhere(place: &Place, name: &str) -> Result<(), String> {
    let mut tests = npm_run(&place.example(name), "test:elsewhere", &place.binary);
    let engine = Engine::start(&place.root)?.in_turn(&place.root)?;
    execute(engine.named_to(&mut tests))
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
fn starts_from_clone(
    place: &Place,
    fresh: &Fresh,
    example: &Example,
    prepare: Prepare,
) -> Result<(), String> {
    let name = example.name;
    let told = |why: String| format!("{name} from a clone: {why}");
    if ENDING.contains(&name) {
        return fresh.ends(name).map_err(told);
    }
    let cloned = Place {
        root: fresh.root().to_owned(),
        workspace: place.workspace.clone(),
        binary: place.binary.clone(),
    };
    let mut program = prepare(&cloned)?;
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
        .and_then(|()| fresh.opens(name))
        .and_then(|()| match place.example(name).join("Cargo.toml").exists() {
            // Their own tests start the program there.
            true => Ok(()),
            false => fresh.opens_elsewhere(name),
        })
        .map_err(told)
}
