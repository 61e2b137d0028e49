//! The designs of this repository as the workbench opens them: each in a file of its own, which may be
//! edited, beside an engine in memory with some data.

use crate::backend;
use crate::cmd::under_way::{self, Named};
use keyfold_client::arguments;
use keyfold_client::{Backend, tables, write};
use keyfold_model::{Model, Sources, compile_sources};
use keyfold_workbench::{Place, Sample, Samples};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// A design: its name, its model and its data.
type Design = (&'static str, &'static str, &'static str);

macro_rules! design {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../../../../models/", $name, ".keyfold")),
            include_str!(concat!($name, ".jsonl")),
        )
    };
}

const DESIGNS: [Design; 13] = [
    design!("shop"),
    design!("myapp"),
    design!("santa"),
    design!("santa_spread"),
    design!("alleycat"),
    design!("bookmarks"),
    design!("orders_with_address"),
    design!("freight"),
    design!("smart_home"),
    design!("sales_view"),
    design!("sales_reports"),
    design!("readings"),
    design!("shop_techniques"),
];

/// The folder of the files, which is deleted with it.
pub(super) struct Folder(Result<TempDir, String>);

impl Folder {
    pub(super) fn new() -> Folder {
        Folder(TempDir::new().map_err(|error| format!("cannot make a folder: {error}")))
    }
}

/// The designs, and how one is opened in a folder.
pub(super) fn samples(folder: &Folder) -> Samples {
    let all = DESIGNS.iter().map(|(name, text, _)| Sample {
        name: (*name).to_owned(),
        about: about(text),
    });
    let folder = folder.0.as_ref();
    let folder = folder.map(|folder| folder.path().to_owned());
    let folder = folder.map_err(String::clone);
    Samples {
        all: all.collect(),
        open: Arc::new(move |name| {
            let folder = folder.as_ref().map_err(String::clone)?;
            let design = DESIGNS.iter().find(|(own, ..)| *own == name);
            opened(folder, design.ok_or("there is no such design")?)
        }),
    }
}

/// The first comment of a model, as one line.
fn about(text: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with('#'));
    let comment = lines.map_while(|line| line.strip_prefix('#').map(str::trim));
    comment.collect::<Vec<_>>().join(" ")
}

fn opened(folder: &Path, (name, text, data): &Design) -> Result<(PathBuf, Place), String> {
    let path = folder.join(format!("{name}.keyfold"));
    std::fs::write(&path, text).map_err(|error| format!("cannot write the model: {error}"))?;
    let sources = Sources::of_text(&format!("{name}.keyfold"), *text);
    let model = compile_sources(&sources).model;
    let model = model.ok_or_else(|| format!("the design {name} has errors"))?;
    let engine = backend::engine(None).map_err(|_| "cannot open an engine in memory".to_owned())?;
    let backend = Backend::Embedded(engine);
    tables::ensure(&backend, &model).map_err(|error| error.to_string())?;
    for line in data.lines() {
        put(&backend, &model, line)?;
    }
    let place = Place {
        backend: Arc::new(backend),
        shown: format!("{name}, in memory"),
        url: None,
        region: None,
        is_here: true,
        may_write: true,
        under_way: under_way::reader(Named::nowhere()),
        counters: Arc::new(|| Ok(None)),
    };
    Ok((path, place))
}

/// Writes the entity of a line: `{"kind", "item"}`.
fn put(backend: &Backend, model: &Model, line: &str) -> Result<(), String> {
    let line: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let kind = line["kind"].as_str().unwrap_or_default();
    let entity = model.entity(kind);
    let entity = entity.ok_or_else(|| format!("the design has no entity {kind}"))?;
    let text = |(name, held): (&String, &Json)| {
        let text = held
            .as_str()
            .map_or_else(|| held.to_string(), str::to_owned);
        (name.clone(), text)
    };
    let item = line["item"].as_object().into_iter().flatten();
    let given: BTreeMap<String, String> = item.map(text).collect();
    let values = arguments::of_entity(entity, &given).map_err(|error| error.to_string())?;
    let written = write::put(backend, model, entity, &values);
    written.map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_design_opens_with_its_data_and_can_be_read() {
        let folder = Folder::new();
        let samples = samples(&folder);
        for sample in &samples.all {
            let (path, place) = (samples.open)(&sample.name).unwrap();
            assert!(path.exists(), "{}", sample.name);
            assert!(!sample.about.is_empty(), "{}", sample.name);
            let names = tables::names(&place.backend).unwrap();
            let items = |name: &String| tables::sample(&place.backend, name, 1).unwrap().len();
            let filled = names.iter().filter(|name| items(name) > 0).count();
            assert!(filled > 0, "{} has no data", sample.name);
        }
        assert!((samples.open)("nothing").is_err());
    }
}
