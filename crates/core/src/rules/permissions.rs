//! P: what a package asks for.

use std::{collections::BTreeSet, sync::Arc};

use svc_json::{pointer::Pointer, tree::Node};

use crate::{
    finding::Finding,
    manifest::vocabulary::{DataCollection, Isolation, Permission},
    package::fact_table::{COMPUTED, CONTACT, DYNAMIC_CODE, INLINE, POWER, REMOTE_CODE},
    rules::{
        csp::{self, HostSource},
        declared::{self, computed_contact, contact, power, stopped_by_policy, unused},
        family::rules,
        package::{Package, Sink},
    },
    scalar::url::Origin,
    words::{rule::Rule, rule_code::RuleCode, suggest},
};

rules! {
    P001 Error, Manifest, "unknown permission" {
        why: "Nobody can judge a permission that does not exist.",
        fix: "Use a permission of the list; `svc schema app-manifest` has it.",
        fires: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "space.reed", "purpose": "Reads your places." }] }"#),
        passes: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "space.read", "purpose": "Reads your places." }] }"#),
        parameters: { "words": Words(Permission::WORDS) },
    }
    P002 Error, Manifest, "no purpose or reason" {
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
        passes: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "space.read", "purpose": "Reads your places." }] }"#),
        check: permission_twice,
    }
    P005 Error, Manifest, "not an origin that a package may talk to" {
        why: "Any host, plain http, addresses by number and local names cannot be reviewed.",
        fix: "Name the https origins one by one, such as `https://api.acme.dev`.",
        fires: Manifest(r#"{ "network": { "allow": ["https://api.acme.dev", "http://api.acme.dev"] } }"#),
        passes: Manifest(r#"{ "network": { "allow": ["https://api.acme.dev"] } }"#),
    }
    P006 Error, Manifest, "network, content security policy and permissions disagree" {
        why: "What is asked for in one place must be asked for in all, or the review looks at the wrong one.",
        fix: "List each origin in `network.allow`, ask for `network.fetch`, and let `entry.csp` name these origins or parts of them.",
        fires: Manifest(r#"{ "entry": { "csp": { "connect-src": ["https://cdn.acme.dev"] } } }"#),
        passes: Manifest(r#"{ "entry": { "csp": { "connect-src": ["https://api.acme.dev"] } } }"#),
        parameters: { "fetch-directives": Words(FETCH_DIRECTIVES) },
        check: network_disagrees,
    }
    P007 Warning, Manifest, "every sub-domain is allowed" {
        why: "Names below a domain are often given to strangers.",
        fix: "Name the hosts one by one.",
        fires: Manifest(r#"{ "network": { "allow": ["https://*.acme.dev"] } }"#),
        passes: Manifest(r#"{ "network": { "allow": ["https://api.acme.dev"] } }"#),
        check: wildcard_origin,
    }
    P008 Error, Manifest, "a content security policy that lets in what was not reviewed" {
        why: "Inline and evaluated code, and scripts from elsewhere, run without having been reviewed; a word that browsers do not know guards nothing.",
        fix: "Put the code into files of the package and remove the source from the policy.",
        fires: Manifest(r#"{ "entry": { "csp": { "script-src": ["'unsafe-inline'"] } } }"#),
        passes: Manifest(r#"{ "entry": { "csp": { "script-src": ["'self'"] } } }"#),
        parameters: {
            "code-directives": Words(CODE_DIRECTIVES),
            "digests": Words(csp::DIGESTS),
            "doubtful": Words(DOUBTFUL_SOURCES),
            "keywords": Words(csp::KEYWORDS),
            "media-directives": Words(MEDIA_DIRECTIVES),
            "media-sources": Words(MEDIA_SOURCES),
            "nonce": Words(&[csp::NONCE]),
            "sources": Words(LOOSE_SOURCES),
        },
        check: loose_csp,
    }
    P009 Error, Manifest, "no isolation, or one other than sandboxed-frame" {
        why: "Only a renderer in a frame of its own can one day be isolated.",
        fix: "Write `\"isolation\": \"sandboxed-frame\"`.",
        fires: Manifest(r#"{ "entry": { "isolation": null } }"#),
        passes: Manifest(r#"{ "entry": { "isolation": "sandboxed-frame" } }"#),
        parameters: { "words": Words(Isolation::WORDS) },
    }
    P010 Error, Manifest, "data collection is not said" {
        why: "No list and an unknown word say nothing, and `none` beside others says two things.",
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
        why: "What is made or fetched at run time was not part of what is reviewed, and no policy that a package may have lets it run.",
        fix: "Put the code into files of the package.",
        fires: Files("app.js: eval(answer);"),
        passes: Files("app.js: retrieval(answer);"),
        parameters: { "facts": Words(&[DYNAMIC_CODE, REMOTE_CODE]) },
        check: dynamic_code,
    }
    P013 Blocker, Facts, "contact with an origin that is not allowed" {
        why: "`network.allow` is what people agree to; the code talks to somebody else. Scripts, workers and connections \
              block; pictures, frames, styles and links are warnings.",
        fix: "Add the origin to `network.allow` with its purpose, or remove the contact.",
        fires: Files(r#"app.js: fetch("https://collect.example/v1");"#),
        passes: Files(r#"app.js: fetch("https://api.acme.dev/v1");"#),
        parameters: { "facts": Words(&[CONTACT, REMOTE_CODE]), "strict": Words(declared::STRICT_WAYS) },
        check: contact,
    }
    P014 Blocker, Facts, "a power of the browser without its permission" {
        why: "`permissions` is what people agree to; the code does more. A call that a permission would cover blocks; a \
              mere mention, and a power that no permission covers, are warnings.",
        fix: "Ask for the permission with a purpose, or remove the use.",
        fires: Files(r#"app.js: localStorage.setItem("place", place);"#),
        passes: Files(r#"app.js: const place = new Map(); place.set("a", 1);"#),
        parameters: { "covered": Words(declared::COVERED), "facts": Words(&[POWER]) },
        check: power,
    }
    P015 Warning, Facts, "code that the package's own policy stops" {
        why: "It is reviewed and shipped, and never runs.",
        fix: "Put the code into files of the package.",
        fires: Files("index.html: <!doctype html><script>start();</script>"),
        passes: Files("index.html: <!doctype html><script type=\"application/json\">{}</script>"),
        parameters: { "facts": Words(&[INLINE]), "stopped": Words(declared::STOPPED) },
        check: stopped_by_policy,
    }
    P016 Note, Facts, "asked for and not seen used" {
        why: "What nobody uses nobody has to agree to.",
        fix: "Remove it from the manifest, or leave it when the code that uses it is loaded by the host.",
        fires: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts." }, { "permission": "camera.capture", "purpose": "Reads codes of places." }] }"#),
        passes: Manifest(r#"{ "permissions": [{ "permission": "network.fetch", "purpose": "Reads forecasts for the places you pin." }] }"#),
        parameters: { "covered": Words(declared::COVERED), "facts": Words(&[CONTACT, POWER, REMOTE_CODE]) },
        check: unused,
    }
    P017 Warning, Facts, "contact with an address that is computed" {
        why: "Nobody can tell before it runs whom the code talks to.",
        fix: "Write the origin as a constant, and compute the path after it.",
        fires: Files("app.js: fetch(address);"),
        passes: Files(r#"app.js: fetch("https://api.acme.dev/" + place);"#),
        parameters: { "facts": Words(&[CONTACT, REMOTE_CODE]) },
        check: computed_contact,
    }
}

/// Sources of a policy that let in what was not reviewed.
const LOOSE_SOURCES: &[&str] = &[
    "'unsafe-inline'",
    "'unsafe-eval'",
    "'unsafe-hashes'",
    "'strict-dynamic'",
    "data:",
    "blob:",
    "*",
    "http:",
    "https:",
];

/// Sources that are often needed and hard to review: they are warned of. With a directive in front, in that one alone.
const DOUBTFUL_SOURCES: &[&str] = &["'wasm-unsafe-eval'", "style-src 'unsafe-inline'"];

/// What lets nothing in.
const NONE: &str = "'none'";

/// Directives that say where a package may connect to; the second stands in for the first.
const FETCH_DIRECTIVES: &[&str] = &["connect-src", "default-src"];

/// Directives whose sources run as code.
const CODE_DIRECTIVES: &[&str] = &["default-src", "script-src", "worker-src", "object-src", "frame-src"];

/// Directives and sources that show pictures, letters and sounds which the code made.
const MEDIA_DIRECTIVES: &[&str] = &["img-src", "font-src", "media-src"];
const MEDIA_SOURCES: &[&str] = &["data:", "blob:"];

fn network_without_purpose(package: &Package<'_>, sink: &mut Sink<'_>) {
    let talks = package.list("/network/allow").next().is_some();
    if talks && package.at("/network/purpose").is_none() {
        sink.report("/network/purpose", "the member `purpose` is missing: origins are allowed, but nothing says why");
    }
}

fn weak_purpose(package: &Package<'_>, sink: &mut Sink<'_>) {
    let least = sink.rule.number("length");
    let mut seen = BTreeSet::new();
    let mut places: Vec<String> =
        package.list("/permissions").map(|(pointer, _)| pointer.join("purpose").to_string()).collect();
    places.push("/network/purpose".to_owned());
    for place in places {
        let Some(purpose) = package.text(&place) else { continue };
        let length = purpose.chars().count() as u64;
        if length < least {
            sink.report(place, format!("the purpose has {length} characters; {least} are the least"));
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
    let has_no_origin = package.at("/network/allow").is_some_and(|allow| allow.elements().is_empty());
    let origins: Vec<Allowed> = package.list("/network/allow").filter_map(Allowed::parse).collect();
    let has_list = package.at("/permissions").is_some();
    let fetches = package
        .list("/permissions")
        .any(|(_, node)| node.get("permission").and_then(|node| node.as_str()) == Some("network.fetch"));
    if !origins.is_empty() && has_list && !fetches {
        sink.report("/network/allow", "origins are allowed, but `network.fetch` is not asked for");
    }
    if has_no_origin && fetches {
        sink.report("/network/allow", "`network.fetch` is asked for, but no origin is allowed");
    }
    let sources = csp::sources(package);
    let code_directives = package.rules.row(RuleCode::P008).words("code-directives");
    // A host that would bring code is refused whether it is allowed or not.
    for source in sources.iter().filter(|source| !code_directives.contains(&source.directive)) {
        if let Some(host) = source.host().filter(|host| !origins.iter().any(|origin| host.is_within(&origin.host))) {
            sink.report_finding(not_allowed(sink.rule, source, &host, &origins));
        }
    }
    // A slip in the policy is told alone: what it was meant to let through is not known.
    if has_directive(package, sink.rule.words("fetch-directives")) && !sources.iter().any(csp::Source::is_misspelt) {
        warn_of_shut_origins(&origins, &sources, sink);
    }
}

/// An origin of `network.allow`.
struct Allowed {
    place: Pointer,
    text: String,
    host: HostSource,
}

impl Allowed {
    /// A text without the form of an origin has a finding of its own.
    fn parse((place, node): (Pointer, &Node<'_>)) -> Option<Self> {
        let text = Origin::parse(node.as_str()?)?.as_str().to_owned();
        Some(Self { place, host: HostSource::parse(&text), text })
    }
}

fn not_allowed(rule: &Arc<Rule>, source: &csp::Source<'_>, host: &HostSource, origins: &[Allowed]) -> Finding {
    let text = source.text;
    let place = Pointer::from_text(&source.place);
    if origins.iter().any(|origin| host.lacks_scheme(&origin.host)) {
        let finding = Finding::new(rule, format!("`{text}` has no scheme, so it lets in more than `network.allow`"));
        return finding.at(place).meant(&format!("https://{text}"));
    }
    let is_wider = origins.iter().any(|origin| host.lets_in(&origin.host));
    let fault = if is_wider { "lets in more than `network.allow`" } else { "is not in `network.allow`" };
    with_keyword(Finding::new(rule, format!("`{text}` {fault}")).at(place), source)
}

/// The finding with the word that was probably meant by what a browser takes for a host.
fn with_keyword(finding: Finding, source: &csp::Source<'_>) -> Finding {
    let text = source.text;
    let quoted = format!("'{}'", text.trim_matches('\''));
    match suggest::closest(&quoted, source.keywords()).filter(|_| !text.contains('.')) {
        Some(word) => finding.meant(word),
        None => finding,
    }
}

fn warn_of_shut_origins(origins: &[Allowed], sources: &[csp::Source<'_>], sink: &mut Sink<'_>) {
    let passes = |origin: &Allowed| {
        sources.iter().any(|source| source.is_scheme() || source.host().is_some_and(|host| host.lets_in(&origin.host)))
    };
    for origin in origins.iter().filter(|origin| !passes(origin)) {
        let message = format!("no directive of `entry.csp` lets `{}` through", origin.text);
        let finding = Finding::new(sink.rule, message).at(origin.place.clone());
        let help = "Add the origin to `connect-src`, or remove it from `network.allow`.";
        sink.report_finding(finding.help(help).lightened());
    }
}

fn has_directive(package: &Package<'_>, directives: &[&str]) -> bool {
    let declared = package.at("/entry/csp").map(|csp| csp.members()).unwrap_or_default();
    declared.iter().any(|directive| directives.contains(&directive.key.as_ref()))
}

fn wildcard_origin(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (pointer, node) in package.list("/network/allow") {
        if node.as_str().and_then(Origin::parse).is_some_and(|origin| origin.is_wildcard()) {
            sink.report(pointer, "the package may talk to every sub-domain of this name");
        }
    }
}

fn loose_csp(package: &Package<'_>, sink: &mut Sink<'_>) {
    let doubtful = sink.rule.words("doubtful");
    for source in csp::sources(package) {
        let word = source.word();
        let fault = if source.is_misspelt() {
            Some(misspelt_source(sink.rule, &source))
        } else if doubtful.contains(&format!("{} {word}", source.directive).as_str())
            || doubtful.contains(&word.as_str())
        {
            Some(Finding::new(sink.rule, format!("`{}` lets in what is hard to review", source.text)).lightened())
        } else {
            let fault = source_fault(sink.rule, &source, &word).map(|message| Finding::new(sink.rule, message));
            fault.map(|finding| if source.host().is_some() { with_keyword(finding, &source) } else { finding })
        };
        let place = Pointer::from_text(&source.place);
        if let Some(finding) = fault {
            sink.report_finding(finding.at(place));
        }
    }
}

fn source_fault(rule: &Rule, source: &csp::Source<'_>, word: &str) -> Option<String> {
    let text = source.text;
    let is_media =
        rule.words("media-directives").contains(&source.directive) && rule.words("media-sources").contains(&word);
    if rule.words("nonce").iter().any(|start| word.starts_with(start)) {
        return Some("a nonce in a manifest is the same at every start: whoever reads it can use it".to_owned());
    }
    if word == NONE && !source.is_alone {
        return Some("`'none'` stands beside other sources, so browsers ignore it".to_owned());
    }
    if rule.words("code-directives").contains(&source.directive) && source.host().is_some() {
        return Some(format!("code from `{text}` is not part of the reviewed package"));
    }
    let is_loose = rule.words("sources").contains(&word) || word.ends_with(':');
    (is_loose && !is_media).then(|| format!("`{text}` lets in what was not reviewed"))
}

fn misspelt_source(rule: &Arc<Rule>, source: &csp::Source<'_>) -> Finding {
    let text = source.text;
    let message = match text.strip_prefix('\'') {
        Some(_) => format!("`{text}` is no word of a policy, so browsers ignore it"),
        None => format!("`{text}` without quotes is the name of a host"),
    };
    let help = "Write a word of the list, in single quotes; `svc explain P008` shows it.";
    with_keyword(Finding::new(rule, message).help(help), source)
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
    for (fact, known) in package.facts_of(&[DYNAMIC_CODE, REMOTE_CODE]) {
        let is_address = fact.kind.as_str() == REMOTE_CODE;
        // Where code comes from when that is computed is another rule's.
        let is_computed = fact.subject.as_ref().is_some_and(|subject| subject.as_str() == COMPUTED);
        if !(is_address && is_computed) {
            sink.report_fact(package, fact, known);
        }
    }
}
