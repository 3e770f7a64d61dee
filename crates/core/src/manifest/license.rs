//! The SPDX expression that somebody meant who wrote something close to one.

use std::sync::LazyLock;

use spdx::identifiers::LICENSES;

use crate::manifest::scalars::License;

/// What was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This expression.
    One(String),
    /// One of these two: a licence of the GNU family that does not say whether later versions count.
    Either(String, String),
}

/// The expression that was probably meant. Nothing, where two or more are equally close.
#[must_use]
pub fn meant(text: &str) -> Option<Meant> {
    // Brackets say what belongs together: whoever mends around them may change that.
    if text.len() > 200 || text.contains(['(', ')']) {
        return None;
    }
    let spelled = text.replace('/', " OR ");
    let mut parts: Vec<String> = Vec::new();
    let mut term: Vec<&str> = Vec::new();
    for word in spelled.split_whitespace() {
        match operator(word) {
            Some(operator) => {
                parts.push(meant_term(&std::mem::take(&mut term).join(" "))?);
                parts.push(operator.to_owned());
            }
            None => term.push(word),
        }
    }
    let last = term.join(" ");
    if parts.is_empty()
        && let Some((only, later)) = versions_of_gnu(&last)
    {
        return Some(Meant::Either(only, later));
    }
    parts.push(meant_term(&last)?);
    let expression = parts.join(" ");
    License::parse(&expression).map(|license| Meant::One(license.as_str().to_owned()))
}

fn operator(word: &str) -> Option<&'static str> {
    ["AND", "OR", "WITH"].into_iter().find(|operator| word.eq_ignore_ascii_case(operator))
}

/// One licence of an expression.
fn meant_term(term: &str) -> Option<String> {
    if License::parse(term).is_some() || spdx::exception_id(term).is_some() {
        return Some(term.to_owned());
    }
    let folded = fold(term);
    let same = |known: &&Known| known.spellings.contains(&folded);
    let id =
        only_one(KNOWN.iter().filter(same)).or_else(|| only_one(KNOWN.iter().filter(|known| is_near(&folded, known))));
    id.map(|known| known.id.to_owned())
}

fn only_one<'k>(mut found: impl Iterator<Item = &'k Known>) -> Option<&'k Known> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A licence that an expression may name.
struct Known {
    id: &'static str,
    /// The ways to write it, folded.
    spellings: Vec<String>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let named = LICENSES.iter().filter(|license| License::parse(license.name).is_some());
    named.map(|license| Known { id: license.name, spellings: spellings(license.name, license.full_name) }).collect()
});

/// The id, the id without a last `.0`, and the name in full.
fn spellings(id: &str, full_name: &str) -> Vec<String> {
    let short = id.strip_suffix(".0").map(fold);
    [Some(fold(id)), short, Some(fold(full_name))].into_iter().flatten().collect()
}

/// Only the letters and digits that tell licences apart: `The Apache License, Version 2.0` is `apache20`, `MPLv2` `mpl2`.
fn fold(text: &str) -> String {
    let text = text.to_lowercase();
    let words = text.split(|character: char| !character.is_alphanumeric());
    let telling: String = words.filter(|word| !["the", "license", "licence", "version"].contains(word)).collect();
    let next = telling.chars().skip(1).map(Some).chain([None]);
    let pairs = telling.chars().zip(next);
    pairs.filter(|(letter, next)| *letter != 'v' || !next.is_some_and(is_digit)).map(|(letter, _)| letter).collect()
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit()
}

/// What npm calls a package that nobody may use, one letter away from the licence that lets everybody use it.
const UNLICENSED: &str = "unlicensed";

/// One slip of the hand away, and never in a digit: another version is another licence.
fn is_near(folded: &str, known: &Known) -> bool {
    if folded == UNLICENSED {
        return false;
    }
    let digits = |text: &str| text.chars().filter(|character| is_digit(*character)).collect::<String>();
    let id = fold(known.id);
    id.len() >= 3 && digits(folded) == digits(&id) && strsim::damerau_levenshtein(folded, &id) == 1
}

/// `GPL-3.0`, `GPLv3` and `gpl 3` are the old names of two licences.
fn versions_of_gnu(text: &str) -> Option<(String, String)> {
    let folded = fold(text);
    let gnu = only_one(KNOWN.iter().filter(|known| {
        let stem = known.id.strip_suffix("-only").unwrap_or_default();
        !stem.is_empty() && spellings(stem, stem).contains(&folded)
    }))?;
    let stem = gnu.id.strip_suffix("-only")?;
    Some((gnu.id.to_owned(), format!("{stem}-or-later")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_close_to_one_expression_is_that_expression() {
        for (text, expected) in [
            ("mit", "MIT"),
            ("MIT License", "MIT"),
            ("The MIT Licence", "MIT"),
            ("Apache 2", "Apache-2.0"),
            ("Apache2", "Apache-2.0"),
            ("apache-2.0", "Apache-2.0"),
            ("Apache License, Version 2.0", "Apache-2.0"),
            ("Appache-2.0", "Apache-2.0"),
            ("MPL2.0", "MPL-2.0"),
            ("MPLv2", "MPL-2.0"),
            ("BSD 3-Clause", "BSD-3-Clause"),
            ("isc", "ISC"),
            ("Unlicence", "Unlicense"),
            ("MIT/Apache-2.0", "MIT OR Apache-2.0"),
            ("mit or apache-2.0", "MIT OR Apache-2.0"),
            ("gpl-3.0-or-later", "GPL-3.0-or-later"),
        ] {
            assert_eq!(meant(text), Some(Meant::One(expected.to_owned())), "{text}");
        }
    }

    #[test]
    fn an_old_name_of_two_licences_is_one_of_them() {
        for text in ["GPL-3.0", "GPLv3", "gpl 3", "GPL3", "GPL v3"] {
            let expected = Meant::Either("GPL-3.0-only".to_owned(), "GPL-3.0-or-later".to_owned());
            assert_eq!(meant(text), Some(expected), "{text}");
        }
        let affero = Meant::Either("AGPL-3.0-only".to_owned(), "AGPL-3.0-or-later".to_owned());
        assert_eq!(meant("AGPLv3"), Some(affero));
    }

    #[test]
    fn what_could_be_several_or_none_is_not_guessed() {
        for text in [
            "",
            "proprietary",
            "BSD",
            "Apache",
            "GPL",
            "Apache-3.0",
            "see LICENSE",
            "MIT OR",
            "MIT AND (mpl2 OR isc)",
            "UNLICENSED",
        ] {
            assert_eq!(meant(text), None, "{text}");
        }
    }
}
