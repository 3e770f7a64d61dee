//! The page of the API: every operation with its method, path, scope, statuses and schemas.

use svc_core::{
    contract::contracts::{self, BASE_PATH},
    words::problem_code::ProblemCode,
};
use svc_pages::html::{Attribute, Element, Tag};
use svc_registry_api::{
    openapi,
    routes::{self, JournalDocument, Operation, Serves},
    scope::TokenScope,
};

use super::frame::{Frame, definition, link, listed};

pub(super) fn page() -> String {
    let operations = routes::all();
    let description = Element::new(Tag::P)
        .text("For generators: ")
        .child(link(&format!("..{BASE_PATH}/openapi.json"), "the description in OpenAPI 3.1"))
        .text(". Where the operator has given out tokens, each operation takes one of the scope that it names.");
    let groups = openapi::TAGS.iter().map(|(tag, about)| {
        let of_tag = operations
            .iter()
            .filter(|operation| openapi::tag(operation) == *tag && !openapi::is_told_by_another(operation));
        Element::new(Tag::Section)
            .with(Attribute::Id, tag)
            .child(Element::new(Tag::H2).text(&capitalised(tag)))
            .child(Element::new(Tag::P).text(about))
            .children(of_tag.map(told))
    });
    Frame { title: "API", up: "", current: Some("api") }
        .around([description].into_iter().chain(groups).chain([schemas()]))
}

/// A word as a heading.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

fn told(operation: &Operation) -> Element {
    let path = openapi::path(operation);
    let dd = || Element::new(Tag::Dd);
    let scope = match operation.scope {
        Some(scope) => dd().child(Element::new(Tag::Code).text(TokenScope::as_str(scope))),
        None => dd().text("none: for everybody"),
    };
    let name = Element::new(Tag::Code).text(&format!("{} {path}", operation.method.as_str()));
    let schema = |name: &'static str, term| definition(term, dd().child(link(&schema_path(name), name)));
    let body = operation.evaluates().map(|spec| schema(spec.name, "Body"));
    let answer = answer_schema(operation).map(|(name, term)| schema(name, term));
    let list = Element::new(Tag::Dl)
        .children(definition("Scope", scope))
        .children(definition("Statuses", listed(Tag::Dd, openapi::statuses(operation).into_iter().map(status))))
        .children(body.into_iter().flatten())
        .children(answer.into_iter().flatten())
        .children(schema("problem", "Refusal"));
    Element::new(Tag::Article)
        .with(Attribute::Id, &format!("operation-{}", operation.id))
        .child(Element::new(Tag::H3).child(name))
        .child(Element::new(Tag::P).prose(&format!("{}.", openapi::summary(operation))))
        .child(list)
}

/// A status, and where it is a refusal of one kind the way to what it means.
fn status(status: u16) -> Element {
    let mut codes = ProblemCode::ALL.iter().filter(|code| code.spec().status == status);
    match codes.next() {
        Some(code) => link(&format!("problems#{code}"), &status.to_string()),
        None => Element::new(Tag::Span).text(&status.to_string()),
    }
}

/// The schema of what is answered or of each row of it, where it is one that is served.
fn answer_schema(operation: &Operation) -> Option<(&'static str, &'static str)> {
    if operation.evaluates().is_some() {
        return Some(("decision", "Answer"));
    }
    matches!(operation.serves, Serves::Journal(JournalDocument::Entries)).then_some(("journal-entry", "Each entry"))
}

fn schemas() -> Element {
    let names = contracts::schema_sources().into_iter().map(|(name, _)| name);
    Element::new(Tag::Section)
        .with(Attribute::Id, "schemas")
        .child(Element::new(Tag::H2).text("Schemas"))
        .child(Element::new(Tag::P).text("What is sent and answered, as JSON Schema."))
        .child(
            Element::new(Tag::Ul)
                .children(names.map(|name| Element::new(Tag::Li).child(link(&schema_path(name), name)))),
        )
}

fn schema_path(name: &str) -> String {
    format!("..{BASE_PATH}/schemas/{name}")
}
