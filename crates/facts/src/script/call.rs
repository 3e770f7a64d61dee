//! A call or construction, as the rules of each kind look at it.

use oxc_ast::ast::{Argument, ArrayExpressionElement, Expression};
use oxc_span::GetSpan as _;

use super::inner::Path;
use super::inner::inner;
use super::path::member_name;
use super::{path::as_member, scope::Scope};

/// A call, or a construction with `new`.
#[derive(Debug)]
pub(super) struct Call<'a, 'c> {
    /// Where it stands, in bytes.
    pub(super) at: usize,
    /// What is called, when it is of the browser's.
    pub(super) path: Path<'a>,
    pub(super) callee: &'a Expression<'a>,
    pub(super) arguments: &'c [&'a Expression<'a>],
}

impl<'a, 'c> Call<'a, 'c> {
    pub(super) fn argument(&self, place: usize) -> Option<&'a Expression<'a>> {
        self.arguments.get(place).copied()
    }

    /// The name of the method that is called, also one that is put together.
    pub(super) fn method(&self, scope: &Scope<'a, '_>) -> Option<String> {
        member_name(scope, as_member(inner(self.callee))?)
    }

    /// What a call through `call`, `apply` or `Reflect` calls in the end, and with what.
    pub(super) fn direct(&self, scope: &Scope<'a, '_>) -> Option<(Path<'a>, usize)> {
        match self.path.as_slice() {
            ["Reflect", "apply" | "construct"] => {
                let skipped = if self.path.last() == Some(&"apply") { 2 } else { 1 };
                Some((scope.path(self.argument(0)?)?, skipped))
            }
            [path @ .., "call" | "apply"] if !path.is_empty() => Some((path.to_vec(), 1)),
            _ => None,
        }
    }
}

/// The arguments of a call; a list that is spread out stands for its elements, or else for itself.
pub(super) fn plain<'a>(arguments: &'a [Argument<'a>]) -> Vec<&'a Expression<'a>> {
    let mut plain = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if let Argument::SpreadElement(spread) = argument {
            spread_out(inner(&spread.argument), &mut plain);
        } else {
            plain.extend(argument.as_expression());
        }
    }
    plain
}

fn spread_out<'a>(list: &'a Expression<'a>, plain: &mut Vec<&'a Expression<'a>>) {
    if let Expression::ArrayExpression(list) = list {
        plain.extend(list.elements.iter().filter_map(ArrayExpressionElement::as_expression));
    } else {
        plain.push(list);
    }
}

/// What `r.open.apply(r, list)` calls, and with what, where `r` is the script's own.
pub(super) fn handed_on<'a>(
    callee: &'a Expression<'a>,
    arguments: &[&'a Expression<'a>],
) -> Option<(&'a Expression<'a>, Vec<&'a Expression<'a>>)> {
    let member = as_member(inner(callee))?;
    let rest = arguments.get(1..).unwrap_or_default();
    match member.static_property_name()? {
        "call" => Some((member.object(), rest.to_vec())),
        "apply" => {
            let mut plain = Vec::new();
            rest.iter().for_each(|list| spread_out(inner(list), &mut plain));
            Some((member.object(), plain))
        }
        _ => None,
    }
}

/// The arguments of a call that hands them on as one list: `f.apply(null, [a])` as `f.call(null, a)`.
pub(super) fn listed<'a>(path: &[&str], mut arguments: Vec<&'a Expression<'a>>) -> Vec<&'a Expression<'a>> {
    let place = match path {
        ["Reflect", "apply"] => 2,
        ["Reflect", "construct"] | [_, .., "apply"] => 1,
        _ => return arguments,
    };
    if let Some(Expression::ArrayExpression(_)) = arguments.get(place).map(|list| inner(list)) {
        let rest = arguments.split_off(place);
        for (at, argument) in rest.into_iter().enumerate() {
            if at == 0 { spread_out(inner(argument), &mut arguments) } else { arguments.push(argument) }
        }
    }
    arguments
}

/// Where an expression begins.
pub(super) fn start(expression: &Expression<'_>) -> usize {
    expression.span().start as usize
}
