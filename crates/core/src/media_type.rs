//! Media types of package files, told by the extension alone so that every machine agrees.

/// Extension and media type. What is not here is an octet stream.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("avif", "image/avif"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/vnd.microsoft.icon"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("map", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("ogg", "audio/ogg"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xml", "application/xml"),
];

const OTHER: &str = "application/octet-stream";

/// The media type of a file by its path.
#[must_use]
pub fn of_path(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return OTHER };
    if stem.is_empty() {
        return OTHER;
    }
    let extension = extension.to_ascii_lowercase();
    let row = BY_EXTENSION.binary_search_by(|(known, _)| (*known).cmp(extension.as_str()));
    row.ok().and_then(|row| BY_EXTENSION.get(row)).map_or(OTHER, |(_, media_type)| media_type)
}
