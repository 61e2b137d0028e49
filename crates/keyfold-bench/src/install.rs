//! Installs the alternatives from package registries, into a folder of their own.
//!
//! They are only run: nobody reads their source. The run leaves out a program that cannot be
//! installed, and reports it.

use crate::program::Program;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DYNOXIDE: &str = "dynoxide-rs@3.2.0";
const DYNALITE: &str = "dynalite@4.0.0";
const MOTO: &str = "moto[server,dynamodb]==5.2.5";

/// The path of dynoxide's program.
pub(crate) fn dynoxide(tools: &Path) -> PathBuf {
    tools.join("dynoxide/bin/dynoxide")
}

/// The path of dynalite's program.
pub(crate) fn dynalite(tools: &Path) -> PathBuf {
    tools.join("dynalite/node_modules/dynalite/cli.js")
}

/// The path of moto's server.
pub(crate) fn moto(tools: &Path) -> PathBuf {
    tools.join("moto/bin/moto_server")
}

/// Installs a program if it is absent.
///
/// # Errors
/// The reason for which it cannot be installed.
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
        Program::Dynoxide => install_if_absent(&dynoxide(tools), || {
            let mut cargo = Command::new("cargo");
            cargo
                .args(["install", "--quiet", "--locked", DYNOXIDE, "--root"])
                .arg(tools.join("dynoxide"));
            run(&mut cargo)
        }),
        Program::Dynalite => install_if_absent(&dynalite(tools), || {
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                .arg(tools.join("dynalite"));
            run(npm.arg(DYNALITE))
        }),
        Program::Moto => install_if_absent(&moto(tools), || {
            let folder = tools.join("moto");
            run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", MOTO]))
        }),
    }
}

/// Installs a program unless its path exists.
fn install_if_absent(
    path: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
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
