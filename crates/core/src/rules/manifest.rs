//! M: the manifest. Most rules live in the types of its members; the checks here look at several members at once.

use std::collections::BTreeSet;

use crate::{
    finding::Finding,
    fix::SuggestedFix,
    manifest::{
        namespace,
        scalars::parse_range,
        vocabulary::{CATEGORIES, ExceptedRule, RESERVED_PREFIXES},
    },
    rules::{
        family::rules,
        package::{Package, Sink},
        settings::contradictory_settings,
    },
    scalar::{ident::PackageId, subject::Subject, url::HttpsUrl},
    words::{limits, rule::Rule, suggest},
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
        fires: Manifest(r#"{ "id": "system.acme.weather-board", "publisher": { "url": "https://acme.system" } }"#),
        passes: Manifest(r#"{ "id": "host.acme.weather-board", "publisher": { "url": "https://acme.host" } }"#),
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
    M017 Warning, Manifest, "text or a name that a template left" {
        why: "What is left over from a template tells people nothing, and its names belong to nobody.",
        fix: "Say what the package does, and use names of yours.",
        fires: Manifest(r#"{ "summary": "TODO: say what it does." }"#),
        passes: Manifest(r#"{ "name": "TODO", "summary": "Keeps the todo list of your team." }"#),
        parameters: {
            "ids": Words(SCAFFOLD_IDS),
            "publishers": Words(SCAFFOLD_PUBLISHERS),
            "summaries": Words(SCAFFOLD_SUMMARIES),
            "words": Words(PLACEHOLDERS),
        },
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
    M022 Blocker, Manifest, "unknown category, one twice, or more than three" {
        why: "People find packages by a short list of categories.",
        fix: "Use one to three words of the list; `svc explain M022` shows it.",
        fires: Manifest(r#"{ "categories": ["weather"] }"#),
        passes: Manifest(r#"{ "categories": ["utilities"] }"#),
        parameters: { "most": Number(MOST_CATEGORIES as u64), "words": Words(CATEGORIES) },
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
    M030 Error, Manifest, "an exception for a rule that allows none, or too many" {
        why: "Private keys, live tokens and code from elsewhere, paths and digests are beyond every exception.",
        fix: "Remove the row and correct what the rule found.",
        fires: Manifest(r#"{ "exceptions": [{ "path": "app.js", "reason": "Old browsers need it.", "rule": "all" }] }"#),
        passes: Manifest(r#"{ "exceptions": [] }"#),
        parameters: { "rows": Number(limits::EXCEPTIONS as u64), "words": Words(ExceptedRule::WORDS) },
        check: many_exceptions,
    }
    M031 Warning, Facts, "an exception that speaks of nothing" {
        why: "Whoever reads it looks for something that is not there.",
        fix: "Remove the row, or correct its `rule` and `path`.",
        fires: Manifest(r#"{ "exceptions": [{ "path": "index.html", "reason": "Old browsers need it.", "rule": "SVC-P012" }] }"#),
        passes: Manifest(r#"{ "exceptions": [] }"#),
    }
    M032 Error, Manifest, "a setting contradicts itself or another one" {
        why: "A host shows settings as they are declared: what does not fit together cannot be shown, or loses what a user chose.",
        fix: "Give each setting its own `key`. List `choices` for the type `choice` alone, each once, with the `default` among them. The default of a toggle is `true` or `false`; a secret has none.",
        fires: Manifest(r#"{ "configuration": [{ "choices": ["metric", "imperial"], "default": "kelvin", "key": "units", "title": "Units", "type": "choice" }] }"#),
        passes: Manifest(r#"{ "configuration": [{ "choices": ["metric", "imperial"], "default": "metric", "key": "units", "title": "Units", "type": "choice" }] }"#),
        check: contradictory_settings,
    }
}

/// Marks of unfinished text, as they are written: `todo` is what some packages are about.
const PLACEHOLDERS: &[&str] = &["FIXME", "TODO", "XXX", "todo:"];

/// How the ids start that `svc app init` makes.
const SCAFFOLD_IDS: &[&str] = &["dev.example."];

/// The publisher that it names.
const SCAFFOLD_PUBLISHERS: &[&str] = &["example"];

/// How its summaries end.
const SCAFFOLD_SUMMARIES: &[&str] = &[" shows a greeting in the space's sidebar."];

fn no_schema(package: &Package<'_>, sink: &mut Sink<'_>) {
    if package.at("/$schema").is_none() {
        sink.report("/$schema", "the manifest names no `$schema`");
    }
}

fn reserved_id(package: &Package<'_>, sink: &mut Sink<'_>) {
    let Some(id) = package.text("/id") else { return };
    let prefixes = sink.rule.words("prefixes");
    if let Some(prefix) = prefixes.iter().find(|prefix| id.starts_with(**prefix)) {
        sink.report("/id", format!("ids that start with `{prefix}` are reserved"));
        return;
    }
    let id = lookalike(sink.rule, id);
    if let Some(prefix) = prefixes.iter().find(|prefix| id.starts_with(&lookalike(sink.rule, prefix))) {
        sink.report("/id", format!("the id looks like one that starts with `{prefix}`, which is reserved"));
    }
}

/// Characters that people take for one another: the first for the second.
const ALIKE: &[&str] = &["0o", "1i", "li", "3e", "5s", "uv"];

/// Two letters side by side that look like the third.
const TOGETHER: &[&str] = &["rnm", "vvw"];

/// Characters that people take for one another become one.
fn lookalike(rule: &Rule, text: &str) -> String {
    let fold = |character: char| {
        let alike = rule.words("alike").iter().find(|pair| pair.starts_with(character));
        alike.and_then(|pair| pair.chars().next_back()).unwrap_or(character)
    };
    let mut looks = String::with_capacity(text.len());
    for character in text.chars().filter(|character| *character != '-').map(fold) {
        let before = looks.chars().next_back();
        let together = rule.words("together").iter().find_map(|letters| {
            let mut letters = letters.chars();
            (letters.next() == before && letters.next() == Some(character)).then(|| letters.next()).flatten()
        });
        if together.is_some() {
            looks.pop();
        }
        looks.push(together.unwrap_or(character));
    }
    looks
}

fn placeholder(package: &Package<'_>, sink: &mut Sink<'_>) {
    let [ids, publishers, summaries, marks] =
        ["ids", "publishers", "summaries", "words"].map(|name| sink.rule.words(name));
    if package.text("/id").is_some_and(|id| ids.iter().any(|start| id.starts_with(start))) {
        sink.report("/id", "the id is still the one that `svc app init` made");
    }
    if package.text("/publisher/id").is_some_and(|id| publishers.contains(&id)) {
        sink.report("/publisher/id", "the publisher is still the one that `svc app init` named");
    }
    if package.text("/summary").is_some_and(|text| summaries.iter().any(|end| text.ends_with(end))) {
        sink.report("/summary", "the summary is still the one that `svc app init` wrote");
    }
    for pointer in ["/summary", "/description"] {
        let text = package.text(pointer).unwrap_or_default();
        if let Some(word) = marks.iter().find(|word| has_word(text, word)) {
            sink.report_about(pointer, "unfinished", format!("`{word}` marks text that is not finished"));
        }
    }
}

/// Whether a text has a word that is not part of a longer one. Behind a word that ends with a mark anything may stand.
fn has_word(text: &str, word: &str) -> bool {
    let is_marked = word.ends_with(':');
    let is_apart = |beside: Option<char>| !beside.is_some_and(char::is_alphanumeric);
    let mut before = None;
    text.char_indices().any(|(at, character)| {
        let starts = is_apart(before.replace(character));
        let after = || text.get(at..).and_then(|rest| rest.strip_prefix(word));
        starts && after().is_some_and(|after| is_marked || is_apart(after.chars().next()))
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

/// How many categories a package may have.
const MOST_CATEGORIES: usize = 3;

fn categories(package: &Package<'_>, sink: &mut Sink<'_>) {
    let (most, words) = (sink.rule.number("most"), sink.rule.words("words"));
    let mut seen = BTreeSet::new();
    for (index, (pointer, node)) in package.list("/categories").enumerate() {
        let Some(category) = node.as_str() else { continue };
        if !seen.insert(category) {
            let finding = Finding::new(sink.rule, format!("`{category}` stands in the list twice"));
            let finding = finding
                .help("Remove one of the two.")
                .with_fix(SuggestedFix::RemoveElement)
                .about(Subject::word("twice"));
            sink.report_finding(finding.at(pointer));
            continue;
        }
        if seen.len() as u64 == most + 1 {
            sink.report_about(pointer.clone(), "too-many", "the list has more than three categories");
        }
        if words.contains(&category) {
            continue;
        }
        // Whoever has more wrong words than these did not misspell them.
        let meant = (index < 20).then(|| suggest::closest(category, words)).flatten();
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

fn many_exceptions(package: &Package<'_>, sink: &mut Sink<'_>) {
    let rows = package.at("/exceptions").map_or(0, |rows| rows.elements().len());
    let most = sink.rule.number("rows");
    if rows as u64 > most {
        sink.report("/exceptions", format!("`exceptions` has {rows} rows; {most} are the most"));
    }
}
