//! The page of the problems: what a refusal means, and what to do.

use svc_core::{rules::ruleset::Rules, words::problem_code::ProblemCode};
use svc_pages::html::{Attribute, Element, Tag};

use super::frame::{Frame, definition, link, listed};

const ABOUT: &str = "Whatever the registry refuses it refuses with one of these codes, as a problem of RFC 9457. Its `type` is \
    the address of the code's page for machines. Every problem is closed: `accepted`, `signed` and `installable` are `false`.";

pub(super) fn page(rules: &Rules) -> String {
    let contents = ProblemCode::ALL.iter().map(|code| {
        let told = format!(" {}: {}", code.spec().status, code.spec().title);
        Element::new(Tag::Li).child(link(&format!("#{code}"), code.as_str())).text(&told)
    });
    let contents =
        Element::new(Tag::Nav).with(Attribute::AriaLabel, "Problems").child(Element::new(Tag::Ul).children(contents));
    Frame { title: "Problems", up: "", current: Some("problems") }.around(
        [Element::new(Tag::P).prose(ABOUT), contents]
            .into_iter()
            .chain(ProblemCode::ALL.iter().map(|code| told(rules, *code))),
    )
}

fn told(rules: &Rules, code: ProblemCode) -> Element {
    let spec = code.spec();
    let dd = || Element::new(Tag::Dd);
    let rules: Vec<Element> = rules
        .all()
        .filter(|rule| rule.problem == code)
        .map(|rule| link(&format!("rules/{}", rule.code), &rule.code))
        .collect();
    let rules = (!rules.is_empty()).then(|| definition("Rules that lead to it", listed(Tag::Dd, rules)));
    let list = Element::new(Tag::Dl)
        .children(definition("Status", dd().text(&spec.status.to_string())))
        .children(definition("What to do", dd().prose(spec.help)))
        .children(rules.into_iter().flatten())
        .children(definition("For machines", dd().child(link(&format!("..{}", code.page()), &code.page()))));
    Element::new(Tag::Article)
        .with(Attribute::Id, code.as_str())
        .child(Element::new(Tag::H2).child(Element::new(Tag::Code).text(code.as_str())).text(" ").prose(spec.title))
        .child(list)
}
