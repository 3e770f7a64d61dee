//! What texts for people say: whether they claim a standing for the package, and whether they are still the template.

use svc_core::package::{
    fact_table::{
        CLAIM_APPROVED, CLAIM_CERTIFIED, CLAIM_INSTALLABLE, CLAIM_OFFICIAL, CLAIM_TRUSTED, CLAIM_VERIFIED, FactSpec,
        TEMPLATE_UNTOUCHED,
    },
    sighting::Sighting,
};

use crate::{encoding, notes::Notes};

/// The sentence that `svc app init` leaves in a README for the author to replace.
pub const TEMPLATE_MARK: &str = "Replace this line with what your package does.";

/// What a text says.
pub(crate) fn find(path: &str, bytes: &[u8]) -> Vec<Sighting> {
    if !introduces_the_package(path) {
        return Vec::new();
    }
    let text = encoding::decode(bytes, None).text;
    let mut notes = Notes::default();
    if let Some(at) = text.find(TEMPLATE_MARK) {
        notes.note(at, &TEMPLATE_UNTOUCHED, None);
    }
    for (at, line) in prose(&text) {
        claims(&mut notes, at, line);
    }
    notes.finish(&text).sightings
}

/// A README anywhere, and the texts beside the manifest: what a listing shows.
fn introduces_the_package(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    let is_text = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let is_readme =
        name == "readme" || name.starts_with("readme.") || name.starts_with("readme-") || name.starts_with("readme_");
    let is_code = is_text(&[".js", ".ts", ".html", ".css", ".json", ".png", ".svg"]);
    let is_history = name.starts_with("changelog") || name.starts_with("license") || name.starts_with("history");
    (is_readme && !is_code) || (folder.is_empty() && is_text(&[".md", ".markdown"]) && !is_history)
}

/// The lines outside blocks of code, with where they begin.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut at = 0;
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_code ^= is_fence;
        if !is_code && !is_fence {
            lines.push((at, line));
        }
        at += line.len();
    }
    lines
}

/// Words that claim a standing, and what each says.
static STANDINGS: &[(&str, &FactSpec)] = &[
    ("approved", &CLAIM_APPROVED),
    ("certified", &CLAIM_CERTIFIED),
    ("installable", &CLAIM_INSTALLABLE),
    ("official", &CLAIM_OFFICIAL),
    ("trusted", &CLAIM_TRUSTED),
    ("verified", &CLAIM_VERIFIED),
];

/// One word of a line, in lowercase.
#[derive(Debug)]
struct Word {
    at: usize,
    text: String,
    /// Whether a sentence ends behind it.
    ends: bool,
}

fn claims(notes: &mut Notes, start: usize, line: &str) {
    let words = words(line);
    let is_heading = line.trim_start().starts_with('#');
    for (place, word) in words.iter().enumerate() {
        let stem = word.text.strip_suffix("ly").filter(|stem| *stem == "official").unwrap_or(&word.text);
        let Some((_, what)) = STANDINGS.iter().find(|(standing, _)| *standing == stem) else { continue };
        let claim = Claim { words: &words, place, is_heading };
        if !claim.is_denied() && (claim.is_of_the_package() || claim.is_given_by_the_registry() || is_badge(line, word))
        {
            notes.note(start + word.at, what, None);
        }
    }
}

fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let is_inside = |character: char| character.is_alphanumeric() || matches!(character, '\'' | '\u{2019}');
    let mut begin = None;
    for (at, character) in line.char_indices().chain([(line.len(), '\n')]) {
        match (is_inside(character), begin) {
            (true, None) => begin = Some(at),
            (false, Some(from)) => {
                let text = line.get(from..at).unwrap_or_default().to_lowercase().replace('\u{2019}', "'");
                words.push(Word { at: from, text, ends: false });
                begin = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
        if matches!(character, '.' | '!' | '?' | ';' | '|')
            && let Some(last) = words.last_mut()
        {
            last.ends = true;
        }
    }
    words
}

/// A standing among the words of its line.
struct Claim<'a> {
    words: &'a [Word],
    place: usize,
    is_heading: bool,
}

