//! Styles that a script puts into a page as text.

use oxc_ast::ast::Expression;
use svc_core::package::fact_table::{CONTACT, REMOTE_CODE};

use super::inner::inner;
use super::{
    call::{Call, start},
    path::as_member,
    scope::Scope,
    text::Text,
};
use crate::{notes::Notes, style};

/// Methods of style sheets and declarations that take a style.
const METHODS: &[&str] = &["addRule", "insertRule", "replaceSync", "setProperty"];

/// Properties that are the content of a style element.
const CONTENT: &[&str] = &["innerHTML", "innerText", "textContent"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    if call.path == ["FontFace"] || call.method(scope).is_some_and(|name| METHODS.contains(&name.as_str())) {
        for argument in call.arguments.iter().take(2) {
            style(&scope.text(argument), call.at, notes);
        }
    }
}

/// Looks at a value that is set as a property or attribute. True when it is a style.
pub(super) fn set<'a>(
    scope: &Scope<'a, '_>,
    object: &'a Expression<'a>,
    property: &str,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) -> bool {
    let of_style = as_member(inner(object)).is_some_and(|member| member.static_property_name() == Some("style"));
    let is_content = || CONTENT.contains(&property) && scope.element(object).is_some_and(|element| element == "style");
    let is_style = of_style || matches!(property, "cssText" | "style") || is_content();
    if is_style {
        style(&scope.text(value), start(value), notes);
    }
    is_style
}

/// Reads a text as a style, when it can name an address.
pub(super) fn style(text: &Text, at: usize, notes: &mut Notes) {
    if ["url", "@import", "image-set", "src("].iter().any(|mark| text.known.contains(mark)) {
        let part = style::read_part(&text.known);
        notes.add_kept_at(at, part, |spec| spec.kind == CONTACT || spec.kind == REMOTE_CODE);
    }
}
