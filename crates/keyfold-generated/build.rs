//! Generates the clients of all models of the repository, each as a module.

use keyfold_build::Build;
use std::path::{Path, PathBuf};

/// The folders of models, and the beginning of the names of their modules.
const FOLDERS: [(&str, &str); 4] = [
    ("models", ""),
    ("models/existing", "existing_"),
    ("crates/keyfold-codegen/testscripts", "case_"),
    ("clients/cases", "shared_"),
];
/// A model of several files, and its module.
const TEAMS: (&str, &str) = ("models/shop-teams/shop.keyfold", "teams");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let mut models = vec![(root.join(TEAMS.0), TEAMS.1.to_owned())];
    for (folder, start) in FOLDERS {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|end| end == "keyfold") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy();
                let module = format!("{start}{name}");
                models.push((path, module));
            }
        }
    }
    models.sort();
    let (mut modules, mut opened) = (Vec::new(), Vec::new());
    for (path, module) in &models {
        let folder = out.join(module);
        let build = Build::new().without_warnings().folder(&folder);
        build.generate(path)?;
        for entry in std::fs::read_dir(&folder)? {
            let file = entry?.path();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let place = format!("/{module}/{name}");
            modules.push(format!(
                "/// The client of `{module}`.\npub mod {module} {{\n    include!(concat!(env!(\"OUT_DIR\"), {place:?}));\n}}\n"
            ));
            let text = std::fs::read_to_string(&file)?;
            let client = client_of(&text)?;
            opened.push(format!(
                "({module:?}, |keyfold| {module}::{client}::new(keyfold).map(drop)),"
            ));
        }
    }
    modules.push(format!(
        "/// The models, each with a function that opens its client.\npub const OPEN: &[(&str, Open)] = &[{}];\n",
        opened.concat()
    ));
    std::fs::write(out.join("all.rs"), modules.concat())?;
    Ok(())
}

/// The name of the client of a generated file.
fn client_of(text: &str) -> Result<&str, String> {
    let before = text
        .split("<S = typed::Eventual> {\n    client: typed::Client<S>,")
        .next();
    let declared = before.and_then(|text| text.rsplit("pub struct ").next());
    let name = declared
        .map(str::trim)
        .filter(|name| name.ends_with("Client"));
    name.ok_or_else(|| format!("no client:\n{text}"))
}
