//! Which language a file is read as.

/// A language that a parser of this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Script(Dialect),
    /// HTML.
    Page,
    /// SVG.
    Drawing,
    /// CSS.
    Style,
    Wasm,
}

/// A dialect of the script language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A module if it has the syntax of one, else a classic script.
    Any,
    Module,
    Classic,
    Jsx,
    TypeScript,
    Tsx,
}

/// Every language that has a name, by the extensions of its files.
const EXTENSIONS: &[(&str, Language)] = &[
    ("cjs", Language::Script(Dialect::Classic)),
    ("css", Language::Style),
    ("cts", Language::Script(Dialect::TypeScript)),
    ("htm", Language::Page),
    ("html", Language::Page),
    ("js", Language::Script(Dialect::Any)),
    ("jsx", Language::Script(Dialect::Jsx)),
    ("mjs", Language::Script(Dialect::Module)),
    ("mts", Language::Script(Dialect::TypeScript)),
    ("svg", Language::Drawing),
    ("ts", Language::Script(Dialect::TypeScript)),
    ("tsx", Language::Script(Dialect::Tsx)),
    ("wasm", Language::Wasm),
    ("xht", Language::Page),
    ("xhtml", Language::Page),
];

/// How WebAssembly begins.
pub(crate) const WASM_MAGIC: &[u8] = b"\0asm";

impl Language {
    /// The language of a file, by its name or, where that tells nothing, by how it begins.
    #[must_use]
    pub fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        // Declarations of types: nothing of them runs anywhere.
        if [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end)) {
            return None;
        }
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_owned());
        let by_name = extension.and_then(|extension| {
            EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, language)| *language)
        });
        by_name.or_else(|| Self::by_beginning(bytes))
    }

    fn by_beginning(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(WASM_MAGIC) {
            return Some(Self::Wasm);
        }
        let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let begins = |mark: &[u8]| start.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark));
        if begins(b"<!doctype html") || begins(b"<html") || begins(b"<script") {
            return Some(Self::Page);
        }
        begins(b"<svg").then_some(Self::Drawing)
    }

    /// The byte that stands for it between the two processes.
    #[must_use]
    pub fn to_byte(self) -> u8 {
        ALL.iter().position(|language| *language == self).map_or(0, |place| place as u8)
    }

    /// The language of a byte.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        ALL.get(usize::from(byte)).copied()
    }
}

const ALL: &[Language] = &[
    Language::Script(Dialect::Any),
    Language::Script(Dialect::Module),
    Language::Script(Dialect::Classic),
    Language::Script(Dialect::Jsx),
    Language::Script(Dialect::TypeScript),
    Language::Script(Dialect::Tsx),
    Language::Page,
    Language::Drawing,
    Language::Style,
    Language::Wasm,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_before_the_bytes_do() {
        assert_eq!(Language::of("a/b.MJS", b"<html>"), Some(Language::Script(Dialect::Module)));
        assert_eq!(Language::of("LICENSE", b"MIT"), None);
        assert_eq!(Language::of("page", b"\xEF\xBB\xBF <!DOCTYPE html>"), Some(Language::Page));
        assert_eq!(Language::of("a.bin", b"\0asm\x01\0\0\0"), Some(Language::Wasm));
        assert_eq!(Language::of("data/a.txt", b"<SVG xmlns=\"\">"), Some(Language::Drawing));
    }

    #[test]
    fn every_language_has_a_byte_of_its_own() {
        for (_, language) in EXTENSIONS {
            assert_eq!(Language::from_byte(language.to_byte()), Some(*language));
        }
        assert_eq!(Language::from_byte(200), None);
    }
}
