//! Markup that is put together of constants and of what is only known when the script runs.

use oxc_ast::ast::{Argument, ArrayExpressionElement, BinaryOperator, CallExpression, Expression};

use super::inner::inner;
use super::{markup::without_open_host, path::as_member, scope::Scope, text::handed_through};
use crate::handler::HOLE;

const BYTES: usize = 256 * 1024;
const DEPTH: usize = 12;

/// No name of a host is so long.
const HOST: usize = 300;

impl<'a> Scope<'a, '_> {
    /// A text with a letter in place of each part that is not known.
    pub(super) fn with_holes(&self, expression: &'a Expression<'a>) -> String {
        let filled = self.bounded(|| {
            let mut out = String::new();
            self.fill(expression, &mut out, DEPTH);
            Some(out)
        });
        filled.unwrap_or_else(|| HOLE.to_string())
    }

    fn fill(&self, expression: &'a Expression<'a>, out: &mut String, depth: usize) {
        let Some(depth) = depth.checked_sub(1).filter(|_| out.len() <= BYTES) else {
            out.push(HOLE);
            return;
        };
        match self.behind(expression) {
            Expression::StringLiteral(text) => out.push_str(text.value.as_str()),
            Expression::TemplateLiteral(template) => {
                let mut holes = template.expressions.iter();
                for quasi in &template.quasis {
                    out.push_str(quasi.value.cooked.as_ref().unwrap_or(&quasi.value.raw).as_str());
                    holes.next().into_iter().for_each(|hole| self.fill(hole, out, depth));
                }
            }
            Expression::BinaryExpression(sum) if sum.operator == BinaryOperator::Addition => {
                let mut terms = vec![&sum.right];
                let mut left = inner(&sum.left);
                while let Expression::BinaryExpression(sum) = left
                    && sum.operator == BinaryOperator::Addition
                {
                    terms.push(&sum.right);
                    left = inner(&sum.left);
                }
                self.fill(left, out, depth);
                terms.into_iter().rev().for_each(|term| self.fill(term, out, depth));
            }
            // What stands on either side may come.
            Expression::ConditionalExpression(choice) => {
                self.fill(&choice.consequent, out, depth);
                self.fill(&choice.alternate, out, depth);
            }
            Expression::LogicalExpression(choice) => {
                self.fill(&choice.left, out, depth);
                self.fill(&choice.right, out, depth);
            }
            Expression::CallExpression(call) => self.fill_call(expression, call, out, depth),
            _ => self.fill_known(expression, out),
        }
    }

    fn fill_call(&self, expression: &'a Expression<'a>, call: &'a CallExpression<'a>, out: &mut String, depth: usize) {
        if let Some(value) = self.result(&call.callee).or_else(|| handed_through(call)) {
            self.fill(value, out, depth);
            return;
        }
        let member = as_member(inner(&call.callee));
        match member.and_then(|member| Some((member.static_property_name()?, member.object()))) {
            Some(("concat", object)) => {
                self.fill(object, out, depth);
                call.arguments.iter().filter_map(Argument::as_expression).for_each(|term| self.fill(term, out, depth));
            }
            Some(("join", object)) if let Expression::ArrayExpression(list) = self.behind(object) => {
                let between = call.arguments.first().and_then(Argument::as_expression);
                let between = between.and_then(|between| self.text(between).whole()).unwrap_or_default();
                for element in list.elements.iter().filter_map(ArrayExpressionElement::as_expression) {
                    self.fill(element, out, depth);
                    out.push_str(&between);
                }
            }
            Some(("trim" | "toString" | "valueOf", object)) => self.fill(object, out, depth),
            Some(_) | None => self.fill_known(expression, out),
        }
    }

    /// What is known of a text, and a hole where it goes on. A host that goes on in it has no name yet.
    fn fill_known(&self, expression: &'a Expression<'a>, out: &mut String) {
        let text = self.text(expression);
        out.push_str(&text.known);
        if !text.is_whole {
            let start = out.floor_char_boundary(out.len().saturating_sub(HOST));
            let tail = out.get(start..).unwrap_or_default();
            out.truncate(start + without_open_host(tail).len());
            out.push(HOLE);
        }
    }
}