/// What a text calls the package itself.
const PACKAGES: &[&str] = &[
    "addon",
    "app",
    "application",
    "board",
    "client",
    "extension",
    "package",
    "plugin",
    "project",
    "release",
    "tool",
    "widget",
];
/// What stands between a subject and what is said of it.
const LINKS: &[&str] = &[
    "is",
    "are",
    "was",
    "been",
    "has",
    "now",
    "fully",
    "also",
    "an",
    "a",
    "the",
    "and",
    "our",
    "officially",
    "already",
];
const DENIALS: &[&str] = &[
    "not",
    "no",
    "never",
    "nor",
    "neither",
    "without",
    "un",
    "non",
    "isn't",
    "aren't",
    "wasn't",
    "unofficial",
    "cannot",
    "hardly",
    "until",
    "unless",
    "if",
    "whether",
    "before",
    "once",
    "yet",
    "should",
    "must",
    "only",
    "pending",
    "to",
];
/// Who could give a standing here.
const GIVERS: &[&str] = &["svc", "registry", "store", "marketplace", "collection"];

/// How many words around a standing are looked at.
const NEAR: usize = 12;

impl Claim<'_> {
    /// The words of the sentence before the standing, the nearest first.
    fn before(&self) -> impl Iterator<Item = &str> {
        let head = self.words.get(..self.place).unwrap_or_default();
        head.iter().rev().take(NEAR).take_while(|word| !word.ends).map(|word| word.text.as_str())
    }

    /// The words of the sentence behind the standing.
    fn after(&self) -> impl Iterator<Item = &str> {
        let tail = self.words.get(self.place..).unwrap_or_default();
        let same = tail.iter().zip(tail.iter().skip(1)).take(NEAR).take_while(|(previous, _)| !previous.ends);
        same.map(|(_, word)| word.text.as_str())
    }

    fn is_denied(&self) -> bool {
        self.before().take(6).any(|word| DENIALS.contains(&word) || word.ends_with("n't"))
    }

    /// `This app is verified`, `the official app`, `a trusted extension`.
    fn is_of_the_package(&self) -> bool {
        self.follows_the_package() || self.names_the_package()
    }

    fn follows_the_package(&self) -> bool {
        let mut is_said = false;
        for word in self.before().take(8) {
            if PACKAGES.contains(&word) || (word == "it" && is_said) {
                let subject = self.before().skip_while(|other| *other != word).nth(1).unwrap_or_default();
                return is_said && (word == "it" || matches!(subject, "this" | "the" | "our"));
            }
            let is_standing = STANDINGS.iter().any(|(standing, _)| *standing == word);
            if !LINKS.contains(&word) && !is_standing {
                return false;
            }
            is_said |= matches!(word, "is" | "are" | "was" | "been");
        }
        false
    }

    /// The package right behind the standing, introduced as what this is: `This is the official app`, a heading, a start.
    fn names_the_package(&self) -> bool {
        let standing = self.words.get(self.place).map(|word| word.text.as_str()).unwrap_or_default();
        // `official documentation of the app` is about the documentation, `officially` about a verb.
        let is_named = self.after().take(3).any(|word| PACKAGES.contains(&word)) && !standing.ends_with("ly");
        let is_between = |word: &str| {
            matches!(word, "the" | "an" | "a" | "our" | "your" | "and") || STANDINGS.iter().any(|(one, _)| *one == word)
        };
        let mut before = self.before().filter(|word| !is_between(word));
        let introduces = match before.next() {
            None => true,
            Some("is") => matches!(before.next(), Some("this" | "it" | "here" | "package" | "app" | "which")),
            Some(_) => false,
        };
        is_named && !self.is_of_another() && (introduces || self.is_heading)
    }

    /// `the official app of X is needed`, `official plugin API`: the noun belongs to something else.
    fn is_of_another(&self) -> bool {
        const OTHERS: &[&str] = &[
            "api",
            "apis",
            "docs",
            "documentation",
            "guide",
            "guidelines",
            "page",
            "repository",
            "site",
            "store",
            "types",
            "website",
            "list",
            "registry",
            "manifest",
        ];
        self.after().take(4).any(|word| OTHERS.contains(&word))
    }

    /// `officially approved by the registry`, `verified by svc`.
    fn is_given_by_the_registry(&self) -> bool {
        let mut after = self.after();
        let by = after.next();
        let is_given = by == Some("by") && after.take(4).any(|word| GIVERS.contains(&word));
        // `users verified by the registry` are others; nothing or a verb stands before what is said of the package.
        let subject = self.before().find(|word| !LINKS.contains(word)).unwrap_or_default();
        is_given && (subject.is_empty() || PACKAGES.contains(&subject) || matches!(subject, "it" | "this"))
    }
}

/// As long as the words or the address of a badge get.
const BADGE: usize = 200;

