//! The files of the page, as `cargo xtask web` has built and compressed them.

/// A file of the page. Its bytes are compressed by gzip.
pub(crate) struct Asset {
    /// The type of its contents.
    pub(crate) kind: &'static str,
    /// Its bytes.
    pub(crate) gzip: &'static [u8],
}

/// The file under a path.
pub(crate) fn at(path: &str) -> Option<Asset> {
    let (kind, gzip): (_, &[u8]) = match path {
        "/app.js" => (
            "text/javascript; charset=utf-8",
            include_bytes!("../assets/app.js.gz"),
        ),
        "/app.css" => (
            "text/css; charset=utf-8",
            include_bytes!("../assets/app.css.gz"),
        ),
        "/icon.svg" => ("image/svg+xml", include_bytes!("../assets/icon.svg.gz")),
        "/licences.txt" => (
            "text/plain; charset=utf-8",
            include_bytes!("../assets/licences.txt.gz"),
        ),
        _ => return None,
    };
    Some(Asset { kind, gzip })
}

/// The page. The style that the editor makes has the nonce.
pub(crate) fn page(nonce: &str) -> String {
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>Keyfold workbench</title>
<link rel=\"icon\" href=\"/icon.svg\">
<link rel=\"stylesheet\" href=\"/app.css\">
<link rel=\"stylesheet\" href=\"/map.css\">
<script type=\"module\" src=\"/app.js\" nonce=\"{nonce}\"></script>
</head>
<body><div id=\"page\"></div></body>
</html>
"
    )
}
