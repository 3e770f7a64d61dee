//! Which element of a page an expression stands for.

use oxc_ast::ast::{Argument, CallExpression, Expression};

use super::inner::inner;
use super::{path::as_member, scope::Scope};
use crate::script_types::is_data;

impl<'a> Scope<'a, '_> {
    /// The name of the element, in lowercase. What the script calls it says nothing.
    pub(super) fn element(&self, expression: &'a Expression<'a>) -> Option<String> {
        self.bounded(|| match self.behind(expression) {
            Expression::CallExpression(call) => self.called_element(call),
            Expression::NewExpression(made) => match self.path(&made.callee)?.as_slice() {
                ["Image"] => Some("img".to_owned()),
                ["Audio"] => Some("audio".to_owned()),
                _ => None,
            },
            Expression::Identifier(name) if let Some(list) = self.each(name) => self.listed_element(list),
            other => match self.path(other).as_deref() {
                Some(["document", "currentScript"]) => Some("script".to_owned()),
                Some(["document", "body"]) => Some("body".to_owned()),
                Some(["document", list, _, ..]) if let Some(name) = name_of_list(list) => Some(name.to_owned()),
                _ => self.listed_element(as_member(other)?.object()),
            },
        })
    }

    /// The element that a method makes or finds.
    fn called_element(&self, call: &'a CallExpression<'a>) -> Option<String> {
        let path = self.path(&call.callee);
        let member = as_member(inner(&call.callee));
        let method = path.as_deref().and_then(<[&str]>::last).copied();
        let method = method.or_else(|| member.and_then(|member| member.static_property_name()))?;
        let constant = |place: usize| self.text(call.arguments.get(place).and_then(Argument::as_expression)?).whole();
        match method {
            "createElement" => local_name(&constant(0)?),
            "createElementNS" => local_name(&constant(1)?),
            "closest" | "querySelector" => selected(&constant(0)?),
            "cloneNode" => self.element(member?.object()),
            _ => None,
        }
    }

    /// What the elements of a list are.
    fn listed_element(&self, list: &'a Expression<'a>) -> Option<String> {
        let behind = self.behind(list);
        if let Some(["document", list]) = self.path(behind).as_deref() {
            return name_of_list(list).map(str::to_owned);
        }
        let Expression::CallExpression(call) = behind else { return None };
        let text = self.text(Argument::as_expression(call.arguments.first()?)?).whole()?;
        match as_member(inner(&call.callee))?.static_property_name()? {
            "getElementsByTagName" => local_name(&text),
            "querySelectorAll" => selected(&text),
            _ => None,
        }
    }

    /// Whether a script element only holds data: its type is no script's, and nothing else can have changed that.
    pub(super) fn is_data_block(&self, object: &'a Expression<'a>) -> bool {
        let Some(types) = self.settings(object, "type") else { return false };
        let is_data = |value: &'a Expression<'a>| self.text(value).whole().is_some_and(|kind| is_data(&kind));
        !types.is_empty() && self.is_only_set(object) && types.into_iter().all(is_data)
    }
}

/// The lists of elements that a page has, and what stands in them.
const LISTS: &[(&str, &str)] =
    &[("embeds", "embed"), ("forms", "form"), ("images", "img"), ("plugins", "embed"), ("scripts", "script")];

fn name_of_list(list: &str) -> Option<&'static str> {
    LISTS.iter().find(|(name, _)| *name == list).map(|(_, element)| *element)
}

/// A name without the prefix of its language.
fn local_name(name: &str) -> Option<String> {
    Some(name.to_ascii_lowercase().rsplit(':').next()?.to_owned())
}

/// The element that a selector asks for: the name that its last part begins with.
fn selected(selector: &str) -> Option<String> {
    // What stands in brackets may hold anything, and a list may ask for several elements.
    if selector.contains([',', '\\', '(']) {
        return None;
    }
    let mut depth = 0_usize;
    let plain: String = selector
        .chars()
        .filter(|character| {
            depth = if *character == '[' { depth + 1 } else { depth };
            let is_plain = depth == 0;
            depth = if *character == ']' { depth.saturating_sub(1) } else { depth };
            is_plain
        })
        .collect();
    let last = plain.trim_ascii().rsplit([' ', '>', '+', '~']).next()?;
    let name = last.split(['.', '#', ':']).next()?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_name.then(|| name.to_ascii_lowercase())
}
