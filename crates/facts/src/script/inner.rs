//! Expressions without what is wrapped around them, and the names that lead to something.

use oxc_ast::ast::Expression;

/// The names that lead to something of the browser's, from its global object on.
pub(super) type Path<'a> = Vec<&'a str>;

/// The expression that gives the value: behind brackets, types, commas, `await` and assignments.
pub(super) fn inner<'a, 'e>(mut expression: &'e Expression<'a>) -> &'e Expression<'a> {
    loop {
        let next = match expression {
            Expression::SequenceExpression(sequence) => sequence.expressions.last(),
            Expression::AssignmentExpression(assigned) => Some(&assigned.right),
            Expression::AwaitExpression(awaited) => Some(&awaited.argument),
            Expression::ParenthesizedExpression(inside) => Some(&inside.expression),
            Expression::TSAsExpression(typed) => Some(&typed.expression),
            Expression::TSNonNullExpression(typed) => Some(&typed.expression),
            Expression::TSSatisfiesExpression(typed) => Some(&typed.expression),
            Expression::TSTypeAssertion(typed) => Some(&typed.expression),
            _ => None,
        };
        match next {
            Some(next) => expression = next,
            None => return expression,
        }
    }
}
