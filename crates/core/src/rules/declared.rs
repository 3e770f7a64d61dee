//! What a manifest asks for, beside what the code of the package does.

use std::collections::BTreeSet;

use svc_json::pointer::Pointer;

use crate::{
    manifest::vocabulary::Permission,
    package::{
        fact::Fact,
        fact_table::{CALLED, COMPUTED, CONTACT, INLINE, Known, POWER, REMOTE_CODE},
    },
    rules::package::{Package, Sink},
    scalar::{subject::Subject, url::Origin},
    words::rule::Rule,
};

/// Ways to reach an origin that carry data there, or run what comes back. An element of unknown kind may be a script.
pub(super) const STRICT_WAYS: &[&str] = &[
    "beacon",
    "element",
    "event-source",
    "fetch",
    "module",
    "peer",
    "script",
    "wasm",
    "web-transport",
    "websocket",
    "worker",
    "xhr",
];

/// Powers and the permissions that cover them, as `power=permission`. A power without a row has none.
pub(super) const COVERED: &[&str] = &[
    "cache-storage=storage.local",
    "camera=camera.capture",
    "clipboard-read=clipboard.read",
    "clipboard-write=clipboard.write",
    "cookies=storage.local",
    "file-open=files.open",
    "file-save=files.save",
    "geolocation=location.approximate",
    "geolocation=location.precise",
    "indexed-db=storage.local",
    "microphone=microphone.capture",
    "notifications=notifications.show",
    "storage=storage.local",
];

/// What a policy stops unless it allows it by this source, as `word=directive=source`.
pub(super) const STOPPED: &[&str] = &[
    "event-handler=script-src='unsafe-inline'",
    "javascript-address=script-src='unsafe-inline'",
    "script=script-src='unsafe-inline'",
    "style=style-src='unsafe-inline'",
];

/// The permission that a package needs to reach any origin.
pub(super) const NETWORK: &str = Permission::NetworkFetch.as_str();

/// P013: contact with an origin that is not allowed.
pub(super) fn contact(package: &Package<'_>, sink: &mut Sink<'_>) {
    let allowed = allowed(package);
    for (fact, known) in package.facts_of(&[CONTACT, REMOTE_CODE]) {
        if matches!(known, Known::Cut) {
            sink.report_fact(package, fact, known);
            continue;
        }
        let Some(origin) = origin_of(fact) else { continue };
        if allowed.iter().any(|allowed| covers(allowed, origin)) {
            continue;
        }
        let finding = sink.of_fact(package, fact, known);
        let is_strict = sink.rule.words("strict").contains(&fact.word.as_str());
        let help =
            format!("Add the origin to `network.allow` with its purpose, or remove the contact with `{origin}`.");
        let finding = finding.help(help);
        sink.report_finding(if is_strict { finding } else { finding.lightened() });
    }
}

/// P017: contact with an address that only the running code knows.
pub(super) fn computed_contact(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (fact, known) in package.facts_of(&[CONTACT, REMOTE_CODE]).filter(|(fact, _)| is_computed(fact)) {
        sink.report_fact(package, fact, known);
    }
}

/// P014: a power without the permission that covers it.
pub(super) fn power(package: &Package<'_>, sink: &mut Sink<'_>) {
    let asked = asked(package);
    for (fact, known) in package.facts_of(&[POWER]) {
        if matches!(known, Known::Cut) {
            sink.report_fact(package, fact, known);
            continue;
        }
        let mut covering = covering(sink.rule, fact.word.as_str()).peekable();
        let has_word = covering.peek().is_some();
        let names: Vec<&str> = covering.collect();
        if names.iter().any(|permission| asked.contains(permission)) {
            continue;
        }
        let finding = sink.of_fact(package, fact, known);
        let is_called = fact.subject.as_ref().is_some_and(|subject| subject.as_str() == CALLED);
        let finding = if has_word {
            finding.help(format!("Ask for `{}` with a purpose, or remove the use.", names.join("` or `")))
        } else {
            finding.help("No permission covers it: hosts will not grant it. Remove the use.")
        };
        sink.report_finding(if is_called && has_word { finding } else { finding.lightened() });
    }
}

/// P015: what the policy of the package stops.
pub(super) fn stopped_by_policy(package: &Package<'_>, sink: &mut Sink<'_>) {
    for (fact, known) in package.facts_of(&[INLINE]) {
        let Known::One(spec) = known else {
            sink.report_fact(package, fact, known);
            continue;
        };
        let row = sink.rule.words("stopped").iter().find_map(|row| row.strip_prefix(spec.word)?.strip_prefix('='));
        let Some((directive, source)) = row.and_then(|row| row.split_once('=')) else { continue };
        if lets_through(package, directive, source) {
            continue;
        }
        let finding = sink.of_fact(package, fact, known);
        sink.report_finding(finding.help(format!("Put it into a file of the package: `{directive}` stops it.")));
    }
}

