//! Getting the alternatives from package registries, into a folder of their own.
//!
//! Each is used as a program, never read. One that cannot be had is left out of the run, and the
//! report says so.

use crate::program::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DYNOXIDE: &str = "dynoxide-rs@3.2.0";
const DYNALITE: &str = "dynalite@4.0.0";
const MOTO: &str = "moto[server,dynamodb]==5.2.5";

/// Where dynoxide is installed.
pub(crate) fn dynoxide(tools: &Path) -> PathBuf {
    tools.join("dynoxide/bin/dynoxide")
}

/// Where dynalite's program is.
pub(crate) fn dynalite(tools: &Path) -> PathBuf {
    tools.join("dynalite/node_modules/dynalite/cli.js")
}

/// Where moto's server is.
pub(crate) fn moto(tools: &Path) -> PathBuf {
    tools.join("moto/bin/moto_server")
}

/// Makes sure that a program is there.
///
/// # Errors
/// Says why it is not.
pub(crate) fn ensure(program: Program, tools: &Path) -> Result<(), String> {
    match program {
        Program::Keyfold | Program::Ceiling | Program::Endpoint => Ok(()),
        Program::Redis => {
            if run(Command::new("redis-server").arg("--version")).is_ok() {
                return Ok(());
            }
            run(Command::new("apt-get").args(["install", "--yes", "--quiet", "redis-server"]))
                .map_err(|reason| format!("install Debian's redis-server ({reason})"))
        }
        Program::Dynoxide => have(&dynoxide(tools), || {
            let mut cargo = Command::new("cargo");
            cargo
                .args(["install", "--quiet", "--locked", DYNOXIDE, "--root"])
                .arg(tools.join("dynoxide"));
            run(&mut cargo)
        }),
        Program::Dynalite => have(&dynalite(tools), || {
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                .arg(tools.join("dynalite"));
            run(npm.arg(DYNALITE))
        }),
        Program::Moto => have(&moto(tools), || {
            let folder = tools.join("moto");
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", MOTO]))
        }),
    }
}

fn have(path: &Path, install: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    if path.exists() {
        return Ok(());
    }
    install()?;
    if path.exists() {
        Ok(())
    } else {
        Err("its program is not where it was expected".to_owned())
    }
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("{name}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{name} ended with {status}"))
    }
}
