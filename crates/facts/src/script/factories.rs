//! Elements that a script makes by other means than `document.createElement`: JSX and what builds make of it, templates of
//! libraries, and properties that are set together.

use oxc_ast::ast::{
    Expression, JSXAttributeItem, JSXAttributeName, JSXAttributeValue, JSXElementName, JSXOpeningElement,
    ObjectExpression, ObjectPropertyKind, TaggedTemplateExpression,
};
use svc_core::package::fact_table::{
    CONSTANT, CONTACT, DYNAMIC_CODE, DYNAMIC_CODE_JAVASCRIPT_ADDRESS, DYNAMIC_CODE_MARKUP_SCRIPT, FactSpec,
    INLINE_JAVASCRIPT_ADDRESS, POWER, REMOTE_CODE,
};

use super::inner::inner;
use super::{call::Call, markup, path::as_member, scope::Scope, styles, text::Text};
use crate::{nesting::Nesting, notes::Notes};

/// The elements that contact, load or ask for something.
const ELEMENTS: &[&str] = &[
    "a", "audio", "base", "button", "embed", "form", "frame", "iframe", "image", "img", "input", "link", "object",
    "script", "source", "track", "use", "video",
];

/// What an element tells of the script that makes it.
const KINDS: &[&str] = &[CONTACT, DYNAMIC_CODE, POWER, REMOTE_CODE];

/// Members of properties that hold properties themselves.
const NESTED: &[&str] = &["attrs", "domProps", "props"];

/// Members of properties that are markup.
const MARKUP: &[&str] = &["dangerouslySetInnerHTML", "innerHTML"];

/// Functions of libraries that take markup first, by their last name.
const TEMPLATES: &[&str] = &["_$template", "_createStaticVNode", "createStaticVNode", "from_html", "template"];

/// Methods of a list of elements that take markup, and functions that make such lists.
const LIST_METHODS: &[&str] = &["after", "append", "before", "html", "prepend", "replaceWith", "wrap"];
const LISTS: &[&str] = &["$", "jQuery"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, nesting: Nesting, call: &Call<'a, '_>, notes: &mut Notes) {
    let Some(first) = call.argument(0) else { return };
    if let Some(Expression::ObjectExpression(members)) = call.argument(1).map(inner) {
        made(scope, nesting, call, first, members, notes);
    }
    if takes_markup(call.callee) {
        markup::markup_of(scope, first, nesting, call.at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
    }
}

/// `Object.assign(element, { … })`, or an element by its name with its properties.
fn made<'a>(
    scope: &Scope<'a, '_>,
    nesting: Nesting,
    call: &Call<'a, '_>,
    first: &'a Expression<'a>,
    members: &'a ObjectExpression<'a>,
    notes: &mut Notes,
) {
    if call.path == ["Object", "assign"] {
        set_members(scope, nesting, first, members, notes);
        return;
    }
    for (name, value) in constants(members).filter(|(name, _)| MARKUP.contains(&name.as_str())) {
        add_markup(scope, nesting, call.at, &name, value, notes);
    }
    if let Some(name) = scope.text(first).whole().filter(|name| ELEMENTS.contains(&name.as_str())) {
        let mut element = Element::new(&name);
        add_members(scope, members, &mut element);
        element.read_as_page(nesting, call.at, notes);
    }
}

fn takes_markup(callee: &Expression<'_>) -> bool {
    let callee = inner(callee);
    let is_list = |object: &Expression<'_>| matches!(inner(object), Expression::CallExpression(call) if is_named(&call.callee, LISTS));
    match as_member(callee) {
        Some(member) => member
            .static_property_name()
            .is_some_and(|name| TEMPLATES.contains(&name) || LIST_METHODS.contains(&name) && is_list(member.object())),
        None => is_named(callee, TEMPLATES) || is_named(callee, LISTS),
    }
}

fn is_named(expression: &Expression<'_>, names: &[&str]) -> bool {
    matches!(inner(expression), Expression::Identifier(name) if names.contains(&name.name.as_str()))
}

/// `Object.assign(element, { src })` sets each of them.
fn set_members<'a>(
    scope: &Scope<'a, '_>,
    nesting: Nesting,
    object: &'a Expression<'a>,
    members: &'a ObjectExpression<'a>,
    notes: &mut Notes,
) {
    for (name, value) in constants(members) {
        markup::set(scope, nesting, object, &name, value, notes);
    }
}

