//! The facts that this build knows: one row for each kind and word.

use serde::Serialize;

use crate::{
    package::fact::{Fact, FactWord, Place},
    scalar::{path::PackagePath, size::Size, subject::Subject},
};

/// One kind and word.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct FactSpec {
    pub about: About,
    pub kind: &'static str,
    /// What it means, for people: after a file's name or alone.
    pub means: &'static str,
    pub word: &'static str,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// A file.
    File,
    /// A picture in a file, by its size.
    Picture,
    /// A row of the manifest's `files`, by its number.
    Pattern,
}

macro_rules! facts {
    ($($name:ident = $kind:ident $word:literal, $about:ident, $means:literal;)+) => {
        $(pub(crate) static $name: FactSpec =
            FactSpec { kind: $kind, word: $word, means: $means, about: About::$about };)+

        /// Every fact that this build knows, sorted by kind and word.
        pub static ALL: &[&FactSpec] = &[$(&$name,)+];
    };
}

pub const BINARY: &str = "binary";
pub const DYNAMIC_CODE: &str = "dynamic-code";
pub const IMAGE: &str = "image";
pub const PATTERN: &str = "pattern";
pub const REMOTE_CODE: &str = "remote-code";
pub const SECRET: &str = "secret";
pub const TEMPLATE: &str = "template";

facts! {
    ELF = BINARY "elf", File, "an ELF program";
    FLASH = BINARY "flash", File, "a Flash program";
    JAVA = BINARY "java-or-universal", File, "a Java class or universal program";
    MACH_O = BINARY "mach-o", File, "a Mach-O program";
    RUN_BY_NAME = BINARY "run-by-name", File, "a file that systems run by its name";
    SHELL_SCRIPT = BINARY "shell-script", File, "a script that a shell runs";
    WINDOWS = BINARY "windows", File, "a Windows program";
    EVAL = DYNAMIC_CODE "eval", File, "evaluated code";
    FUNCTION_CONSTRUCTOR = DYNAMIC_CODE "function-constructor", File, "code made from text";
    PNG = IMAGE "png", Picture, "a PNG";
    IDLE_PATTERN = PATTERN "idle", Pattern, "the pattern matches no file";
    FETCHED = REMOTE_CODE "fetched", File, "code fetched from elsewhere";
    CHAT_TOKEN = SECRET "chat-token", File, "a token of a chat service";
    CLOUD_ACCESS_KEY = SECRET "cloud-access-key", File, "an access key of a cloud";
    CLOUD_API_KEY = SECRET "cloud-api-key", File, "an API key of a cloud";
    CODE_HOST_TOKEN = SECRET "code-host-token", File, "a token of a code host";
    PACKAGE_REGISTRY_TOKEN = SECRET "package-registry-token", File, "a token of a package registry";
    PAYMENT_KEY = SECRET "payment-key", File, "a key of a payment service";
    PRIVATE_KEY = SECRET "private-key", File, "a private key";
    REGISTRY_TOKEN = SECRET "registry-token", File, "a token of this registry";
    UNTOUCHED = TEMPLATE "untouched", File, "the text is still the one of the template";
}

/// The word of the row that stands for all rows of a kind that a report has no room for.
const CUT: &str = "cut";

/// What a fact says, where this build knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    /// A fact of the table.
    One(&'static FactSpec),
    /// More of a kind than a report holds.
    Cut,
}

impl Fact {
    /// The fact of a file that was read.
    #[must_use]
    pub(crate) fn seen(spec: &'static FactSpec, file: &PackagePath) -> Self {
        Self { file: Some(file.clone()), ..Self::of(spec.kind, spec.word) }
    }

    /// The fact that a row of the manifest's `files` matches nothing.
    #[must_use]
    pub(crate) fn idle_pattern(row: usize) -> Self {
        Self { subject: Some(Subject::number(row)), ..Self::of(PATTERN, IDLE_PATTERN.word) }
    }

    fn of(kind: &'static str, word: &'static str) -> Self {
        let (kind, word) = (FactWord::of(kind), FactWord::of(word));
        Self { count: Size::bounded(1), file: None, kind, place: None, subject: None, word }
    }

    #[must_use]
    pub(crate) fn about(self, subject: Option<Subject>) -> Self {
        Self { subject, ..self }
    }

    #[must_use]
    pub(crate) fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }

    /// What it says, when reading files by the rules of this build can have told it.
    #[must_use]
    pub(crate) fn known(&self) -> Option<Known> {
        let (kind, word) = (self.kind.as_str(), self.word.as_str());
        if word == CUT && self.file.is_none() && self.subject.is_none() {
            return ALL.iter().any(|spec| spec.kind == kind).then_some(Known::Cut);
        }
        let spec = ALL.iter().find(|spec| spec.kind == kind && spec.word == word)?;
        let fits = match spec.about {
            About::File => self.file.is_some() && self.subject.is_none(),
            About::Picture => self.file.is_some() && self.pixels().is_some() && self.place.is_none(),
            About::Pattern => self.file.is_none() && self.subject.as_ref().and_then(Subject::as_number).is_some(),
        };
        fits.then_some(Known::One(spec))
    }

    /// The size of the picture that it is about.
    #[must_use]
    pub(crate) fn pixels(&self) -> Option<(u32, u32)> {
        self.subject.as_ref().filter(|_| self.kind.as_str() == IMAGE)?.as_pixels()
    }
}

/// The one row that stands for these, all of a kind.
pub(crate) fn cut(rows: &[Fact]) -> Option<Fact> {
    let count = Size::bounded(rows.iter().map(|row| row.count.get()).fold(0, u64::saturating_add));
    let kind = rows.first()?.kind.clone();
    Some(Fact { count, file: None, kind, place: None, subject: None, word: FactWord::of(CUT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_the_form_and_its_place_in_the_order() {
        for spec in ALL {
            assert!(FactWord::parse(spec.kind).is_some() && FactWord::parse(spec.word).is_some(), "{spec:?}");
            assert!(Subject::parse(spec.word).is_some() && spec.word != CUT, "{spec:?}");
        }
        assert!(ALL.is_sorted_by(|left, right| (left.kind, left.word) < (right.kind, right.word)));
    }
}
