//! What is told of one rule: on its own page, and among all rules.

use svc_core::{
    rules::example_text,
    words::{
        example::Example,
        rule::{Parameter, Rule},
    },
};
use svc_pages::html::{Attribute, Element, Tag};

use super::frame::{definition, link};

/// Everything but its title. `up` leads to the folder of the console.
pub(super) fn told(rule: &Rule, up: &str) -> Element {
    let dd = || Element::new(Tag::Dd);
    let problem = link(&format!("{up}problems#{}", rule.problem), rule.problem.as_str());
    let parameters = rule.parameters.iter().map(|(name, parameter)| (*name, shown_parameter(parameter)));
    Element::new(Tag::Dl)
        .with(Attribute::Class, "rule")
        .children(definition("Severity", dd().child(severity(rule))))
        .children(definition("Why", dd().prose(&rule.why)))
        .children(definition("Fix", dd().prose(&rule.fix)))
        .children(definition("Looks at", dd().child(Element::new(Tag::Code).text(rule.needs.as_str()))))
        .children(definition("Problem", dd().child(problem)))
        .children(
            parameters.flat_map(|(name, value)| definition(name, dd().child(Element::new(Tag::Code).text(&value)))),
        )
        .children(definition("Fires on", example(rule.fires)))
        .children(definition("Passes", example(rule.passes)))
}

fn severity(rule: &Rule) -> Element {
    let word = rule.severity.as_str();
    Element::new(Tag::Span).with(Attribute::Class, &format!("severity severity-{word}")).text(word)
}

fn shown_parameter(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Number(number) => number.to_string(),
        Parameter::Words(words) => words.join(", "),
        Parameter::Characters(ranges) => {
            let range = |first: u32, last: u32| match first == last {
                true => format!("U+{first:04X}"),
                false => format!("U+{first:04X} to U+{last:04X}"),
            };
            let shown: Vec<String> = ranges.iter().map(|shown| range(shown.first, shown.last)).collect();
            shown.join(", ")
        }
    }
}

fn example(example: Example) -> Element {
    let shown = example_text::shown(example);
    let paragraph = |text: &str| (!text.is_empty()).then(|| Element::new(Tag::P).text(text));
    Element::new(Tag::Dd)
        .children(paragraph(shown.lead))
        .child(Element::new(Tag::Pre).child(Element::new(Tag::Code).text(shown.text)))
        .children(paragraph(shown.remark))
}
