//! Claims of a standing: whether a text says of this package, or of its publisher, that it is approved, official and
//! the like. The same words about anything else are no claim.

use std::collections::BTreeSet;

use crate::{rules::package::Package, words::rule::Rule};

/// Words that claim a standing. All words here are in lowercase.
pub(crate) const CLAIMS: &[&str] = &["approved", "certified", "installable", "official", "trusted", "verified"];

/// What a package is called: `the official board`.
pub(crate) const KINDS: &[&str] = &[
    "addon",
    "app",
    "application",
    "board",
    "client",
    "extension",
    "integration",
    "package",
    "plugin",
    "tool",
    "widget",
];

/// Words that join a package to what it is said to be: `this board is approved`.
pub(crate) const COPULAS: &[&str] = &["are", "has", "have", "is", "was", "were"];

/// Words that may stand between the two.
pub(crate) const ADVERBS: &[&str] = &["already", "also", "and", "been", "fully", "now", "officially"];

/// Words that stand for the package, or for whoever publishes it, at the start of a sentence.
pub(crate) const PRONOUNS: &[&str] = &["it", "this", "we"];

/// The same with their copula.
pub(crate) const CONTRACTIONS: &[&str] = &["it's", "we're", "we've"];

/// A claim at the start of a sentence is about the package when one of these follows: `Approved by Acme.`
pub(crate) const AGENTS: &[&str] = &["by", "for"];

/// Claims that are an opinion when they name who holds it: `trusted by teams`.
pub(crate) const OPINIONS: &[&str] = &["trusted"];

/// Claims that a name makes at its start too: `Official Weather`.
pub(crate) const LEADING: &[&str] = &["official"];

/// Words that take a claim back, a few words before it.
pub(crate) const NEGATIONS: &[&str] =
    &["aren't", "isn't", "neither", "never", "non", "nor", "not", "wasn't", "without"];

/// Words that take a claim back right before it.
pub(crate) const NEGATIONS_BESIDE: &[&str] = &["no", "un"];

/// How far before a claim its negation may stand, and how far behind it what it is about.
pub(crate) const NEAR: usize = 4;

/// The words that a rule knows claims by.
#[derive(Debug)]
pub(crate) struct ClaimWords {
    adverbs: &'static [&'static str],
    agents: &'static [&'static str],
    claims: &'static [&'static str],
    contractions: &'static [&'static str],
    copulas: &'static [&'static str],
    kinds: &'static [&'static str],
    leading: &'static [&'static str],
    near: usize,
    negations: &'static [&'static str],
    negations_beside: &'static [&'static str],
    opinions: &'static [&'static str],
    pronouns: &'static [&'static str],
}

impl ClaimWords {
    pub(crate) fn of(rule: &Rule) -> Self {
        Self {
            adverbs: rule.words("adverbs"),
            agents: rule.words("agents"),
            claims: rule.words("words"),
            contractions: rule.words("contractions"),
            copulas: rule.words("copulas"),
            kinds: rule.words("kinds"),
            leading: rule.words("leading"),
            near: usize::try_from(rule.number("near")).unwrap_or(NEAR),
            negations: rule.words("negations"),
            negations_beside: rule.words("negations-beside"),
            opinions: rule.words("opinions"),
            pronouns: rule.words("pronouns"),
        }
    }
}

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextUse {
    /// The name of the package or its publisher.
    Name,
    /// Sentences about the package.
    Prose,
    /// A word on a button or beside a picture, which speaks of what is there: `Approved` over a list.
    Title,
}

/// The names of a package, which a text about it may use.
#[derive(Debug, Default)]
pub(crate) struct OwnNames {
    /// The name as it is written.
    name: Vec<String>,
    /// All words of names, in lowercase.
    words: BTreeSet<String>,
}

impl OwnNames {
    /// The names in a manifest.
    pub(crate) fn of(package: &Package<'_>) -> Self {
        let name = words(package.text("/name").unwrap_or_default());
        let others = ["/shortName", "/publisher/name", "/publisher/id"].into_iter().filter_map(|at| package.text(at));
        let others = others.flat_map(words).map(|word| word.lower);
        Self {
            words: name.iter().map(|word| word.lower.clone()).chain(others).collect(),
            name: name.into_iter().map(|word| word.written).collect(),
        }
    }
}

/// The first word of a text that claims a standing for this package.
#[must_use]
pub(crate) fn claim_in(known: &ClaimWords, text: &str, used: TextUse, own: &OwnNames) -> Option<&'static str> {
    let text = Sentences { words: words(text), known, own };
    text.words.iter().enumerate().find_map(|(at, word)| {
        let claim = known.claims.iter().find(|claim| **claim == word.lower)?;
        let is_claim = match used {
            TextUse::Name => text.names(at) || text.opens(at) || text.qualifies(at) || text.is_said(at),
            TextUse::Prose => text.opens(at) || text.qualifies(at) || text.is_said(at),
            TextUse::Title => text.qualifies(at) || text.is_said(at),
        };
        (is_claim && !text.is_taken_back(at)).then_some(*claim)
    })
}

/// What stands before a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Break {
    None,
    Clause,
    Sentence,
}

#[derive(Debug)]
struct Word {
    written: String,
    lower: String,
    before: Break,
}

/// Marks that end a sentence.
const ENDS: &[char] = &['.', '!', '?', '|', '\u{2013}', '\u{2014}', '\u{2022}'];

