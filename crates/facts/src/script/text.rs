//! Texts that a script makes out of constants, as far as they are known before it runs.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, BinaryExpression, BinaryOperator, CallExpression, Expression, MemberExpression,
    NewExpression, TemplateLiteral,
};

use svc_core::package::fact_table;

use super::inner::inner;
use super::{
    names::{Alias, First},
    object::value_of,
    path::as_member,
    scope::{Meaning, Scope},
};
use crate::address::Address;

/// A text, or the beginning of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) known: String,
    pub(super) is_whole: bool,
}

impl Text {
    /// The text, when all of it is known.
    pub(super) fn whole(self) -> Option<String> {
        self.is_whole.then_some(self.known)
    }

    /// Whether it is surely a text, and not a number or function: some of it is known, or it is put together.
    pub(super) fn is_something(&self) -> bool {
        self.is_whole || !self.known.is_empty()
    }
}

/// Bounds the work for one text: names may stand for names that stand for names.
struct Work {
    steps: usize,
    out: String,
    /// Which side of a choice is taken; without one the text ends there.
    side: Option<Side>,
    has_choice: bool,
    /// Which element of a list a name stands for that stands for each of them, and how many there are.
    place: usize,
    elements: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    First,
    Second,
}

const STEPS: usize = 4_000;
const BYTES: usize = 256 * 1024;
const DEPTH: usize = 24;
const CHOICES: usize = 16;