/// P016: asked for, and nowhere seen used.
pub(super) fn unused(package: &Package<'_>, sink: &mut Sink<'_>) {
    // Code that was not read may use it.
    if package.is_blind(sink.rule) {
        return;
    }
    let powers: BTreeSet<&str> = package.facts_of(&[POWER]).map(|(fact, _)| fact.word.as_str()).collect();
    for (pointer, node) in package.list("/permissions") {
        let Some(permission) = node.get("permission").and_then(|node| node.as_str()) else { continue };
        let mut covered = sink
            .rule
            .words("covered")
            .iter()
            .filter_map(|row| row.split_once('='))
            .filter(|(_, word)| *word == permission);
        let is_known = covered.clone().next().is_some();
        if is_known && !covered.any(|(power, _)| powers.contains(power)) {
            sink.report(pointer.join("permission"), format!("`{permission}` is asked for, and no code uses it"));
        }
    }
    let contacts: Vec<&Fact> = package.facts_of(&[CONTACT, REMOTE_CODE]).map(|(fact, _)| fact).collect();
    // An address that is computed may be any of them.
    if contacts.iter().any(|fact| is_computed(fact)) {
        return;
    }
    for (pointer, node) in package.list("/network/allow") {
        // What is no origin has a finding of its own.
        let Some(allowed) = node.as_str().filter(|text| Origin::parse(text).is_some()) else { continue };
        if !contacts.iter().filter_map(|fact| origin_of(fact)).any(|origin| covers(allowed, origin)) {
            sink.report(pointer, format!("`{allowed}` is allowed, and no code contacts it"));
        }
    }
}

fn asked<'p>(package: &'p Package<'_>) -> BTreeSet<&'p str> {
    package.list("/permissions").filter_map(|(_, node)| node.get("permission")?.as_str()).collect()
}

/// The origins that a package may talk to.
fn allowed<'p>(package: &'p Package<'_>) -> Vec<&'p str> {
    if !asked(package).contains(NETWORK) {
        return Vec::new();
    }
    package.list("/network/allow").filter_map(|(_, node)| node.as_str()).collect()
}

/// The permissions that cover a power, by a rule that knows them.
pub(super) fn covering(rule: &Rule, power: &str) -> impl Iterator<Item = &'static str> {
    rule.words("covered").iter().filter_map(move |row| row.strip_prefix(power)?.strip_prefix('='))
}

pub(super) fn is_computed(fact: &Fact) -> bool {
    fact.subject.as_ref().is_some_and(|subject| subject.as_str() == COMPUTED)
}

/// The origin that a fact names.
pub(super) fn origin_of(fact: &Fact) -> Option<&str> {
    fact.subject.as_ref().map(Subject::as_str).filter(|subject| *subject != COMPUTED)
}

/// Whether an allowed origin covers one that is contacted. A socket is as its page: `wss` as `https`.
pub(super) fn covers(allowed: &str, origin: &str) -> bool {
    let origin = match origin.split_once("://") {
        Some(("wss", host)) => ("https", host),
        Some(("ws", host)) => ("http", host),
        Some(plain) => plain,
        None => return false,
    };
    let Some((scheme, host)) = allowed.split_once("://") else { return false };
    let host = without_default_port(scheme, host);
    let contacted = without_default_port(origin.0, origin.1);
    let covers_host = match host.strip_prefix("*.") {
        Some(parent) => contacted.strip_suffix(parent).is_some_and(|below| below.len() > 1 && below.ends_with('.')),
        None => host.eq_ignore_ascii_case(contacted),
    };
    scheme == origin.0 && covers_host
}

fn without_default_port<'h>(scheme: &str, host: &'h str) -> &'h str {
    let port = if scheme == "https" { ":443" } else { ":80" };
    host.strip_suffix(port).unwrap_or(host)
}

/// Whether the policy lets something through by this source. Without a policy nothing inline or evaluated runs.
fn lets_through(package: &Package<'_>, directive: &str, source: &str) -> bool {
    let csp = Pointer::from_text("/entry/csp");
    let list = [directive, "default-src"].into_iter().map(|name| csp.join(name).to_string());
    let declared = list.into_iter().find(|pointer| package.at(pointer).is_some());
    let Some(pointer) = declared else { return false };
    let is_inline = source == "'unsafe-inline'";
    package.list(&pointer).filter_map(|(_, node)| node.as_str()).any(|given| {
        // The hash of a piece of code lets that piece through; which one it is, only a browser works out.
        given.eq_ignore_ascii_case(source) || (is_inline && given.starts_with("'sha"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowed_origin_covers_itself_and_what_its_star_stands_for() {
        let cases = [
            ("https://api.acme.dev", "https://api.acme.dev", true),
            ("https://api.acme.dev", "https://api.acme.dev:443", true),
            ("https://api.acme.dev", "wss://api.acme.dev", true),
            ("https://api.acme.dev", "http://api.acme.dev", false),
            ("https://api.acme.dev", "https://api.acme.dev:8443", false),
            ("https://api.acme.dev", "https://evil-api.acme.dev", false),
            ("https://*.acme.dev", "https://api.acme.dev", true),
            ("https://*.acme.dev", "https://a.b.acme.dev", true),
            ("https://*.acme.dev", "https://acme.dev", false),
            ("https://*.acme.dev", "https://evilacme.dev", false),
            ("https://api.acme.dev", "https://*", false),
        ];
        for (allowed, origin, covered) in cases {
            assert_eq!(covers(allowed, origin), covered, "{allowed} {origin}");
        }
    }
}
