//! The pages of the rules: all of them by family, and one for each.

use std::sync::Arc;

use svc_core::{
    rules::{example_package::BASE, ruleset::Rules},
    words::rule::Rule,
};
use svc_pages::html::{Attribute, Element, Tag};

use super::{
    frame::{Frame, link},
    rule_text::told,
};

const ABOUT_EXAMPLES: &str = "Most examples change the package at the end of this page, on which no rule fires. Members are put \
    into its manifest, `null` takes one out (RFC 7396); files are put beside it, `- path` takes one out. `TABLE.json#NAME` \
    is a case of the conformance kit, in the folder `conformance/`.";

/// All rules.
pub(super) fn all(rules: &Rules) -> String {
    let own = rules.ruleset();
    let intro = Element::new(Tag::P).prose(&format!(
        "Rule set {}, {} rules. `svc explain CODE` says the same in a terminal, the route `ruleset` to machines.",
        own.version,
        rules.all().count()
    ));
    let digest = Element::new(Tag::P).text("Digest ").child(Element::new(Tag::Code).text(&own.digest.to_string()));
    let contents = rules.families().map(|family| {
        let counted = format!("{} ({})", family.title, family.rules.len());
        Element::new(Tag::Li).child(link(&format!("#{}", family.name), &counted))
    });
    let contents = Element::new(Tag::Nav)
        .with(Attribute::AriaLabel, "Families of rules")
        .child(Element::new(Tag::Ul).children(contents));
    let families = rules.families().map(|family| {
        Element::new(Tag::Section)
            .with(Attribute::Id, family.name)
            .child(Element::new(Tag::H2).text(family.title))
            .children(family.rules.iter().map(|rule| among_others(rule)))
    });
    let about = Element::new(Tag::P).prose(ABOUT_EXAMPLES);
    Frame { title: "Rules", up: "", current: Some("rules") }
        .around([intro, digest, about, contents].into_iter().chain(families).chain([base_package()]))
}

fn among_others(rule: &Rule) -> Element {
    let heading =
        Element::new(Tag::H3).child(link(&format!("rules/{}", rule.code), &rule.code)).text(" ").prose(&rule.title);
    Element::new(Tag::Article).with(Attribute::Id, &rule.code).child(heading).child(told(rule, ""))
}

fn base_package() -> Element {
    let listing = |text: &str| Element::new(Tag::Pre).child(Element::new(Tag::Code).text(text));
    Element::new(Tag::Section)
        .with(Attribute::Id, "example-package")
        .child(Element::new(Tag::H2).text("The package of the examples"))
        .child(Element::new(Tag::P).prose(&format!("`svc-app.json`, submitted by `{}`", BASE.owner)))
        .child(listing(BASE.manifest))
        .child(Element::new(Tag::P).text("Its files, one a line, with their content"))
        .child(listing(BASE.files))
}

/// One rule.
pub(super) fn one(rules: &Rules, number: usize) -> String {
    let at = |number: usize| rules.all().nth(number);
    let Some(rule) = at(number) else { return String::new() };
    let (before, behind) = (number.checked_sub(1).and_then(at), at(number + 1));
    let neighbour = |rule: &Arc<Rule>, word: &str| Element::new(Tag::Li).text(word).child(link(&rule.code, &rule.code));
    let neighbours = Element::new(Tag::Nav).with(Attribute::AriaLabel, "Other rules").child(
        Element::new(Tag::Ul)
            .children(before.map(|rule| neighbour(rule, "Before: ")))
            .child(Element::new(Tag::Li).child(link(&format!("../rules#{}", rule.code), "All rules")))
            .children(behind.map(|rule| neighbour(rule, "Next: "))),
    );
    let terminal = Element::new(Tag::P).prose(&format!("In a terminal: `svc explain {}`", rule.code));
    let examples = Element::new(Tag::P)
        .text("What the examples are put into: ")
        .child(link("../rules#example-package", "the package of the examples"));
    let title = format!("{}: {}", rule.code, rule.title);
    Frame { title: &title, up: "../", current: None }.around([told(rule, "../"), examples, terminal, neighbours])
}
