//! P: what a package asks for.

use std::collections::BTreeSet;

use crate::{
    manifest::{
        scalars::CspSource,
        vocabulary::{DataCollection, Isolation, Permission},
    },
    package::fact_table::{DYNAMIC_CODE, REMOTE_CODE},
    rules::{
        family::rules,
        package::{Package, Sink},
    },
    scalar::url::Origin,
};

rules! {
    P001 Error, Manifest, "unknown permission" {
        why: "Nobody can judge a permission that does not exist.",
        fix: "Use a permission of the list; `svc schema app-manifest` has it.",
        fires: Manifest(r#"{ "permissions": [{ "permission": "storage.locl", "purpose": "Keeps your places." }], "network": { "allow": [] } }"#),
        passes: Manifest(r#"{ "permissions": [{ "permission": "storage.local", "purpose": "Keeps your places." }], "network": { "allow": [] } }"#),
        parameters: { "words": Words(Permission::WORDS) },
    }
    P002 Error, Manifest, "no purpose" {
        why: "People decide by the reason, not by the name of a permission.",
        fix: "Say in one line why the package needs it.",
        fires: Manifest(r#"{ "network": { "purpose": null } }"#),
        passes: Manifest(r#"{ "network": { "purpose": "The service receives the name of each place." } }"#),
        parameters: { "length": Number(300) },
        check: network_without_purpose,
    }
    P003 Warning, Manifest, "a weak purpose" {
        why: "A purpose of a few letters, or the same one twice, explains nothing.",
        fix: "Say what the user gets from it, in a sentence of its own.",
        fires: Manifest(r#"{ "network": { "purpose": "Weather." } }"#),
        passes: Manifest(r#"{ "network": { "purpose": "The service receives the name of each place." } }"#),
        parameters: { "length": Number(12) },
        check: weak_purpose,
    }
    P004 Error, Manifest, "a permission asked for twice" {
        why: "Two purposes for one permission leave it open which holds.",
        fix: "Keep one of the two.",
        fires: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "network.fetch", "purpose": "Reads warnings." }] }"#),
        passes: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "storage.local", "purpose": "Keeps your places." }] }"#),
        check: permission_twice,
    }
    P005 Error, Manifest, "not an origin that a package may talk to" {
        why: "Any host, plain http, addresses by number and local names cannot be reviewed.",
        fix: "Name the https origins one by one, such as `https://api.acme.dev`.",
        fires: Manifest(r#"{ "network": { "allow": ["http://api.acme.dev"] } }"#),
        passes: Manifest(r#"{ "network": { "allow": ["https://api.acme.dev"] } }"#),
    }
    P006 Error, Manifest, "network, content security policy and permissions disagree" {
        why: "What is asked for in one place must be asked for in all, or the review looks at the wrong one.",
        fix: "List each origin in `network.allow`, ask for `network.fetch`, and use no other origin in `entry.csp`.",
        fires: Manifest(r#"{ "entry": { "csp": { "connect-src": ["https://cdn.acme.dev"] } } }"#),
        passes: Manifest(r#"{ "entry": { "csp": { "connect-src": ["https://api.acme.dev"] } } }"#),
        check: network_disagrees,
    }
    P007 Warning, Manifest, "every sub-domain is allowed" {
        why: "Names below a domain are often given to strangers.",
        fix: "Name the hosts one by one.",
        fires: Manifest(r#"{ "network": { "allow": ["https://*.acme.dev"] } }"#),
        passes: Manifest(r#"{ "network": { "allow": ["https://api.acme.dev"] } }"#),
        check: wildcard_origin,
    }
    P008 Error, Manifest, "a content security policy that allows anything" {
        why: "Inline and evaluated code, and scripts from elsewhere, run without having been reviewed.",
        fix: "Put the code into files of the package and remove the source from the policy.",
        fires: Manifest(r#"{ "entry": { "csp": { "script-src": ["'unsafe-inline'"] } } }"#),
        passes: Manifest(r#"{ "entry": { "csp": { "script-src": ["'self'"] } } }"#),
        parameters: {
            "code-directives": Words(CODE_DIRECTIVES),
            "media-directives": Words(MEDIA_DIRECTIVES),
            "media-sources": Words(MEDIA_SOURCES),
            "sources": Words(LOOSE_SOURCES),
        },
        check: loose_csp,
    }
    P009 Error, Manifest, "an isolation other than sandboxed-frame" {
        why: "Only a renderer in a frame of its own can one day be isolated.",
        fix: "Write `\"isolation\": \"sandboxed-frame\"`.",
        fires: Manifest(r#"{ "entry": { "isolation": "none" } }"#),
        passes: Manifest(r#"{ "entry": { "isolation": "sandboxed-frame" } }"#),
        parameters: { "words": Words(Isolation::WORDS) },
    }
    P010 Error, Manifest, "data collection is not said" {
        why: "An unknown word says nothing, and `none` beside others says two things.",
        fix: "List what is collected, or `none` alone.",
        fires: Manifest(r#"{ "dataCollection": ["none", "usage"] }"#),
        passes: Manifest(r#"{ "dataCollection": ["none"] }"#),
        parameters: { "words": Words(DataCollection::WORDS) },
        check: contradictory_collection,
    }
    P011 Warning, Manifest, "data is collected without a privacy policy" {
        why: "People want to know what happens to it.",
        fix: "Add `privacyPolicy` with an address.",
        fires: Manifest(r#"{ "privacyPolicy": null }"#),
        passes: Manifest(r#"{ "privacyPolicy": null, "dataCollection": ["none"] }"#),
        check: no_privacy_policy,
    }
    P012 Warning, Facts, "code that is made or fetched at run time" {
        why: "What is made or fetched at run time was not part of what is reviewed.",
        fix: "Put the code into files of the package.",
        fires: Files("app.js: eval(answer);"),
        passes: Files("app.js: retrieval(answer);"),
        parameters: { "facts": Words(&[DYNAMIC_CODE, REMOTE_CODE]) },
        check: dynamic_code,
    }
}

/// Sources of a policy that let in what was not reviewed.
const LOOSE_SOURCES: &[&str] = &[
    "'unsafe-inline'",
    "'unsafe-eval'",
    "'unsafe-hashes'",
    "'strict-dynamic'",
    "'wasm-unsafe-eval'",
    "data:",
    "blob:",
    "*",
    "http:",
    "https:",
];

/// Directives whose sources run as code.
const CODE_DIRECTIVES: &[&str] = &["default-src", "script-src", "worker-src", "object-src", "frame-src"];

/// Directives and sources that show pictures, letters and sounds which the code made.
const MEDIA_DIRECTIVES: &[&str] = &["img-src", "font-src", "media-src"];
const MEDIA_SOURCES: &[&str] = &["data:", "blob:"];

fn network_without_purpose(package: &Package<'_>, sink: &mut Sink<'_>) {
    let talks = package.list("/network/allow").next().is_some();
    if talks && package.at("/network/purpose").is_none() {
        sink.report("/network/purpose", "origins are allowed, but nothing says why");
    }
}

fn weak_purpose(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut seen = BTreeSet::new();
    let mut places: Vec<String> =
        package.list("/permissions").map(|(pointer, _)| pointer.join("purpose").to_string()).collect();
    places.push("/network/purpose".to_owned());
    for place in places {
        let Some(purpose) = package.text(&place) else { continue };
        let length = purpose.chars().count();
        if length < 12 {
            sink.report(place, format!("the purpose has {length} characters; 12 are the least"));
        } else if !seen.insert(purpose.to_lowercase()) {
            sink.report(place, "the purpose is the same as one above");
        }
    }
}

fn permission_twice(package: &Package<'_>, sink: &mut Sink<'_>) {
    let mut seen = BTreeSet::new();
    for (pointer, node) in package.list("/permissions") {
        let place = pointer.join("permission");
        let Some(permission) = node.get("permission").and_then(|node| node.as_str()) else { continue };
        if Permission::parse(permission).is_some() && !seen.insert(permission) {
            sink.report(place, format!("`{permission}` is asked for above"));
        }
    }
}

fn network_disagrees(package: &Package<'_>, sink: &mut Sink<'_>) {
    let allowed: BTreeSet<&str> = package.list("/network/allow").filter_map(|(_, node)| node.as_str()).collect();
    let fetches = package
        .list("/permissions")
        .any(|(_, node)| node.get("permission").and_then(|node| node.as_str()) == Some("network.fetch"));
    if !allowed.is_empty() && !fetches {
        sink.report("/network/allow", "origins are allowed, but `network.fetch` is not asked for");
    }
    if allowed.is_empty() && fetches {
        sink.report("/network/allow", "`network.fetch` is asked for, but no origin is allowed");
    }
    for (place, source) in csp_sources(package) {
        if names_host(source) && !allowed.contains(source) {
            sink.report(place, format!("`{source}` is not in `network.allow`"));
        }
    }
}

fn wildcard_origin(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (pointer, node) in package.list("/network/allow") {
        if node.as_str().and_then(Origin::parse).is_some_and(|origin| origin.is_wildcard()) {
            sink.report(pointer, "the package may talk to every sub-domain of this name");
        }
    }
}

fn loose_csp(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (place, source) in csp_sources(package) {
        let directive = place.split('/').nth(3).unwrap_or_default();
        let media = MEDIA_DIRECTIVES.contains(&directive) && MEDIA_SOURCES.contains(&source);
        let loose = LOOSE_SOURCES.contains(&source.to_ascii_lowercase().as_str()) || source.ends_with(':');
        if CODE_DIRECTIVES.contains(&directive) && names_host(source) {
            sink.report(place, format!("code from `{source}` is not part of the reviewed package"));
        } else if loose && !media {
            sink.report(place, format!("`{source}` lets in what was not reviewed"));
        }
    }
}

/// A text without the form of a source has a finding of its own.
fn is_source(text: &str) -> bool {
    CspSource::parse(text).is_some()
}

/// Whether a source names a host. Words stand in quotes and schemes end with a colon; a browser takes all else for the
/// name of a host, `none` and `localhost:8080` too.
fn names_host(source: &str) -> bool {
    !source.starts_with('\'') && !source.ends_with(':') && source != "*"
}

/// Every source of the policy that has its form, with its pointer.
fn csp_sources<'p>(package: &'p Package<'_>) -> Vec<(String, &'p str)> {
    let directives = package.at("/entry/csp").map(|csp| csp.members()).unwrap_or_default();
    let sources = directives.iter().flat_map(|directive| {
        let elements = directive.value.elements().iter().enumerate();
        elements.map(move |(index, node)| (format!("/entry/csp/{}/{index}", directive.key), node))
    });
    sources.filter_map(|(place, node)| Some((place, node.as_str()?))).filter(|(_, text)| is_source(text)).collect()
}

fn contradictory_collection(package: &Package<'_>, sink: &mut Sink<'_>) {
    let kinds: Vec<&str> = package.list("/dataCollection").filter_map(|(_, node)| node.as_str()).collect();
    if package.at("/dataCollection").is_some_and(|node| node.elements().is_empty()) {
        sink.report("/dataCollection", "the list is empty: write `none` when nothing is collected");
    }
    if kinds.contains(&"none") && kinds.len() > 1 {
        sink.report("/dataCollection", "`none` stands beside other words");
    }
}

fn no_privacy_policy(package: &Package<'_>, sink: &mut Sink<'_>) {
    let collects = package.list("/dataCollection").any(|(_, node)| node.as_str().is_some_and(|kind| kind != "none"));
    if collects && package.at("/privacyPolicy").is_none() {
        sink.report("/privacyPolicy", "data is collected and no privacy policy is named");
    }
}

fn dynamic_code(package: &Package<'_>, sink: &mut Sink<'_>) {
    sink.report_facts(package, &[DYNAMIC_CODE, REMOTE_CODE]);
}