fn constants<'a>(members: &'a ObjectExpression<'a>) -> impl Iterator<Item = (String, &'a Expression<'a>)> {
    members.properties.iter().filter_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            Some((property.key.static_name()?.into_owned(), &property.value))
        }
        ObjectPropertyKind::SpreadProperty(_) => None,
    })
}

fn add_members<'a>(scope: &Scope<'a, '_>, members: &'a ObjectExpression<'a>, element: &mut Element) {
    for (name, value) in constants(members) {
        if let Expression::ObjectExpression(inside) = inner(value)
            && NESTED.contains(&name.as_str())
        {
            constants(inside).for_each(|(name, value)| element.add(&name, scope.text(value)));
        } else {
            element.add(&name, scope.text(value));
        }
    }
}

/// `{ __html: "…" }`, or the text itself.
fn add_markup<'a>(
    scope: &Scope<'a, '_>,
    nesting: Nesting,
    at: usize,
    name: &str,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) {
    let value = if let Expression::ObjectExpression(inside) = inner(value)
        && name == "dangerouslySetInnerHTML"
    {
        constants(inside).find(|(name, _)| name == "__html").map(|(_, value)| value)
    } else {
        Some(value)
    };
    if let Some(value) = value {
        markup::markup_of(scope, value, nesting, at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
    }
}

/// Looks at an element of JSX: it takes addresses as those of pages do.
pub(super) fn jsx<'a>(scope: &Scope<'a, '_>, nesting: Nesting, element: &'a JSXOpeningElement<'a>, notes: &mut Notes) {
    let JSXElementName::Identifier(tag) = &element.name else { return };
    let at = element.span.start as usize;
    let mut made = Element::new(tag.name.as_str());
    for item in &element.attributes {
        let JSXAttributeItem::Attribute(attribute) = item else { continue };
        let JSXAttributeName::Identifier(name) = &attribute.name else { continue };
        match &attribute.value {
            Some(JSXAttributeValue::StringLiteral(value)) => made.add_text(name.name.as_str(), value.value.as_str()),
            Some(JSXAttributeValue::ExpressionContainer(value)) => {
                let Some(value) = value.expression.as_expression() else { continue };
                made.add(name.name.as_str(), scope.text(value));
                if MARKUP.contains(&name.name.as_str()) {
                    add_markup(scope, nesting, at, name.name.as_str(), value, notes);
                }
            }
            Some(_) | None => {}
        }
    }
    made.read_as_page(nesting, at, notes);
}

/// Looks at a template with a tag: the libraries' own languages for markup and styles.
pub(super) fn tagged<'a>(nesting: Nesting, tagged: &'a TaggedTemplateExpression<'a>, notes: &mut Notes) {
    let texts = tagged.quasi.quasis.iter().map(|quasi| markup::without_open_host(quasi.value.raw.as_str()));
    let text = Text { known: texts.collect(), is_whole: true };
    let at = tagged.span.start as usize;
    if is_named(&tagged.tag, &["html", "svg"]) {
        markup::markup(&text, nesting, at, &DYNAMIC_CODE_MARKUP_SCRIPT, notes);
    } else if is_named(&tagged.tag, &["createGlobalStyle", "css", "injectGlobal", "keyframes"]) {
        styles::style(&text, at, notes);
    }
}

/// An element, as a page would write it.
struct Element(String);

impl Element {
    fn new(name: &str) -> Self {
        Self(format!("<{name}"))
    }

    fn add(&mut self, name: &str, value: Text) {
        if let Some(value) = value.whole() {
            self.add_text(name, &value);
        }
    }

    fn add_text(&mut self, name: &str, value: &str) {
        let is_name = |character: char| character.is_ascii_alphanumeric() || "-:".contains(character);
        if name.chars().all(is_name) {
            let value = value.replace('&', "&amp;").replace('"', "&quot;");
            self.0.push_str(&format!(" {}=\"{value}\"", name.to_ascii_lowercase()));
        }
    }

    fn read_as_page(mut self, nesting: Nesting, at: usize, notes: &mut Notes) {
        self.0.push('>');
        let Some(part) = nesting.read_page(&self.0) else { return };
        if part.has(|spec| spec == &INLINE_JAVASCRIPT_ADDRESS) {
            notes.note(at, &DYNAMIC_CODE_JAVASCRIPT_ADDRESS, Some(CONSTANT));
        }
        notes.add_kept_at(at, part, |spec: &FactSpec| KINDS.contains(&spec.kind));
    }
}
