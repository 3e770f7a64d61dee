//! Which language a file is read as.

/// A language that a parser of this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Script(Dialect),
    /// HTML.
    Page,
    /// HTML written as XML.
    XmlPage,
    /// SVG.
    Drawing,
    /// Any other XML, which may hold pages and drawings.
    Xml,
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
    ("atom", Language::Xml),
    ("cjs", Language::Script(Dialect::Classic)),
    ("css", Language::Style),
    ("cts", Language::Script(Dialect::TypeScript)),
    ("htm", Language::Page),
    ("html", Language::Page),
    ("js", Language::Script(Dialect::Any)),
    ("jsx", Language::Script(Dialect::Jsx)),
    ("mathml", Language::Xml),
    ("mjs", Language::Script(Dialect::Module)),
    ("mts", Language::Script(Dialect::TypeScript)),
    ("rdf", Language::Xml),
    ("rss", Language::Xml),
    ("svg", Language::Drawing),
    ("ts", Language::Script(Dialect::TypeScript)),
    ("tsx", Language::Script(Dialect::Tsx)),
    ("wasm", Language::Wasm),
    ("xht", Language::XmlPage),
    ("xhtml", Language::XmlPage),
    ("xml", Language::Xml),
    ("xsl", Language::Xml),
    ("xslt", Language::Xml),
];

/// Extensions of texts that browsers show as such: what they begin with says nothing.
const TEXTS: &[&str] =
    &["csv", "json", "jsonl", "map", "markdown", "md", "mdx", "rst", "srt", "toml", "tsv", "txt", "vtt", "yaml", "yml"];

/// The tags that tell a page where a file's name does not, as the standard for the types of files lists them; a blank or
/// the end of the tag follows.
const PAGE_TAGS: &[&[u8]] = &[
    b"<!doctype html",
    b"<a",
    b"<b",
    b"<body",
    b"<br",
    b"<div",
    b"<font",
    b"<h1",
    b"<head",
    b"<html",
    b"<iframe",
    b"<p",
    b"<script",
    b"<style",
    b"<table",
    b"<title",
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
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let by_name = EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, language)| *language);
        by_name.or_else(|| Self::by_beginning(bytes)).or_else(|| Self::by_tag(extension, bytes))
    }

    /// What no text begins with that is not meant to be it.
    fn by_beginning(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(WASM_MAGIC) {
            return Some(Self::Wasm);
        }
        let start = start(bytes);
        if [&b"<!doctype html"[..], b"<html", b"<script"].iter().any(|mark| begins(start, mark)) {
            return Some(Self::Page);
        }
        begins(start, b"<svg").then_some(Self::Drawing)
    }

    /// What browsers take a file for whose name tells them nothing.
    fn by_tag(extension: &str, bytes: &[u8]) -> Option<Self> {
        let start = start(bytes);
        let is_tag = |tag: &&[u8]| begins(start, tag) && matches!(start.get(tag.len()), Some(b' ' | b'>'));
        match () {
            () if TEXTS.contains(&extension) => None,
            () if begins(start, b"<?xml") => Some(Self::Xml),
            () if begins(start, b"<!--") || PAGE_TAGS.iter().any(is_tag) => Some(Self::Page),
            () => None,
        }
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

/// A file without its byte order mark and the blanks that it begins with.
fn start(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

fn begins(start: &[u8], mark: &[u8]) -> bool {
    start.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark))
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
    Language::XmlPage,
    Language::Xml,
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
    fn what_browsers_would_take_for_a_page_is_read_as_one() {
        for tag in
            ["<!--", "<A >", "<b>", "\n\t<TITLE>", "<p >", "<h1>", "<IFrame >", "<br>", "<table>", "<!DOCTYPE HTML>"]
        {
            for path in ["page", "a/page.dat", "page.unknown", ".page"] {
                assert_eq!(Language::of(path, tag.as_bytes()), Some(Language::Page), "{path} {tag}");
            }
        }
        assert_eq!(Language::of("page", b" <?XML version"), Some(Language::Xml));
        assert_eq!(Language::of("feed.rss", b"<rss>"), Some(Language::Xml));
        assert_eq!(Language::of("page.XHTML", b""), Some(Language::XmlPage));
        for (path, text) in [("README.md", "<h1 align>"), ("a.txt", "<p>"), ("page", "<article>"), ("page", "<bold>")] {
            assert_eq!(Language::of(path, text.as_bytes()), None, "{path} {text}");
        }
    }

    #[test]
    fn every_language_has_a_byte_of_its_own() {
        for (_, language) in EXTENSIONS {
            assert_eq!(Language::from_byte(language.to_byte()), Some(*language));
        }
        assert_eq!(Language::from_byte(200), None);
    }
}
