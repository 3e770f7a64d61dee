//! Markup and scripts that a script puts into a page as text.

use std::borrow::Cow;

use oxc_ast::ast::Expression;
use svc_core::package::fact_table::{
    COMPUTED, CONTACT, DYNAMIC_CODE, DYNAMIC_CODE_DOCUMENT_WRITE, DYNAMIC_CODE_HANDLER_TEXT,
    DYNAMIC_CODE_MARKUP_SCRIPT, DYNAMIC_CODE_SCRIPT_TEXT, FactSpec, INLINE, INLINE_STYLE, POWER, REMOTE_CODE,
};

use super::{
    addresses::{self, constness},
    call::{Call, start},
    dynamic::as_text,
    path::as_member,
    powers,
    scope::{Scope, inner},
    styles,
    text::Text,
};
use crate::{handler::is_handler, nesting::Nesting, notes::Notes};

/// Methods that take markup, as which argument.
const METHODS: &[(&str, usize)] =
    &[("createContextualFragment", 0), ("insertAdjacentHTML", 1), ("parseHTMLUnsafe", 0), ("setHTMLUnsafe", 0)];

/// Properties that take markup.
const PROPERTIES: &[&str] = &["innerHTML", "outerHTML", "srcdoc"];

/// Properties of a script element that are its code.
const SCRIPT_TEXT: &[&str] = &["text", "textContent", "innerText", "innerHTML"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, nesting: Nesting, call: &Call<'a, '_>, notes: &mut Notes) {
    let path = call.direct(scope).map_or_else(|| call.path.clone(), |(path, _)| path);
    if let ["document", "write" | "writeln"] = path.as_slice() {
        for argument in call.arguments {
            let text = scope.text(argument);
            if markup(&text, nesting, call.at, &DYNAMIC_CODE_DOCUMENT_WRITE, notes) || text.is_whole {
                continue;
            }
            notes.note(call.at, &DYNAMIC_CODE_DOCUMENT_WRITE, Some(COMPUTED));
        }
        return;
    }
    let Some(member) = as_member(inner(call.callee)) else { return };
    let Some(name) = member.static_property_name() else { return };
    match (name, call.argument(0), call.argument(1)) {
        ("setAttribute", Some(attribute), Some(value)) => {
            if let Some(attribute) = scope.text(attribute).whole() {
                set_attribute(scope, nesting, member.object(), &attribute, value, notes);
            }
        }
        ("setAttributeNS", Some(_), Some(attribute)) => {
            if let (Some(attribute), Some(value)) = (scope.text(attribute).whole(), call.argument(2)) {
                set_attribute(scope, nesting, member.object(), &attribute, value, notes);
            }
        }
        ("appendChild" | "append" | "prepend" | "replaceChildren", Some(child), _)
            if is_script(scope, member.object()) =>
        {
            let text = created_text(scope, child);
            notes.note(call.at, &DYNAMIC_CODE_SCRIPT_TEXT, Some(constness(&text)));
        }
        _ => {
            let row = METHODS.iter().find(|(known, _)| *known == name);
            if let Some(value) = row.and_then(|(_, place)| call.argument(*place)) {
                markup(&scope.text(value), nesting, call.at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
            }
        }
    }
}

/// `document.createTextNode("…")` gives its text.
fn created_text<'a>(scope: &Scope<'a, '_>, node: &'a Expression<'a>) -> Text {
    let Expression::CallExpression(call) = scope.behind(node) else { return scope.text(node) };
    let text = call.arguments.first().and_then(|argument| argument.as_expression());
    text.map(|text| scope.text(text)).unwrap_or_default()
}

/// Whether something is a script element whose content runs.
fn is_script<'a>(scope: &Scope<'a, '_>, object: &'a Expression<'a>) -> bool {
    scope.element(object).is_some_and(|element| element == "script") && !scope.is_data_block(object)
}

/// Looks at a value that is set as an attribute: that of a handler is always code.
fn set_attribute<'a>(
    scope: &Scope<'a, '_>,
    nesting: Nesting,
    object: &'a Expression<'a>,
    attribute: &str,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) {
    if is_handler(attribute) {
        notes.note(start(value), &DYNAMIC_CODE_HANDLER_TEXT, Some(constness(&scope.text(value))));
    } else {
        set(scope, nesting, object, attribute, value, notes);
    }
}

/// Looks at a value that is set as a property.
pub(super) fn set<'a>(
    scope: &Scope<'a, '_>,
    nesting: Nesting,
    object: &'a Expression<'a>,
    property: &str,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) {
    let at = start(value);
    if is_handler(property) {
        if let Some(text) = as_text(scope, value) {
            notes.note(at, &DYNAMIC_CODE_HANDLER_TEXT, Some(constness(&text)));
        }
    } else if SCRIPT_TEXT.contains(&property) && is_script(scope, object) {
        notes.note(at, &DYNAMIC_CODE_SCRIPT_TEXT, Some(constness(&scope.text(value))));
    } else if styles::set(scope, object, property, value, notes) {
    } else if property == "type" {
        powers::set_type(scope, object, value, notes);
    } else if PROPERTIES.contains(&property) {
        for text in scope.texts(value) {
            markup(&text, nesting, at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
        }
    } else {
        addresses::set(scope, object, property, value, notes);
    }
}

/// What markup tells of a script that it stands in. That it is inline, or has no end, says nothing.
const MARKUP_KINDS: &[&str] = &[CONTACT, DYNAMIC_CODE, POWER, REMOTE_CODE];

/// Reads markup as a page, and tells whether it has code in it.
pub(super) fn markup(text: &Text, nesting: Nesting, at: usize, what: &'static FactSpec, notes: &mut Notes) -> bool {
    if !text.known.contains('<') {
        return false;
    }
    let whole = if text.is_whole { Cow::Borrowed(text.known.as_str()) } else { Cow::Owned(closed(&text.known)) };
    let Some(part) = nesting.read_page(&whole) else { return false };
    let has_code = part.has(|spec| spec.kind == INLINE && spec != &INLINE_STYLE);
    if has_code {
        notes.note(at, what, Some(constness(text)));
    }
    notes.add_kept_at(at, part, |spec| MARKUP_KINDS.contains(&spec.kind));
    has_code
}

/// The beginning of markup, with an end for the tag that goes on in what is not known.
fn closed(known: &str) -> String {
    let known = without_open_host(known);
    let is_inside = known.rfind('<') > known.rfind('>');
    format!("{known}{}", if is_inside { "\"'>" } else { "" })
}

/// The text up to a host whose name goes on in what is not known.
pub(super) fn without_open_host(text: &str) -> &str {
    let Some(slashes) = text.rfind("//") else { return text };
    let is_open = !text.get(slashes + 2..).unwrap_or_default().contains(['/', '"', '\'', '`', ' ', '>', ')']);
    let before = text.get(..slashes).unwrap_or_default();
    if is_open { before.trim_end_matches(|byte: char| byte.is_ascii_alphanumeric() || byte == ':') } else { text }
}
