//! Media types of package files, told by the extension alone so that every machine agrees.

use std::{borrow::Cow, fmt};

use crate::{scalar::path::PackagePath, wire_string};

/// A media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType(Cow<'static, str>);

impl MediaType {
    /// The media type that a path gives.
    pub(crate) fn of_path(path: &PackagePath) -> Self {
        Self(of_path(path).into())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A media type of a table of ours.
    pub(crate) const fn from_static(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(&self.0)
    }

    /// Reads a type and a subtype.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_name = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
        };
        if let Some(known) = known(text) {
            return Some(Self::from_static(known));
        }
        let (kind, subtype) = text.split_once('/')?;
        (text.len() <= 100 && is_name(kind) && is_name(subtype)).then(|| Self(Cow::Owned(text.to_owned())))
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

wire_string! {
    MediaType {
        name: "media-type",
        rule: B015,
        expected: "a media type in lowercase, such as `text/css`",
        pattern: "^[a-z0-9.+-]+/[a-z0-9.+-]+$",
        max_length: 100,
    }
}

/// Declares the table, and the two ways to look into it.
macro_rules! media_types {
    ($($extension:literal => $media_type:literal,)+) => {
        /// Extension and media type. What is not here is an octet stream.
        pub(crate) const BY_EXTENSION: &[(&str, &str)] = &[$(($extension, $media_type),)+];

        /// The media type of an extension in lowercase.
        fn of_extension(extension: &[u8]) -> &'static str {
            $(if extension == $extension.as_bytes() {
                return $media_type;
            })+
            OTHER
        }

        /// A media type of the table, when the text is one.
        #[must_use]
        pub(crate) fn known(text: &str) -> Option<&'static str> {
            $(if text == $media_type {
                return Some($media_type);
            })+
            (text == OTHER).then_some(OTHER)
        }
    };
}

media_types! {
    "avif" => "image/avif",
    "css" => "text/css",
    "csv" => "text/csv",
    "gif" => "image/gif",
    "htm" => "text/html",
    "html" => "text/html",
    "ico" => "image/vnd.microsoft.icon",
    "jpeg" => "image/jpeg",
    "jpg" => "image/jpeg",
    "js" => "text/javascript",
    "json" => "application/json",
    "map" => "application/json",
    "md" => "text/markdown",
    "mjs" => "text/javascript",
    "mp3" => "audio/mpeg",
    "mp4" => "video/mp4",
    "ogg" => "audio/ogg",
    "otf" => "font/otf",
    "pdf" => "application/pdf",
    "png" => "image/png",
    "svg" => "image/svg+xml",
    "ttf" => "font/ttf",
    "txt" => "text/plain",
    "wasm" => "application/wasm",
    "wav" => "audio/wav",
    "webm" => "video/webm",
    "webmanifest" => "application/manifest+json",
    "webp" => "image/webp",
    "woff" => "font/woff",
    "woff2" => "font/woff2",
    "xml" => "application/xml",
}

/// The longest extension of the table.
const LONGEST: usize = 11;

pub(crate) const OTHER: &str = "application/octet-stream";

/// The media type of a file by its path.
#[must_use]
pub fn of_path(path: &PackagePath) -> &'static str {
    let Some(at) = path.marks().extension() else { return OTHER };
    // A name that is nothing but a dot and what follows it is hidden, and has no extension.
    if at == path.marks().last_part() + 1 {
        return OTHER;
    }
    let extension = path.as_str().as_bytes().get(at..).unwrap_or_default();
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..extension.len()) else { return OTHER };
    lower.copy_from_slice(extension);
    lower.make_ascii_lowercase();
    of_extension(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn media_type_of(path: &str) -> &'static str {
        of_path(&PackagePath::parse(path).unwrap())
    }

    #[test]
    fn every_extension_is_found_however_it_is_written() {
        assert!(BY_EXTENSION.is_sorted_by(|left, right| left.0 < right.0), "each extension once");
        assert_eq!(BY_EXTENSION.iter().map(|(extension, _)| extension.len()).max(), Some(LONGEST));
        for (extension, media_type) in BY_EXTENSION {
            let mixed = extension.replacen(|_: char| true, &extension[..1].to_ascii_uppercase(), 1);
            for written in [(*extension).to_owned(), extension.to_ascii_uppercase(), mixed] {
                assert_eq!(media_type_of(&format!("a.b/c.{written}")), *media_type, "{written}");
            }
            assert_eq!(media_type_of(&format!("a.b/.{extension}")), OTHER, "a hidden file has no extension");
        }
        for path in ["a", "a.webmanifests", "a.j", "a.\u{17f}", "a.js/b", "js", ".js", "a.js/.js", "a.b/.webmanifest"] {
            assert_eq!(media_type_of(path), OTHER, "{path}");
        }
    }
}
