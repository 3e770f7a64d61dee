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

/// The longest extension of the table.
const LONGEST: usize = 11;

pub(crate) const OTHER: &str = "application/octet-stream";

/// The media type of a file by its path.
#[must_use]
pub fn of_path(path: &str) -> &'static str {
    let name = path.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let Some(dot) = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0) else { return OTHER };
    let extension = name.get(dot + 1..).unwrap_or_default();
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..extension.len()) else { return OTHER };
    lower.copy_from_slice(extension);
    lower.make_ascii_lowercase();
    let row = BY_EXTENSION.binary_search_by(|(known, _)| known.as_bytes().cmp(lower));
    row.ok().and_then(|row| BY_EXTENSION.get(row)).map_or(OTHER, |(_, media_type)| media_type)
}

/// A media type of the table, when the text is one.
#[must_use]
pub(crate) fn known(text: &str) -> Option<&'static str> {
    BY_EXTENSION.iter().map(|(_, media_type)| *media_type).chain([OTHER]).find(|known| *known == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_is_found_however_it_is_written() {
        assert!(BY_EXTENSION.is_sorted_by(|left, right| left.0 < right.0), "the table is searched by halves");
        assert_eq!(BY_EXTENSION.iter().map(|(extension, _)| extension.len()).max(), Some(LONGEST));
        for (extension, media_type) in BY_EXTENSION {
            let mixed = extension.replacen(|_: char| true, &extension[..1].to_ascii_uppercase(), 1);
            for written in [(*extension).to_owned(), extension.to_ascii_uppercase(), mixed] {
                assert_eq!(of_path(&format!("a.b/c.{written}")), *media_type, "{written}");
            }
            assert_eq!(of_path(&format!("a.b/.{extension}")), OTHER, "a hidden file has no extension");
        }
        for path in ["", "a", "a.", "a.js.", "a.webmanifests", "a.j", "a.\u{212a}", "a.js/b"] {
            assert_eq!(of_path(path), OTHER, "{path}");
        }
    }
}
