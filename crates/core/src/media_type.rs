//! Media types of package files, told by the extension alone so that every machine agrees.

/// Extension and media type. What is not here is an octet stream.
pub(crate) const BY_EXTENSION: &[(&str, &str)] = &[
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

pub(crate) const OTHER: &str = "application/octet-stream";

/// The media type of a file by its path.
#[must_use]
pub fn of_path(path: &str) -> &'static str {
    let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0) else { return OTHER };
    let extension = name.get(dot + 1..).unwrap_or_default();
    let row = BY_EXTENSION.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(extension));
    row.map_or(OTHER, |(_, media_type)| media_type)
}

/// A media type of the table, when the text is one.
#[must_use]
pub(crate) fn known(text: &str) -> Option<&'static str> {
    BY_EXTENSION.iter().map(|(_, media_type)| *media_type).chain([OTHER]).find(|known| *known == text)
}