/// A badge: the words of a picture, `![verified](…)`, or of its address, `badge/svc-verified-green`.
fn is_badge(line: &str, word: &Word) -> bool {
    let near = line.floor_char_boundary(word.at.saturating_sub(BADGE));
    let before = line.get(near..word.at).unwrap_or_default();
    let in_label = before.rfind("![").is_some_and(|open| !before.get(open..).unwrap_or_default().contains(']'));
    let in_address = before.rfind("badge/").is_some_and(|open| {
        !before
            .get(open..)
            .unwrap_or_default()
            .contains(|character: char| character.is_whitespace() || character == ')')
    });
    let label = before.rfind("![").and_then(|open| before.get(open + 2..)).unwrap_or_default();
    in_address || (in_label && label.split_whitespace().count() <= 2)
}

#[cfg(test)]
mod tests {
    use svc_json::position::Position;

    use super::*;

    fn words_of(path: &str, text: &str) -> Vec<&'static str> {
        find(path, text.as_bytes()).iter().map(|seen| seen.what.word).collect()
    }

    #[test]
    fn claims_of_a_standing_are_told() {
        let cases = [
            ("This app is verified.", "verified"),
            ("This package is officially approved by the registry.", "approved"),
            ("This extension has been certified.", "certified"),
            ("The official weather app.", "official"),
            ("This is the official package of Acme.", "official"),
            ("# Official Acme App", "official"),
            ("It is trusted and fast.", "trusted"),
            ("Our plugin is fully certified!", "certified"),
            ("Approved by the SVC registry", "approved"),
            ("Verified by svc.", "verified"),
            ("This package is installable.", "installable"),
            ("![verified](https://img.example/badge.svg)", "verified"),
            ("[![svc](https://img.shields.io/badge/svc-approved-green)](a)", "approved"),
            ("A trusted extension for teams.", "trusted"),
            ("This is an official and verified app", "verified"),
        ];
        for (text, expected) in cases {
            let told = words_of("README.md", &format!("# Board\n\n{text}\n"));
            assert!(told.contains(&expected), "{text}: {told:?}");
        }
    }

    #[test]
    fn ordinary_uses_and_denials_pass() {
        let cases = [
            "This is an unofficial client.",
            "This app is not verified.",
            "This package isn't an official app of Acme.",
            "This app has never been approved by anyone.",
            "This is not the official app.",
            "Users need a verified email.",
            "Uses trusted types.",
            "See the official documentation of X.",
            "Officially supported by browsers.",
            "The package reads verified accounts.",
            "Once this app is approved, it is shown.",
            "Do not use it unless the package is trusted by you.",
            "Add your origin to the list of trusted hosts.",
            "Requests are approved by your manager.",
            "Signatures are verified by the server.",
            "Install the certificate as a trusted root.",
            "See the [official website](https://a.example) and official plugin API.",
            "Payments approved by the store are shown in green.",
            "```\nThis app is verified.\n```",
            "Based on the official React documentation.",
            "Certified organic weather.",
        ];
        for text in cases {
            assert_eq!(words_of("README.md", &format!("# Board\n\n{text}\n")), [""; 0], "{text}");
        }
    }

    #[test]
    fn only_texts_that_introduce_the_package_are_read() {
        let text = "This app is verified.";
        for path in ["README", "README.md", "readme.txt", "docs/README.md", "README.de.md", "ABOUT.md", "README-en.md"]
        {
            assert_eq!(words_of(path, text), ["verified"], "{path}");
        }
        for path in ["a.js", "docs/a.md", "locales/en.json", "LICENSE.md", "CHANGELOG.md", "readme.html", "README.js"] {
            assert_eq!(words_of(path, text), [""; 0], "{path}");
        }
    }

    #[test]
    fn the_template_is_told_with_its_place() {
        let seen = find("README.md", format!("# Board\n\n{TEMPLATE_MARK}\n").as_bytes());
        let told: Vec<_> = seen.iter().map(|one| (one.what.word, one.position)).collect();
        assert_eq!(told, [("untouched", Some(Position { line: 3, column: 1 }))]);
        assert_eq!(words_of("a.js", TEMPLATE_MARK), [""; 0]);
    }

    #[test]
    fn a_hostile_readme_is_read_in_time() {
        for unit in
            ["official ", "verified", "![", "badge/official ", "is the ", "This app is trusted. ", "badge/verified-"]
        {
            let _ = words_of("README.md", &unit.repeat((128 << 10) / unit.len()));
        }
    }
}