/// Marks that end nothing: a hyphen, and quotes around words.
const JOINS: &[char] = &['-', '\'', '"', '`', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

/// The words of a text. An apostrophe inside a word is part of it.
fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let mut before = Break::Sentence;
    let mut is_inside = false;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_apostrophe = matches!(character, '\'' | '\u{2019}')
            && is_inside
            && rest.peek().is_some_and(|next| next.is_alphanumeric());
        if !character.is_alphanumeric() && !is_apostrophe {
            is_inside = false;
            before = before.max(break_of(character));
            continue;
        }
        if !is_inside {
            found.push(Word { written: String::new(), lower: String::new(), before });
            (is_inside, before) = (true, Break::None);
        }
        if let Some(word) = found.last_mut() {
            word.written.push(if is_apostrophe { '\'' } else { character });
        }
    }
    for word in &mut found {
        word.lower = word.written.to_lowercase();
    }
    found
}

fn break_of(character: char) -> Break {
    match character {
        '\n' | '\r' => Break::Clause,
        _ if ENDS.contains(&character) => Break::Sentence,
        _ if character.is_whitespace() || JOINS.contains(&character) => Break::None,
        _ => Break::Clause,
    }
}

struct Sentences<'o> {
    words: Vec<Word>,
    known: &'o ClaimWords,
    own: &'o OwnNames,
}

impl Sentences<'_> {
    fn is_one_of(&self, at: usize, list: &[&str]) -> bool {
        self.words.get(at).is_some_and(|word| list.contains(&word.lower.as_str()))
    }

    /// What stands before a word; behind the last the sentence ends.
    fn before(&self, at: usize) -> Break {
        self.words.get(at).map_or(Break::Sentence, |word| word.before)
    }

    /// The words before one in its sentence, the nearest first.
    fn back(&self, at: usize) -> impl Iterator<Item = usize> {
        let start = (0..=at).rev().find(|start| self.before(*start) == Break::Sentence).unwrap_or(0);
        (start..at).rev()
    }

    fn is_taken_back(&self, at: usize) -> bool {
        self.back(at).take(self.known.near).any(|word| self.is_one_of(word, self.known.negations))
            || self.back(at).take(1).any(|word| self.is_one_of(word, self.known.negations_beside))
    }

    /// A name that ends with the claim, or starts with a strong one.
    fn names(&self, at: usize) -> bool {
        at + 1 == self.words.len() || (at == 0 && self.is_one_of(at, self.known.leading))
    }

    /// `the official Acme board`: only names stand between the claim and what the package is.
    fn qualifies(&self, at: usize) -> bool {
        for next in (at + 1)..=(at + self.known.near) {
            let is_claim = self.is_one_of(next, self.known.claims);
            if self.before(next) == Break::Sentence || (self.before(next) == Break::Clause && !is_claim) {
                return false;
            }
            if self.is_one_of(next, self.known.kinds) || self.is_own_name(next) {
                return true;
            }
            let passes = is_claim || self.is_one_of(next, self.known.adverbs) || self.is_a_name(next);
            if !passes {
                return false;
            }
        }
        false
    }

    /// A word of the package's own names, or one that is written like a name.
    fn is_a_name(&self, at: usize) -> bool {
        let is_name =
            |word: &Word| self.own.words.contains(&word.lower) || word.written.starts_with(char::is_uppercase);
        self.words.get(at).is_some_and(is_name)
    }

    /// Whether the package's whole name starts here, as it is written.
    fn is_own_name(&self, at: usize) -> bool {
        let here = self.words.iter().skip(at).map(|word| &word.written);
        !self.own.name.is_empty() && self.own.name.iter().eq(here.take(self.own.name.len()))
    }

    /// `this board has been officially approved`
    fn is_said(&self, at: usize) -> bool {
        let Some(join) = self
            .back(at)
            .find(|word| !self.is_one_of(*word, self.known.adverbs) && !self.is_one_of(*word, self.known.claims))
        else {
            return false;
        };
        let opens = |word: usize| self.before(word) == Break::Sentence;
        if self.is_opinion(at) {
            return false;
        }
        if self.is_one_of(join, self.known.contractions) {
            return opens(join);
        }
        let subject = self.back(join).next().filter(|_| self.is_one_of(join, self.known.copulas));
        subject.is_some_and(|subject| {
            let ends_name = (subject + 1).checked_sub(self.own.name.len()).is_some_and(|start| self.is_own_name(start));
            self.is_one_of(subject, self.known.kinds)
                || ends_name
                || (self.is_one_of(subject, self.known.pronouns) && opens(subject))
        })
    }

    /// `Officially approved.`, `Verified by Acme`
    fn opens(&self, at: usize) -> bool {
        let starts = self
            .back(at)
            .all(|word| self.is_one_of(word, self.known.adverbs) || self.is_one_of(word, self.known.claims));
        let is_more = |next: &usize| {
            self.before(*next) != Break::Sentence
                && (self.is_one_of(*next, self.known.adverbs) || self.is_one_of(*next, self.known.claims))
        };
        let next = ((at + 1)..self.words.len()).find(|next| !is_more(next)).unwrap_or(self.words.len());
        starts
            && !self.is_opinion(at)
            && (self.before(next) == Break::Sentence || self.is_one_of(next, self.known.agents))
    }

    fn is_opinion(&self, at: usize) -> bool {
        self.is_one_of(at, self.known.opinions) && self.is_one_of(at + 1, self.known.agents)
    }
}
