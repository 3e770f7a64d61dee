//! What the methods of texts and lists make of constants: `"lave".split("").reverse().join("")`.

use oxc_ast::ast::{Argument, CallExpression, Expression, MemberExpression, UnaryOperator};

use super::inner::inner;
use super::{path::as_member, scope::Scope};

impl<'a> Scope<'a, '_> {
    /// The texts of a list, when all of them are known.
    pub(super) fn list(&self, expression: &'a Expression<'a>) -> Option<Vec<String>> {
        self.bounded(|| match self.behind(expression) {
            Expression::ArrayExpression(list) => {
                let texts = list.elements.iter().map(|element| self.text(element.as_expression()?).whole());
                texts.collect()
            }
            Expression::CallExpression(call) => self.called_list(call),
            _ => None,
        })
    }

    fn called_list(&self, call: &'a CallExpression<'a>) -> Option<Vec<String>> {
        let MemberExpression::StaticMemberExpression(member) = as_member(inner(&call.callee))? else { return None };
        match (member.property.name.as_str(), call.arguments.first().and_then(Argument::as_expression)) {
            ("split", Some(between)) => {
                let (text, between) = (self.text(&member.object).whole()?, self.text(between).whole()?);
                Some(match between.as_str() {
                    "" => text.chars().map(String::from).collect(),
                    between => text.split(between).map(str::to_owned).collect(),
                })
            }
            ("reverse", None) => self.list(&member.object).map(|list| list.into_iter().rev().collect()),
            _ => None,
        }
    }

    /// The text that a method makes of one that is known.
    pub(super) fn changed(
        &self,
        method: &str,
        object: &'a Expression<'a>,
        call: &'a CallExpression<'a>,
    ) -> Option<String> {
        let argument = |place: usize| call.arguments.get(place).and_then(Argument::as_expression);
        if method == "toString" {
            return in_base(whole_number(self.behind(object))?, whole_number(argument(0)?)?);
        }
        let number = |place: usize| argument(place).map(|value| whole_number(self.behind(value)));
        let text = || self.text(object).whole();
        match method {
            "toLowerCase" => Some(text()?.to_lowercase()),
            "toUpperCase" => Some(text()?.to_uppercase()),
            "charAt" | "at" => text()?.chars().nth(usize::try_from(number(0)??).ok()?).map(String::from),
            "slice" | "substring" => part(&text()?, number(0)??, number(1).map_or(Some(i64::MAX), |end| end)?),
            "substr" => {
                let (start, length) = (number(0)??, number(1).map_or(Some(i64::MAX), |length| length)?);
                part(&text()?, start, start.checked_add(length).unwrap_or(i64::MAX))
            }
            "replace" | "replaceAll" => {
                let with = self.text(argument(1)?).whole()?;
                let (what, is_everywhere) = if let Expression::RegExpLiteral(pattern) = argument(0)? {
                    plain_pattern(pattern.raw?.as_str())?
                } else {
                    (self.text(argument(0)?).whole()?, method == "replaceAll")
                };
                let text = text()?;
                Some(if is_everywhere { text.replace(&what, &with) } else { text.replacen(&what, &with, 1) })
            }
            _ => None,
        }
    }
}

/// A whole number that is written down.
fn whole_number(expression: &Expression<'_>) -> Option<i64> {
    match expression {
        Expression::NumericLiteral(number) => Some(number.value as i64),
        Expression::UnaryExpression(unary) if unary.operator == UnaryOperator::UnaryNegation => {
            whole_number(&unary.argument)?.checked_neg()
        }
        _ => None,
    }
}

fn in_base(mut number: i64, base: i64) -> Option<String> {
    let base = u32::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(char::from_digit(u32::try_from(number % i64::from(base)).ok()?, base)?);
        number /= i64::from(base);
    }
    Some(digits.into_iter().rev().collect())
}

/// The characters from one place to another; a place below zero is counted from the end.
fn part(text: &str, start: i64, end: i64) -> Option<String> {
    let length = i64::try_from(text.chars().count()).ok()?;
    let place = |at: i64| if at < 0 { (length + at).max(0) } else { at.min(length) };
    let (start, end) = (place(start), place(end));
    let characters = usize::try_from((end - start).max(0)).ok()?;
    Some(text.chars().skip(usize::try_from(start).ok()?).take(characters).collect())
}

/// What a pattern without any meaning of its own looks for, and whether everywhere.
fn plain_pattern(raw: &str) -> Option<(String, bool)> {
    let (pattern, flags) = raw.strip_prefix('/')?.rsplit_once('/')?;
    let is_plain = |character: char| character.is_alphanumeric() || "-_ ~,:;!@#%&=\"'".contains(character);
    pattern.chars().all(is_plain).then(|| (pattern.to_owned(), flags.contains('g')))
}
