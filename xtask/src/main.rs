//! `cargo xtask test`: every check and test there is. `cargo xtask tidy`: the house rules alone.
//!
//! The steps run one after another and stop at the first that fails; each shows its name and its
//! time. Steps that use one processor run beside each other.

mod alike;
mod answer;
mod beside;
mod builds;
mod callers;
mod changed;
mod clone;
mod copies;
mod counts;
mod e2e;
mod elsewhere;
mod examples;
mod fuzz;
mod ids;
mod install;
mod lanes;
mod members;
mod modules;
mod readme;
mod running;
mod schemas;
mod scripts;
mod tidy;
mod web;
mod why;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const HELP: &str = "\
cargo xtask test   format, lints, house rules, all Rust tests, and end-to-end tests with boto3, the AWS CLI and
                   the AWS SDK for JavaScript, pages in a browser, instruction counts and fuzzing (needs Rust, a C++ compiler,
                   valgrind, Python 3 with venv, Node 20, Chromium;
                   everything else is installed under ignored folders)
cargo xtask test quick   format, lints, house rules, unit tests and golden scripts: under five minutes when built
cargo xtask rust   the Rust tests alone, three programs at a time; `-p NAME` chooses packages
cargo xtask tidy   the house rules alone
cargo xtask counts instructions of each kind of request, counted by valgrind
cargo xtask fuzz   the fuzz targets, KEYFOLD_FUZZ_SECONDS each (5); names of targets choose; `--keep` keeps what was found
cargo xtask e2e    the end-to-end tests alone
cargo xtask web    builds the page of `keyfold workbench` from web/, compressed, into the crate that embeds it
cargo xtask examples   the tests of the applications in examples/, and their start from a fresh clone; names choose
cargo xtask examples run NAME   starts an application, such as santa, and prints its address
cargo xtask applications   all that `test` does behind the Rust tests
cargo xtask bench  Keyfold beside the alternatives, which are installed under target/bench, Redis by apt-get (more with `-- --help`)
cargo xtask bench changed   `cargo check` of a program after a change of its model of 50 entities";

type Step = fn(&Path) -> Result<(), String>;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_owned);
    let word = std::env::args().nth(2);
    let steps: &[(&str, Step)] = match std::env::args().nth(1).as_deref() {
        Some("test") if word.as_deref() == Some("quick") => &[
            ("format", format),
            ("tidy", tidy::run),
            ("lints", lints),
            ("quick tests", quick_tests),
        ],
        // Nobody who asks for `--help` wants an hour of tests.
        Some("test") if word.is_none() => &[
            ("format", format),
            ("tidy", tidy::run),
            ("lints", lints),
            ("tests", tests),
        ],
        Some("rust") => &[("Rust tests", chosen_rust_tests)],
        Some("applications") => &[("applications, and what runs beside", applications)],
        Some("beside") => &BESIDE,
        Some("counts") => &[("instruction counts", counts::run)],
        Some("fuzz") => &[("fuzzing", fuzz::run)],
        Some("tidy") => &[("tidy", tidy::run)],
        Some("web") => &[("page of the workbench", web::build)],
        Some("e2e") => &[("end-to-end tests", e2e::run)],
        Some("examples") => &[("examples", examples::run)],
        Some("bench") if word.as_deref() == Some("changed") => &[("bench", changed::run)],
        Some("bench") => &[("bench", bench)],
        _ => {
            say(HELP);
            return ExitCode::from(2);
        }
    };
    match all(&root, steps) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            say(&format!("--- what failed: {reason}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs steps one after another, to the first that fails.
fn all(root: &Path, steps: &[(&str, Step)]) -> Result<(), String> {
    for (name, step) in steps {
        let started = Instant::now();
        say(&format!("--- {name}"));
        if let Err(reason) = step(root) {
            let first = reason.lines().next().unwrap_or_default();
            say(&format!("--- {name} FAILED: {first}"));
            return Err(format!("{name}: {reason}"));
        }
        say(&format!(
            "--- {name}: passed in {:.1} s",
            started.elapsed().as_secs_f64()
        ));
    }
    Ok(())
}

/// The steps that need no other program, and run beside those that mostly wait.
const BESIDE: [(&str, Step); 6] = [
    ("programs alone", programs_alone),
    ("features of the client", client_features),
    ("quick starts of the crate", e2e::quick_starts),
    ("documentation", documentation),
    ("instruction counts", counts::run),
    ("fuzzing", fuzz::run),
];

/// All tests. A run shows everything that is wrong, and says it again at its end.
fn tests(root: &Path) -> Result<(), String> {
    let rust = all(root, &[("Rust tests", rust_tests)]);
    let others = all(
        root,
        &[("applications, and what runs beside", applications)],
    );
    together([rust, others])
}

/// One outcome of several, with the reasons of all that failed.
fn together<const N: usize>(outcomes: [Result<(), String>; N]) -> Result<(), String> {
    let reasons: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(reasons.join("\n"))
    }
}

/// The tests with programs of others, which mostly wait for each other.
fn applications(root: &Path) -> Result<(), String> {
    let random_models = install::shared(root)?;
    let start = |name, niceness| beside::Steps::start(root, (name, niceness), &random_models);
    let (beside, examples) = (start("beside", 10)?, start("examples", 0)?);
    let clients = start("e2e", 0)?;
    together([clients.finish(), examples.finish(), beside.finish()])
}

#[expect(clippy::print_stdout, reason = "a command for people")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Runs a command whose output is shown, and fails if it does.
pub(crate) fn execute(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("cannot run {:?}: {error}", command.get_program()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} ended with {status}"))
    }
}

pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    command.current_dir(root).args(arguments);
    command
}

fn format(root: &Path) -> Result<(), String> {
    execute(&mut cargo(root, &["fmt", "--all", "--check"]))
}

fn lints(root: &Path) -> Result<(), String> {
    execute(&mut cargo(
        root,
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--quiet",
            "--",
            "-D",
            "warnings",
        ],
    ))
}

/// What finds most faults soonest.
fn quick_tests(root: &Path) -> Result<(), String> {
    execute(&mut cargo(
        root,
        &[
            "test",
            "--workspace",
            "--quiet",
            "--lib",
            "--bins",
            "--test",
            "scripts",
        ],
    ))
}

/// Whether programs have all features in their own manifests: they are tested as built with all others.
fn programs_alone(root: &Path) -> Result<(), String> {
    for program in ["keyfold-cli", "alleycat", "freight", "sales", "smart-home"] {
        execute(&mut cargo(
            root,
            &["check", "--quiet", "--package", program],
        ))?;
    }
    Ok(())
}

/// The features that no other crate switches on: their lints and tests.
fn client_features(root: &Path) -> Result<(), String> {
    let packages = ["--package", "keyfold-client", "--package", "keyfold"];
    let features = [
        "--features",
        "keyfold-client/aws,keyfold/aws,keyfold/tracing",
    ];
    let mut lints = cargo(root, &["clippy", "--all-targets", "--quiet"]);
    execute(
        lints
            .args(packages)
            .args(features)
            .args(["--", "-D", "warnings"]),
    )?;
    let mut tests = cargo(root, &["test", "--quiet", "--lib"]);
    let names = ["--test", "credentials", "--test", "spans"];
    execute(tests.args(packages).args(features).args(names))
}

/// All tests.
fn rust_tests(root: &Path) -> Result<(), String> {
    lanes::run(root, &["--workspace"])
}

/// The tests of the packages that the command line names, all where it names none.
fn chosen_rust_tests(root: &Path) -> Result<(), String> {
    let given: Vec<String> = std::env::args().skip(2).collect();
    if given.is_empty() {
        return rust_tests(root);
    }
    let chosen: Vec<&str> = given.iter().map(String::as_str).collect();
    lanes::run(root, &chosen)
}

/// Builds what is measured and what measures, and measures. Arguments behind `bench` are the
/// program's.
fn bench(root: &Path) -> Result<(), String> {
    let build = [
        "build",
        "--release",
        "--quiet",
        "--package",
        "keyfold-cli",
        "--package",
        "keyfold-bench",
    ];
    execute(&mut cargo(root, &build))?;
    let mut arguments = vec![
        "run",
        "--release",
        "--quiet",
        "--package",
        "keyfold-bench",
        "--",
    ];
    let given: Vec<String> = std::env::args()
        .skip(2)
        .filter(|argument| argument != "--")
        .collect();
    arguments.extend(given.iter().map(String::as_str));
    execute(&mut cargo(root, &arguments))
}

fn documentation(root: &Path) -> Result<(), String> {
    let mut command = cargo(
        root,
        &[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
            "--quiet",
        ],
    );
    execute(command.env(
        "RUSTDOCFLAGS",
        "-D warnings -A rustdoc::private_intra_doc_links",
    ))
}
