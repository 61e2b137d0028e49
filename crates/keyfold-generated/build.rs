//! Generates the clients of all models of the repository, each as a module.

use keyfold_build::Build;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The folders of models, and the beginning of the names of their modules.
const FOLDERS: [(&str, &str); 3] = [
    ("models", ""),
    ("models/existing", "existing_"),
    ("crates/keyfold-codegen/testscripts", "case_"),
];
/// A model of several files, and its module.
const TEAMS: (&str, &str) = ("models/shop-teams/shop.keyfold", "teams");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut modules = String::new();
    for (folder, start) in FOLDERS {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "keyfold")
            {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                add(&path, &format!("{start}{name}"), &out, &mut modules)?;
            }
        }
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
    }
    add(&root.join(TEAMS.0), TEAMS.1, &out, &mut modules)?;
    std::fs::write(out.join("all.rs"), modules)?;
    Ok(())
}

/// Generates the client of a model in a folder of its own, and declares its module.
fn add(
    path: &Path,
    module: &str,
    out: &Path,
    modules: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let folder = out.join(module);
    Build::new().folder(&folder).generate(path)?;
    for entry in std::fs::read_dir(&folder)? {
        let file = entry?.file_name();
        let file = format!("/{module}/{}", file.to_string_lossy());
        writeln!(modules, "/// The model of `{module}`.\npub mod {module} {{")?;
        writeln!(
            modules,
            "    include!(concat!(env!(\"OUT_DIR\"), {file:?}));\n}}"
        )?;
    }
    Ok(())
}
