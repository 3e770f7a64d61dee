//! Foreign texts in the forms of our manifest. What does not fit without loss is nothing.

use svc_core::{
    manifest::scalars::{DisplayName, Label, License, PublisherName, Summary},
    scalar::{
        ident::{PackageId, PublisherId, Version},
        path::PackagePath,
        url::HttpsUrl,
    },
};

use super::template::capitalised;

/// Whether a generator was to fill the text: `{{ name }}` is nobody's name.
pub(super) fn is_unfilled(text: &str) -> bool {
    text.split_once("{{").is_some_and(|(_, rest)| rest.contains("}}"))
}

/// A name for people, cut at a word.
pub(super) fn name(text: &str) -> Option<String> {
    let text = cut(&line(text), 45, "");
    DisplayName::parse(&text).map(|_| text)
}

/// A name for people, of one for programs: `@acme/weather-board` is Weather Board.
pub(super) fn package_title(text: &str) -> Option<String> {
    let slug = package_slug(text)?;
    let words: Vec<String> = slug.split('-').map(capitalised).collect();
    name(&words.join(" "))
}

/// The last part of a name with a scope or a namespace.
pub(super) fn package_slug(text: &str) -> Option<String> {
    slug(text.rsplit('/').next().unwrap_or(text))
}

/// Lowercase letters, digits and single hyphens.
pub(super) fn slug(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").chars().take(50).collect();
    let slug = slug.trim_end_matches('-');
    PublisherId::parse(slug).map(|_| slug.to_owned())
}

/// An id of reverse DNS form, of a server's `io.github.acme/weather`.
pub(super) fn server_id(text: &str) -> Option<String> {
    let (space, name) = text.split_once('/')?;
    let id = format!("{}.{}", space.to_lowercase(), slug(name)?);
    PackageId::parse(&id).map(|_| id)
}

/// A semantic version: numbers that are left out are zero, and nothing is ever dropped.
pub(super) fn version(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let missing = match text.split('.').count() {
        1 => ".0.0",
        2 => ".0",
        _ => "",
    };
    let whole = if text.split('.').all(is_number) { format!("{text}{missing}") } else { text.to_owned() };
    Version::parse(&whole).map(|_| whole)
}

/// One sentence. The rest of a longer one is the README's, and an address alone says nothing.
pub(super) fn summary(text: &str) -> Option<String> {
    let text = cut(&line(text), 132, "…");
    let is_address = text.contains("://") && !text.contains(' ');
    Summary::parse(&text).filter(|_| !is_address).map(|_| text)
}

/// A licence that is an SPDX expression as it stands. What is only close to one may mean something else.
pub(super) fn license(text: &str) -> Option<String> {
    let text = text.trim();
    License::parse(text).map(|_| text.to_owned())
}

/// A word to find the package by.
pub(super) fn keyword(text: &str) -> Option<String> {
    let text = line(text);
    Label::parse(&text).map(|_| text)
}

pub(super) fn publisher(text: &str) -> Option<String> {
    slug(text)
}

/// The name in `Acme Ltd <mail@acme.dev> (https://acme.dev)`.
pub(super) fn person(text: &str) -> Option<String> {
    let name = cut(&line(text.split(['<', '(']).next().unwrap_or_default()), 100, "");
    PublisherName::parse(&name).filter(|_| !name.contains('@')).map(|_| name)
}

/// The address in the same.
pub(super) fn person_address(text: &str) -> Option<String> {
    address(text.split_once('(')?.1.split(')').next()?)
}

/// An https address. One that was written as plain http is not taken: nobody knows whether the other answers.
pub(super) fn address(text: &str) -> Option<String> {
    let text = text.trim();
    HttpsUrl::parse(text).map(|_| text.to_owned())
}