impl<'a> Scope<'a, '_> {
    /// The text that an expression gives.
    pub(super) fn text(&self, expression: &'a Expression<'a>) -> Text {
        self.text_of(expression, None, usize::MAX).0
    }

    /// The text on one side of the choices in it, and with one element of the lists; whether there are choices, and how
    /// many elements.
    fn text_of(&self, expression: &'a Expression<'a>, side: Option<Side>, place: usize) -> (Text, bool, usize) {
        let worked_out = self.bounded(|| {
            let mut work = Work { steps: STEPS, out: String::new(), side, has_choice: false, place, elements: 0 };
            let is_whole = self.fold(expression, &mut work, DEPTH);
            Some((Text { known: work.out, is_whole }, work.has_choice, work.elements))
        });
        worked_out.unwrap_or_default()
    }

    /// The texts that an expression can give: both sides of a choice.
    pub(super) fn texts(&self, expression: &'a Expression<'a>) -> Vec<Text> {
        let mut texts = Vec::new();
        let mut waiting = vec![expression];
        // A choice may lead back to itself.
        for _ in 0..CHOICES {
            let Some(next) = waiting.pop() else { return texts };
            if let Some(elements) = self.elements(next) {
                waiting.extend(elements);
                continue;
            }
            match self.behind(next) {
                Expression::ConditionalExpression(choice) => waiting.extend([&choice.alternate, &choice.consequent]),
                Expression::LogicalExpression(choice) => waiting.extend([&choice.right, &choice.left]),
                Expression::Identifier(name) if let Some(First::Default(value)) = self.first(name) => {
                    texts.extend([self.text(value), Text::default()]);
                }
                _ => texts.extend(self.both_texts(next)),
            }
        }
        // There are more than are looked at.
        texts.push(Text::default());
        texts
    }

    /// What a name stands for in turn: the elements of a list that is written down.
    fn elements(&self, name: &'a Expression<'a>) -> Option<impl Iterator<Item = &'a Expression<'a>> + use<'a>> {
        let Expression::Identifier(name) = inner(name) else { return None };
        let Expression::ArrayExpression(list) = self.behind(self.each(name)?) else { return None };
        Some(list.elements.iter().filter_map(ArrayExpressionElement::as_expression))
    }

    /// `(test ? "./a" : "https://a.example") + path`: what it begins with on each side.
    fn both_texts(&self, expression: &'a Expression<'a>) -> Vec<Text> {
        let (first, has_choice, elements) = self.text_of(expression, Some(Side::First), 0);
        let mut texts = vec![first];
        if has_choice {
            texts.push(self.text_of(expression, Some(Side::Second), 0).0);
        }
        let others = 1..elements.min(CHOICES);
        texts.extend(others.map(|place| self.text_of(expression, Some(Side::First), place).0));
        // There are more than are looked at.
        texts.extend((elements > CHOICES).then(Text::default));
        texts
    }

    /// Adds what is known of an expression to the text; false where more follows that is not known.
    fn fold(&self, expression: &'a Expression<'a>, work: &mut Work, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        work.steps = work.steps.saturating_sub(1);
        if work.steps == 0 || work.out.len() > BYTES {
            return false;
        }
        match inner(expression) {
            Expression::StringLiteral(text) => push(work, text.value.as_str()),
            Expression::NumericLiteral(number) => push(work, &number.value.to_string()),
            Expression::TemplateLiteral(template) => self.fold_template(template, work, depth),
            Expression::TaggedTemplateExpression(tagged) => {
                self.path(&tagged.tag).is_some_and(|path| path == ["String", "raw"])
                    && self.fold_raw(&tagged.quasi, work, depth)
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                self.fold_sum(sum, work, depth)
            }
            Expression::Identifier(name) => match self.meaning(name) {
                Meaning::Alias(Alias { value, member: None }) => self.fold(value, work, depth),
                Meaning::Alias(Alias { value, member: Some(member) }) => self.fold_member(value, member, work, depth),
                Meaning::Local => {
                    if let Some(list) = self.each(name)
                        && let Expression::ArrayExpression(list) = self.behind(list)
                    {
                        work.elements = work.elements.max(list.elements.len());
                        let element = list.elements.get(work.place).and_then(ArrayExpressionElement::as_expression);
                        return element.is_some_and(|element| self.fold(element, work, depth));
                    }
                    if let Some(First::Beginning(value)) = self.first(name) {
                        self.fold(value, work, depth);
                    }
                    false
                }
                Meaning::Global => false,
            },
            Expression::CallExpression(call) => self.fold_call(call, work, depth),
            Expression::NewExpression(made) => self.fold_made(made, work, depth),
            Expression::ConditionalExpression(choice) => {
                self.fold_choice(&choice.consequent, &choice.alternate, work, depth)
            }
            Expression::LogicalExpression(choice) => self.fold_choice(&choice.left, &choice.right, work, depth),
            other => match as_member(other) {
                Some(MemberExpression::StaticMemberExpression(_))
                    if let behind = self.behind(other)
                        && !std::ptr::eq(behind, other) =>
                {
                    self.fold(behind, work, depth)
                }
                Some(MemberExpression::StaticMemberExpression(member)) => {
                    self.fold_member(&member.object, member.property.name.as_str(), work, depth)
                }
                Some(MemberExpression::ComputedMemberExpression(member)) => {
                    let key = self.text(&member.expression).whole();
                    key.is_some_and(|key| self.fold_element(&member.object, &key, work, depth))
                }
                Some(MemberExpression::PrivateFieldExpression(_)) => {
                    let behind = self.behind(other);
                    !std::ptr::eq(behind, other) && self.fold(behind, work, depth)
                }
                None => false,
            },
        }
    }

    fn fold_choice(
        &self,
        first: &'a Expression<'a>,
        second: &'a Expression<'a>,
        work: &mut Work,
        depth: usize,
    ) -> bool {
        work.has_choice = true;
        match work.side {
            Some(Side::First) => self.fold(first, work, depth),
            Some(Side::Second) => self.fold(second, work, depth),
            None => false,
        }
    }

    /// An element of a list, or a member by a name that is put together.
    fn fold_element(&self, object: &'a Expression<'a>, key: &str, work: &mut Work, depth: usize) -> bool {
        let Expression::ArrayExpression(list) = self.behind(object) else {
            return self.fold_member(object, key, work, depth);
        };
        let element = key.parse::<usize>().ok().and_then(|place| list.elements.get(place));
        let element = element.and_then(ArrayExpressionElement::as_expression);
        element.is_some_and(|element| self.fold(element, work, depth))
    }

    fn fold_template(&self, template: &'a TemplateLiteral<'a>, work: &mut Work, depth: usize) -> bool {
        let mut holes = template.expressions.iter();
        for quasi in &template.quasis {
            let Some(text) = &quasi.value.cooked else { return false };
            push(work, text.as_str());
            if let Some(hole) = holes.next()
                && !self.fold(hole, work, depth)
            {
                return false;
            }
        }
        true
    }

    /// `String.raw`, which leaves escapes as they are.
    fn fold_raw(&self, template: &'a TemplateLiteral<'a>, work: &mut Work, depth: usize) -> bool {
        let mut holes = template.expressions.iter();
        template.quasis.iter().all(|quasi| {
            push(work, quasi.value.raw.as_str()) && holes.next().is_none_or(|hole| self.fold(hole, work, depth))
        })
    }

    /// Long sums lean to the left: they are followed without going deeper.
    fn fold_sum(&self, sum: &'a BinaryExpression<'a>, work: &mut Work, depth: usize) -> bool {
        let mut terms = vec![&sum.right];
        let mut left = inner(&sum.left);
        while let Expression::BinaryExpression(sum) = left
            && sum.operator == BinaryOperator::Addition
            && terms.len() < STEPS
        {
            terms.push(&sum.right);
            left = inner(&sum.left);
        }
        self.fold(left, work, depth) && terms.into_iter().rev().all(|term| self.fold(term, work, depth))
    }

    /// A member of an object whose text is known, or an address of the page itself.
    fn fold_member(&self, object: &'a Expression<'a>, member: &str, work: &mut Work, depth: usize) -> bool {
        let behind = self.behind(object);
        match behind {
            Expression::ObjectExpression(object) => {
                value_of(object, member).is_some_and(|value| self.fold(value, work, depth))
            }
            Expression::NewExpression(_) if matches!(member, "href" | "url") => self.fold(behind, work, depth),
            // The page's own address: what follows it is relative.
            Expression::ImportMeta(_) if member == "url" => true,
            _ if matches!(self.path(behind).as_deref(), Some(["location"] | ["document", "location"])) => {
                // The page's own host: what follows it is relative, whatever scheme stands before it.
                if matches!(member, "host" | "hostname") && work.out.ends_with("//") {
                    work.out.clear();
                }
                matches!(member, "origin" | "protocol" | "href" | "host" | "hostname")
            }
            _ => false,
        }
    }

    fn fold_call(&self, call: &'a CallExpression<'a>, work: &mut Work, depth: usize) -> bool {
        let first = call.arguments.first().and_then(Argument::as_expression);
        if let Some(value) = self.result(&call.callee).or_else(|| handed_through(call)) {
            return self.fold(value, work, depth);
        }
        if let Some(path) = self.path(&call.callee) {
            return match (path.as_slice(), first) {
                (["String"] | ["encodeURI"] | ["decodeURI"], Some(value)) => self.fold(value, work, depth),
                (["String", "fromCharCode" | "fromCodePoint"], _) => fold_codes(&call.arguments, work),
                (["atob"], Some(value)) => self.fold_base64(value, work),
                (["URL" | "webkitURL", "createObjectURL"], _) => {
                    push(work, "blob:");
                    false
                }
                _ => false,
            };
        }
        let Some(MemberExpression::StaticMemberExpression(member)) = as_member(inner(&call.callee)) else {
            return false;
        };
        match (member.property.name.as_str(), first) {
            ("toString" | "trim" | "valueOf", None) => self.fold(&member.object, work, depth),
            ("concat", _) => {
                self.fold(&member.object, work, depth)
                    && call
                        .arguments
                        .iter()
                        .all(|term| Argument::as_expression(term).is_some_and(|term| self.fold(term, work, depth)))
            }
            ("join", Some(between)) => self.fold_join(&member.object, between, work, depth),
            (name, _) => self.changed(name, &member.object, call).is_some_and(|text| push(work, &text)),
        }
    }

    fn fold_join(&self, list: &'a Expression<'a>, between: &'a Expression<'a>, work: &mut Work, depth: usize) -> bool {
        let Some(between) = self.text(between).whole() else { return false };
        let Expression::ArrayExpression(list) = self.behind(list) else {
            return self.list(list).is_some_and(|list| push(work, &list.join(&between)));
        };
        list.elements.iter().enumerate().all(|(place, element)| {
            let between = if place == 0 { "" } else { between.as_str() };
            push(work, between);
            ArrayExpressionElement::as_expression(element).is_some_and(|element| self.fold(element, work, depth))
        })
    }

    fn fold_base64(&self, value: &'a Expression<'a>, work: &mut Work) -> bool {
        let text = self.text(value).whole();
        let bytes = text.and_then(|text| data_encoding::BASE64.decode(text.as_bytes()).ok());
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).is_some_and(|text| push(work, &text))
    }

    /// `new URL("a.js", base)`: the address itself when it names a host, else what it is relative to.
    fn fold_made(&self, made: &'a NewExpression<'a>, work: &mut Work, depth: usize) -> bool {
        let mut arguments = made.arguments.iter().filter_map(Argument::as_expression);
        match (self.path(&made.callee).as_deref(), arguments.next(), arguments.next()) {
            (Some(["URL"]), Some(address), base) => {
                let address = self.text(address);
                let base = base.map(|base| self.text(base)).unwrap_or_default();
                let names_host = |text: &Text| matches!(Address::parse(&text.known), Address::Origin(_));
                let named = if !names_host(&address) && names_host(&base) { base } else { address };
                push(work, &named.known) && named.is_whole
            }
            (Some(["String" | "Request"]), Some(value), _) => self.fold(value, work, depth),
            _ => false,
        }
    }
}

/// Methods of a policy for trusted types: what they give is what they got, whatever the policy checks.
const POLICY: &[&str] = &["createHTML", "createScript", "createScriptURL"];

/// What a call gives back as it got it.
pub(super) fn handed_through<'a>(call: &'a CallExpression<'a>) -> Option<&'a Expression<'a>> {
    let method = as_member(inner(&call.callee))?.static_property_name()?;
    call.arguments.first().and_then(Argument::as_expression).filter(|_| POLICY.contains(&method))
}

fn push(work: &mut Work, text: &str) -> bool {
    work.out.push_str(text);
    true
}

fn fold_codes(codes: &[Argument<'_>], work: &mut Work) -> bool {
    codes.iter().all(|code| {
        let Argument::NumericLiteral(code) = code else { return false };
        let code = Some(code.value).filter(|code| (0.0..=1_114_111.0).contains(code)).map(|code| code as u32);
        code.and_then(char::from_u32).is_some_and(|code| {
            work.out.push(code);
            true
        })
    })
}

/// Whether what is handed on is known before the script runs.
pub(super) fn constness(text: &Text) -> &'static str {
    if text.is_whole { fact_table::CONSTANT } else { fact_table::COMPUTED }
}
