//! The names of documents: URIs in the protocol, paths in the compiler.
//!
//! A path has `/` between its parts on every system, because URIs and the names behind `use` have. A
//! document without a file, such as one that was never saved, has its URI as its path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters of a path that are written otherwise in a URI.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// The path of a document.
pub fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    match path.strip_prefix('/') {
        Some(local) if has_drive(local) => local.to_owned(),
        Some(_) | None => path,
    }
}

/// The URI of a path.
pub fn uri_of(path: &str) -> String {
    let has_scheme = !has_drive(path) && !path.starts_with('/') && path.contains(':');
    if has_scheme {
        return path.to_owned();
    }
    let root = if has_drive(path) { "/" } else { "" };
    format!("file://{root}{}", utf8_percent_encode(path, ENCODED))
}

/// Whether a path starts with a drive: `c:/`.
fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri_are_made_of_each_other() {
        for (uri, path) in [
            ("file:///a/b%20c/%C3%89.keyfold", "/a/b c/É.keyfold"),
            ("file:///c:/models/shop.keyfold", "c:/models/shop.keyfold"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("inmemory://model/1", "inmemory://model/1"),
        ] {
            assert_eq!(path_of(uri), path);
            assert_eq!(uri_of(path), uri);
        }
    }

    #[test]
    fn a_uri_may_be_written_in_other_ways() {
        assert_eq!(path_of("file:///c%3A/x.keyfold"), "c:/x.keyfold");
        assert_eq!(path_of("file://localhost/x.keyfold"), "/x.keyfold");
        assert_eq!(path_of("file:///%FF"), "/\u{fffd}");
    }
}