/// The https address of a repository, however npm lets it be written.
pub(super) fn repository(text: &str) -> Option<String> {
    const HOSTS: &[(&str, &str)] =
        &[("github:", "github.com"), ("gitlab:", "gitlab.com"), ("bitbucket:", "bitbucket.org")];
    let text = text.trim().trim_start_matches("git+");
    let short = HOSTS.iter().find_map(|(start, host)| Some((text.strip_prefix(start)?, *host)));
    let is_plain = |part: &str| part.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_pair = !text.contains(':') && text.split('/').count() == 2 && text.split('/').all(is_plain);
    let rest = if let Some((path, host)) = short {
        format!("{host}/{path}")
    } else if is_pair {
        format!("github.com/{text}")
    } else if let Some(place) = text.strip_prefix("git@") {
        place.replacen(':', "/", 1)
    } else {
        let (scheme, place) = text.split_once("://")?;
        let place = place.strip_prefix("git@").unwrap_or(place);
        matches!(scheme, "https" | "git" | "ssh" | "http").then(|| place.to_owned())?
    };
    let plain = rest.split('#').next()?.trim_end_matches('/');
    address(&format!("https://{}", plain.strip_suffix(".git").unwrap_or(plain)))
}

pub(super) fn subfolder(text: &str) -> Option<String> {
    let text = text.trim_start_matches("./").trim_end_matches('/');
    PackagePath::parse(text).map(|_| text.to_owned())
}

/// A path or a relative address, from the folder of its manifest: one that leads out of the folder is nothing.
pub(super) fn path_from(folder: &str, text: &str) -> Option<String> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text = text.trim_start_matches("./").trim_start_matches('/');
    let text = if text.is_empty() || text == "." { "index.html" } else { text };
    let whole = format!("{folder}{text}{}", if text.ends_with('/') { "index.html" } else { "" });
    PackagePath::parse(&whole).map(|_| whole)
}

/// A text on one line, with single blanks.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of at most so many characters, cut behind a word, with a mark where it was cut.
fn cut(text: &str, most: usize, mark: &str) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - mark.chars().count()).collect();
    let whole = start.rsplit_once(' ').map_or(start.as_str(), |(words, _)| words);
    format!("{}{mark}", whole.trim_end_matches([' ', ',', ';', ':', '-', '–', '—', '(']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_completed_and_never_shortened() {
        let cases = [
            ("1.2", Some("1.2.0")),
            ("1", Some("1.0.0")),
            ("v1.2.3", Some("1.2.3")),
            ("1.2.3-beta.1", Some("1.2.3-beta.1")),
        ];
        for (given, expected) in cases {
            assert_eq!(version(given).as_deref(), expected, "{given}");
        }
        for given in ["1.2.3.4", "01.2", "latest", "^1.2.0", "", "1.2.x", "1..2"] {
            assert_eq!(version(given), None, "{given}");
        }
    }

    #[test]
    fn a_path_out_of_the_folder_is_nothing() {
        for text in [
            "../icon.png",
            "a/../../icon.png",
            "https://acme.dev/icon.png",
            "data:image/png;base64,AA",
            "a\\b",
            "//acme.dev/i.png/../x",
        ] {
            assert_eq!(path_from("", text), None, "{text}");
        }
        assert_eq!(path_from("dist/", "./a.html?x#y").as_deref(), Some("dist/a.html"));
        assert_eq!(path_from("public/", "/").as_deref(), Some("public/index.html"));
    }

    #[test]
    fn a_repository_has_one_https_spelling() {
        for text in [
            "acme/board",
            "github:acme/board",
            "git+https://github.com/acme/board.git",
            "git://github.com/acme/board.git",
            "git@github.com:acme/board.git",
            "git+ssh://git@github.com/acme/board.git#main",
            "https://github.com/acme/board/",
        ] {
            assert_eq!(repository(text).as_deref(), Some("https://github.com/acme/board"), "{text}");
        }
        for text in ["file:///etc/passwd", "https://user:pw@acme.dev/x", "svn://acme.dev/x", "../board"] {
            assert_eq!(repository(text), None, "{text}");
        }
    }

    #[test]
    fn long_texts_are_cut_behind_a_word() {
        let text = summary(&"word ".repeat(60)).unwrap();
        assert!(text.ends_with("word…") && text.chars().count() <= 132, "{text}");
        assert_eq!(name(&"é".repeat(60)).unwrap().chars().count(), 45);
    }
}
