//! Models of several files in one text.

use keyfold_model::Sources;

/// The files of a text: a line `# orders.keyfold:` starts a further one. The first one has the given
/// name.
pub(crate) fn sources(name: &str, text: &str) -> Sources {
    let mut files = vec![(name, String::new())];
    for line in text.split_inclusive('\n') {
        let head = line
            .strip_prefix("# ")
            .and_then(|line| line.trim_end().strip_suffix(':'));
        match head.filter(|name| name.ends_with(".keyfold")) {
            Some(name) => files.push((name, String::new())),
            None => files.last_mut().unwrap().1.push_str(line),
        }
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    Sources::of_texts(&files)
}
