//! Which element of a page an expression stands for.

use oxc_ast::ast::{Argument, Expression};

use super::{path::as_member, scope::Scope};

impl<'a> Scope<'a, '_> {
    /// The name of the element, in lowercase.
    pub(super) fn element(&self, expression: &'a Expression<'a>) -> Option<String> {
        match self.behind(expression) {
            Expression::CallExpression(call) => {
                let path = self.path(&call.callee);
                let name = match path.as_deref().and_then(<[&str]>::last) {
                    Some(&"createElement") => call.arguments.first(),
                    Some(&"createElementNS") => call.arguments.get(1),
                    _ => None,
                }?;
                let name = self.text(Argument::as_expression(name)?).whole()?.to_ascii_lowercase();
                Some(name.rsplit(':').next().unwrap_or_default().to_owned())
            }
            Expression::NewExpression(made) => match self.path(&made.callee)?.as_slice() {
                ["Image"] => Some("img".to_owned()),
                ["Audio"] => Some("audio".to_owned()),
                _ => None,
            },
            other => match self.path(other)?.as_slice() {
                ["document", "currentScript"] => Some("script".to_owned()),
                ["document", "scripts", ..] => Some("script".to_owned()),
                ["document", "body"] => Some("body".to_owned()),
                _ => None,
            },
        }
    }

    /// The element, or else what the name of the expression makes likely.
    pub(super) fn likely_element(&self, expression: &'a Expression<'a>) -> Option<String> {
        self.element(expression).or_else(|| {
            let name = last_name(expression)?.to_ascii_lowercase();
            let likely = LIKELY.iter().find(|(part, _)| name.contains(part));
            likely.map(|(_, element)| (*element).to_owned())
        })
    }
}

/// Parts of names that people give to elements.
const LIKELY: &[(&str, &str)] = &[
    ("script", "script"),
    ("iframe", "iframe"),
    ("frame", "iframe"),
    ("img", "img"),
    ("image", "img"),
    ("picture", "img"),
    ("photo", "img"),
    ("icon", "img"),
    ("logo", "img"),
    ("avatar", "img"),
    ("thumb", "img"),
    ("pixel", "img"),
    ("beacon", "img"),
    ("video", "video"),
    ("audio", "audio"),
    ("player", "video"),
    ("sound", "audio"),
];

/// The last name of an expression: `b` of `a.b`.
fn last_name<'e>(expression: &'e Expression<'_>) -> Option<&'e str> {
    match expression {
        Expression::Identifier(name) => Some(name.name.as_str()),
        other => as_member(other)?.static_property_name(),
    }
}
