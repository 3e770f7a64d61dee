//! M: the manifest. Most rules live in the types of its members; the checks here look at several members at once.

use std::sync::LazyLock;

use crate::{
    manifest::{
        namespace,
        scalars::parse_range,
        vocabulary::{CATEGORIES, RESERVED_PREFIXES},
    },
    rules::{
        family::rules,
        package::{Package, Sink},
    },
    scalar::{ident::PackageId, url::HttpsUrl},
};

rules! {
    M001 Error, Manifest, "a required member is missing" {
        why: "Reviewers and hosts rely on these members being there.",
        fix: "Add the member; `svc schema app-manifest` describes it.",
        fires: Manifest(r#"{ "license": null }"#),
        passes: Manifest(r#"{ "license": "MIT" }"#),
    }
    M002 Error, Manifest, "unknown member" {
        why: "A misspelt member would silently do nothing.",
        fix: "Remove or rename the member; free strings go into `_meta`.",
        fires: Manifest(r#"{ "keyword": ["weather"] }"#),
        passes: Manifest(r#"{ "keywords": ["weather"] }"#),
    }
    M003 Error, Manifest, "a value of the wrong type or form" {
        why: "A value that is not of its type has no meaning.",
        fix: "Write the expected value.",
        fires: Manifest(r#"{ "keywords": "weather" }"#),
        passes: Manifest(r#"{ "keywords": ["weather"] }"#),
    }
    M004 Error, Manifest, "unsupported manifestVersion" {
        why: "Only version 1 of the format is read.",
        fix: "Write `\"manifestVersion\": 1`.",
        fires: Manifest(r#"{ "manifestVersion": 2 }"#),
        passes: Manifest(r#"{ "manifestVersion": 1 }"#),
        parameters: { "version": Number(1) },
    }
    M005 Warning, Manifest, "no $schema" {
        why: "With it editors complete and check the manifest while you type.",
        fix: "Add `$schema` with the path of a file that `svc schema app-manifest` printed.",
        fires: Manifest(r#"{ "$schema": null }"#),
        passes: Manifest(r#"{ "$schema": ".svc/app-manifest.schema.json" }"#),
        check: no_schema,
    }
    M010 Error, Manifest, "the id is not a reverse DNS name" {
        why: "The id carries the namespace that the publisher must one day prove to control.",
        fix: "Write lowercase parts with dots between them, such as `dev.acme.weather-board`. Single hyphens only: the \
              encoded form of a domain in other scripts (`xn--`) is refused, because two of them can look the same; use \
              another domain of yours.",
        fires: Manifest(r#"{ "id": "weather-board" }"#),
        passes: Manifest(r#"{ "id": "dev.acme.weather-board" }"#),
        parameters: { "length": Number(128), "parts-least": Number(3), "parts-most": Number(10) },
    }
    M011 Error, Manifest, "the version is not a semantic version" {
        why: "Order and compatibility of versions follow from SemVer 2.0.0.",
        fix: "Write MAJOR.MINOR.PATCH, such as `1.2.0`.",
        fires: Manifest(r#"{ "version": "1.2" }"#),
        passes: Manifest(r#"{ "version": "1.2.0-beta.1" }"#),
    }
    M012 Error, Manifest, "a range or a tag in place of a version" {
        why: "A package is one version; a range or `latest` names many.",
        fix: "Write the one version, such as `1.2.0`.",
        fires: Manifest(r#"{ "version": "^1.2.0" }"#),
        passes: Manifest(r#"{ "version": "1.2.0" }"#),
    }
    M013 Error, Manifest, "the id is reserved" {
        why: "These names belong to hosts and registries; a package under them would look like a part of the system.",
        fix: "Use a name below a domain of yours.",
        fires: Manifest(r#"{ "id": "host.acme.weather-board", "publisher": { "url": "https://acme.host" } }"#),
        passes: Manifest(r#"{ "id": "dev.acme.host" }"#),
        parameters: { "alike": Words(ALIKE), "prefixes": Words(RESERVED_PREFIXES), "together": Words(TOGETHER) },
        check: reserved_id,
    }
    M014 Error, Manifest, "a name that is empty, too long, not one line or without a letter" {
        why: "Names are shown in narrow places beside others, and people have to be able to read them.",
        fix: "Write one line with a letter or digit: 45 characters for the package, 100 for the publisher.",
        fires: Manifest(r#"{ "name": "" }"#),
        passes: Manifest(r#"{ "name": "Weather Board" }"#),
        parameters: { "length": Number(45), "publisher-length": Number(100) },
    }
    M016 Error, Manifest, "a summary that is empty, too long or not one line" {
        why: "The summary is the one sentence that people read.",
        fix: "Write one sentence of at most 132 characters.",
        fires: Manifest(r#"{ "summary": "Shows\nthe weather." }"#),
        passes: Manifest(r#"{ "summary": "Shows the weather." }"#),
        parameters: { "length": Number(132) },
    }
    M017 Warning, Manifest, "placeholder text" {
        why: "Text left over from a template tells people nothing.",
        fix: "Say what the package does.",
        fires: Manifest(r#"{ "summary": "TODO: say what it does." }"#),
        passes: Manifest(r#"{ "summary": "Keeps a to-do list for your team." }"#),
        parameters: { "words": Words(PLACEHOLDERS) },
        check: placeholder,
    }
    M018 Error, Manifest, "the licence is not an SPDX expression" {
        why: "Reviewers and tools must be able to read the terms.",
        fix: "Write an SPDX expression, such as `MIT` or `MIT OR Apache-2.0`.",
        fires: Manifest(r#"{ "license": "Apache 2" }"#),
        passes: Manifest(r#"{ "license": "MIT OR Apache-2.0" }"#),
    }
    M020 Error, Manifest, "engines.host is not a range" {
        why: "Hosts decide by it whether they can run the package.",
        fix: "Write a range, such as `>=3.2.0 <4.0.0`.",
        fires: Manifest(r#"{ "engines": { "host": "three" } }"#),
        passes: Manifest(r#"{ "engines": { "host": "^3.2.0" } }"#),
    }
    M021 Warning, Manifest, "engines.host has no upper bound" {
        why: "The next major version of a host may break the package.",
        fix: "Add an upper bound, such as `<4.0.0`.",
        fires: Manifest(r#"{ "engines": { "host": ">=3.2.0" } }"#),
        passes: Manifest(r#"{ "engines": { "host": ">=3.2.0 <4.0.0" } }"#),
        check: unbounded_range,
    }
    M022 Blocker, Manifest, "unknown category, or more than three" {
        why: "People find packages by a short list of categories.",
        fix: "Use one to three words of the list; `svc explain M022` shows it.",
        fires: Manifest(r#"{ "categories": ["weather"] }"#),
        passes: Manifest(r#"{ "categories": ["utilities"] }"#),
        parameters: { "most": Number(3), "words": Words(CATEGORIES) },
        check: categories,
    }
    M024 Error, Manifest, "not a public https address" {
        why: "Addresses are shown to people and fetched by tools: no plain http, credentials, addresses by number or local names.",
        fix: "Write an https address with a public host name.",
        fires: Manifest(r#"{ "support": { "url": "http://acme.dev/support" } }"#),
        passes: Manifest(r#"{ "support": { "url": "https://acme.dev/support" } }"#),
    }
    M025 Warning, Manifest, "no repository" {
        why: "Reviewers want to see the source.",
        fix: "Add `repository` with the address of the source.",
        fires: Manifest(r#"{ "repository": null }"#),
        passes: Manifest(r#"{ "repository": { "url": "https://github.com/acme/weather-board" } }"#),
        check: no_repository,
    }
    M026 Warning, Manifest, "no support address" {
        why: "People who use the package need a place to ask.",
        fix: "Add `support` with an address.",
        fires: Manifest(r#"{ "support": null }"#),
        passes: Manifest(r#"{ "support": { "url": "https://acme.dev/support" } }"#),
        check: no_support,
    }
    M027 Error, Manifest, "the publisher's id does not have its form" {
        why: "The id is part of names and addresses.",
        fix: "Use lowercase letters, digits and single hyphens, 64 at most.",
        fires: Manifest(r#"{ "publisher": { "id": "Acme Ltd" } }"#),
        passes: Manifest(r#"{ "publisher": { "id": "acme", "name": "Acme Ltd" } }"#),
        parameters: { "length": Number(64) },
    }
    M029 Warning, Manifest, "no proof of the publisher could be looked up" {
        why: "Who controls the publisher's domain can one day prove it, when the package's id lies below that domain, turned round.",
        fix: "Name a domain of yours in `publisher.url`, and start the id with it turned round: `https://acme.dev` goes with `dev.acme.weather-board`.",
        fires: Manifest(r#"{ "publisher": { "id": "acme", "url": "https://acme.com" } }"#),
        passes: Manifest(r#"{ "publisher": { "id": "acme", "url": "https://www.acme.dev" } }"#),
        check: no_proof_host,
    }
}

/// Words of templates, in lowercase.
const PLACEHOLDERS: &[&str] = &["todo", "fixme", "tbd", "lorem ipsum", "your description here", "my app", "sample app"];

fn no_schema(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/$schema").is_none() {
        sink.report("/$schema", "the manifest names no `$schema`");
    }
}

fn reserved_id(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(id) = package.text("/id") else { return };
    if let Some(prefix) = RESERVED_PREFIXES.iter().find(|prefix| id.starts_with(**prefix)) {
        sink.report("/id", format!("ids that start with `{prefix}` are reserved"));
        return;
    }
    static LOOKALIKES: LazyLock<Vec<(&str, String)>> =
        LazyLock::new(|| RESERVED_PREFIXES.iter().map(|prefix| (*prefix, lookalike(prefix))).collect());
    let id = lookalike(id);
    if let Some((prefix, _)) = LOOKALIKES.iter().find(|(_, looks)| id.starts_with(looks)) {
        sink.report("/id", format!("the id looks like one that starts with `{prefix}`, which is reserved"));
    }
}

/// Characters that people take for one another: the first for the second.
const ALIKE: &[&str] = &["0o", "1i", "li", "3e", "5s", "uv"];

/// Two letters side by side that look like the third.
const TOGETHER: &[&str] = &["rnm", "vvw"];

/// Characters that people take for one another become one.
fn lookalike(text: &str) -> String {
    let fold = |character: char| {
        let alike = ALIKE.iter().find(|pair| pair.starts_with(character));
        alike.and_then(|pair| pair.chars().next_back()).unwrap_or(character)
    };
    let mut looks = String::with_capacity(text.len());
    for character in text.chars().filter(|character| *character != '-').map(fold) {
        let before = looks.chars().next_back();
        let together = TOGETHER.iter().find_map(|letters| match letters.chars().collect::<Vec<_>>().as_slice() {
            [first, second, looks] if before == Some(*first) && character == *second => Some(*looks),
            _ => None,
        });
        if together.is_some() {
            looks.pop();
        }
        looks.push(together.unwrap_or(character));
    }
    looks
}

fn placeholder(package: &Package<'_>, sink: &mut Sink<'_>) {
    for pointer in ["/name", "/shortName", "/summary", "/description"] {
        let text = package.text(pointer).unwrap_or_default().to_lowercase();
        if let Some(word) = PLACEHOLDERS.iter().find(|word| has_word(&text, word)) {
            sink.report(pointer, format!("`{word}` looks like text from a template"));
        }
    }
}

/// Whether a text has a word that is not part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_apart = |beside: Option<char>| !beside.is_some_and(char::is_alphanumeric);
    let mut before = None;
    text.char_indices().any(|(at, character)| {
        let starts = is_apart(before.replace(character));
        let after = || text.get(at..).and_then(|rest| rest.strip_prefix(word));
        starts && after().is_some_and(|after| is_apart(after.chars().next()))
    })
}

fn unbounded_range(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(range) = package.text("/engines/host").and_then(parse_range) else { return };
    let bounded = range
        .comparators
        .iter()
        .any(|comparator| !matches!(comparator.op, semver::Op::Greater | semver::Op::GreaterEq));
    if !bounded {
        sink.report("/engines/host", "every later host is in the range, also those that do not exist yet");
    }
}

fn categories(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (index, (pointer, node)) in package.list("/categories").enumerate() {
        let Some(category) = node.as_str() else { continue };
        if index == 3 {
            sink.report_about(pointer.clone(), "too-many", "the list has more than three categories");
        }
        if CATEGORIES.contains(&category) {
            continue;
        }
        // Whoever has more wrong words than these did not misspell them.
        let meant = (index < 20).then(|| crate::words::suggest::closest(category, CATEGORIES)).flatten();
        match meant {
            Some(word) => sink.report_misspelt(pointer, format!("`{category}` is no category"), word),
            None => sink.report(pointer, format!("`{category}` is no category")),
        }
    }
}

fn no_repository(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/repository").is_none() {
        sink.report("/repository", "the manifest names no repository");
    }
}

fn no_support(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/support").is_none() {
        sink.report("/support", "the manifest names no support address");
    }
}

fn no_proof_host(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(id) = package.text("/id").and_then(PackageId::parse) else { return };
    if package.at("/publisher/url").is_none() {
        return sink.report("/publisher/url", "the publisher has no address, so no domain can speak for the id");
    }
    // An address without its form has a finding of its own.
    let url = package.text("/publisher/url").and_then(HttpsUrl::parse);
    if url.is_some_and(|url| namespace::proof_host(id.as_str(), url.as_str()).is_none()) {
        sink.report("/publisher/url", "the id does not lie below the domain of this address");
    }
}
