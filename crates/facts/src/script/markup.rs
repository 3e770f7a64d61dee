//! Markup and scripts that a script puts into a page as text.

use std::borrow::Cow;

use oxc_ast::ast::Expression;
use svc_core::package::fact_table::{
    COMPUTED, CONTACT, DYNAMIC_CODE, DYNAMIC_CODE_DOCUMENT_WRITE, DYNAMIC_CODE_HANDLER_TEXT,
    DYNAMIC_CODE_MARKUP_SCRIPT, DYNAMIC_CODE_SCRIPT_TEXT, FactSpec, INLINE, INLINE_STYLE, POWER, REMOTE_CODE,
};

use super::inner::inner;
use super::text::constness;
use super::{
    addresses,
    call::{Call, start},
    dynamic::as_text,
    path::as_member,
    powers,
    scope::Scope,
    styles,
    text::Text,
};
use crate::{handler::HOLE, handler::is_handler, nesting::Nesting, notes::Notes};

/// Methods that take markup, as which argument.
const METHODS: &[(&str, usize)] = &[
    ("createContextualFragment", 0),
    ("insertAdjacentHTML", 1),
    ("parseFromString", 0),
    ("parseHTMLUnsafe", 0),
    ("setHTMLUnsafe", 0),
];

/// Properties that take markup.
const PROPERTIES: &[&str] = &["innerHTML", "outerHTML", "srcdoc"];

/// Properties of a script element that are its code.
const SCRIPT_TEXT: &[&str] = &["text", "textContent", "innerText", "innerHTML"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, nesting: Nesting, call: &Call<'a, '_>, notes: &mut Notes) {
    let path = call.direct(scope).map_or_else(|| call.path.clone(), |(path, _)| path);
    if let ["document", "write" | "writeln"] = path.as_slice() {
        for argument in call.arguments {
            let has_code = markup_of(scope, argument, nesting, call.at, &DYNAMIC_CODE_DOCUMENT_WRITE, notes);
            if !has_code && !scope.text(argument).is_whole {
                notes.note(call.at, &DYNAMIC_CODE_DOCUMENT_WRITE, Some(COMPUTED));
            }
        }
        return;
    }
    if let (["Reflect", "set"], [object, property, value, ..]) = (path.as_slice(), call.arguments) {
        if let Some(property) = scope.text(property).whole() {
            set(scope, nesting, object, &property, value, notes);
        }
        return;
    }
    let Some(member) = as_member(inner(call.callee)) else { return };
    let Some(name) = call.method(scope) else { return };
    match (name.as_str(), call.argument(0), call.argument(1)) {
        ("setAttribute", Some(attribute), Some(value)) => {
            for name in attribute_names(scope, attribute) {
                set_attribute(scope, nesting, member.object(), &name, value, notes);
            }
        }
        ("setAttributeNS", Some(_), Some(attribute)) => {
            let Some(value) = call.argument(2) else { return };
            for name in attribute_names(scope, attribute) {
                set_attribute(scope, nesting, member.object(), &name, value, notes);
            }
        }
        ("insertAdjacentText", Some(_), Some(text)) if is_script(scope, member.object()) => {
            notes.note(call.at, &DYNAMIC_CODE_SCRIPT_TEXT, Some(constness(&scope.text(text))));
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
                markup_of(scope, value, nesting, call.at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
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
    // Pages take the names of attributes in any case.
    let attribute = attribute.to_ascii_lowercase();
    if is_handler(&attribute) {
        notes.note(start(value), &DYNAMIC_CODE_HANDLER_TEXT, Some(constness(&scope.text(value))));
    } else {
        set(scope, nesting, object, &attribute, value, notes);
    }
}

/// The names that an attribute can have, with a letter in place of what is not known of one.
fn attribute_names<'a>(scope: &Scope<'a, '_>, name: &'a Expression<'a>) -> Vec<String> {
    let texts = scope.texts(name).into_iter();
    texts.map(|text| if text.is_whole { text.known } else { format!("{}{HOLE}", text.known) }).collect()
}

/// The name of an attribute that is made alone: `document.createAttribute("onclick")`.
fn made_attribute<'a>(scope: &Scope<'a, '_>, node: &'a Expression<'a>) -> Option<String> {
    let Expression::CallExpression(call) = scope.behind(node) else { return None };
    let place = match as_member(inner(&call.callee))?.static_property_name()? {
        "createAttribute" => 0,
        "createAttributeNS" => 1,
        _ => return None,
    };
    Some(scope.with_holes(call.arguments.get(place)?.as_expression()?))
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
    if matches!(property, "nodeValue" | "textContent" | "value")
        && let Some(attribute) = made_attribute(scope, object).filter(|name| name != property)
    {
        set_attribute(scope, nesting, object, &attribute, value, notes);
    } else if is_handler(property) {
        if let Some(text) = as_text(scope, value) {
            notes.note(at, &DYNAMIC_CODE_HANDLER_TEXT, Some(constness(&text)));
        }
    } else if SCRIPT_TEXT.contains(&property) && is_script(scope, object) {
        notes.note(at, &DYNAMIC_CODE_SCRIPT_TEXT, Some(constness(&scope.text(value))));
    } else if styles::set(scope, object, property, value, notes) {
    } else if property == "type" {
        powers::set_type(scope, object, value, notes);
    } else if PROPERTIES.contains(&property) {
        markup_of(scope, value, nesting, at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
    } else {
        addresses::set(scope, object, property, value, notes);
    }
}

/// What markup tells of a script that it stands in. That it is inline, or has no end, says nothing.
const MARKUP_KINDS: &[&str] = &[CONTACT, DYNAMIC_CODE, POWER, REMOTE_CODE];

/// Reads what an expression gives as a page, also around what is not known of it, and tells whether it has code in it.
pub(super) fn markup_of<'a>(
    scope: &Scope<'a, '_>,
    value: &'a Expression<'a>,
    nesting: Nesting,
    at: usize,
    what: &'static FactSpec,
    notes: &mut Notes,
) -> bool {
    let texts = scope.texts(value);
    let is_known = texts.iter().all(|text| text.is_whole);
    let holed = (!is_known).then(|| Text { known: scope.with_holes(value), is_whole: false });
    let whole = texts.into_iter().filter(|text| text.is_whole);
    let mut has_code = false;
    for text in whole.chain(holed) {
        has_code |= markup(&text, nesting, at, what, notes);
    }
    has_code
}

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
