//! What the reader of a script knows about its names.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use oxc_allocator::Allocator;
use oxc_ast::ast::{ArrowFunctionBody, Expression, IdentifierReference};
use oxc_semantic::{Scoping, SymbolId};

use super::inner::Path;
use super::inner::inner;
use super::{
    names::{Alias, First, Names, result_of},
    object::{value_of, written_value_of},
};

/// A script with its names.
pub(super) struct Scope<'a, 's> {
    pub(super) allocator: &'a Allocator,
    pub(super) scoping: &'s Scoping,
    names: Names<'a>,
    effort: Cell<Effort>,
    /// The paths that were worked out, by the place of the expression in memory and the steps that were left: what several
    /// ways lead to is worked out once.
    pub(super) paths: RefCell<HashMap<(usize, usize), Option<Path<'a>>>>,
}

/// What working out one name or text may still cost: names lead to texts, texts to names, and both may lead back.
#[derive(Clone, Copy, Debug)]
struct Effort {
    depth: usize,
    steps: usize,
}

const MOST: Effort = Effort { depth: 12, steps: 10_000 };

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning<'a> {
    /// A name of the browser's.
    Global,
    /// A name that the script gives this value.
    Alias(Alias<'a>),
    /// Any other name of the script.
    Local,
}

impl<'a, 's> Scope<'a, 's> {
    pub(super) fn new(allocator: &'a Allocator, scoping: &'s Scoping, names: Names<'a>) -> Self {
        Self { allocator, scoping, names, effort: Cell::new(MOST), paths: RefCell::default() }
    }

    /// Works something out, unless that leads too far; what is asked for first has all the effort for itself.
    pub(super) fn bounded<T>(&self, work: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.effort.get();
        let left = Effort { depth: before.depth.checked_sub(1)?, steps: before.steps.checked_sub(1)? };
        self.effort.set(left);
        let result = work();
        let steps = if before.depth == MOST.depth { MOST.steps } else { self.effort.get().steps };
        self.effort.set(Effort { depth: before.depth, steps });
        result
    }

    pub(super) fn meaning(&self, name: &IdentifierReference<'a>) -> Meaning<'a> {
        let Some(reference) = name.reference_id.get().map(|reference| self.scoping.get_reference(reference)) else {
            return Meaning::Local;
        };
        match reference.symbol_id() {
            None => Meaning::Global,
            Some(symbol) => self.names.get(symbol).map_or(Meaning::Local, Meaning::Alias),
        }
    }

    /// The expression behind brackets, types, commas, names, and members of objects that are written down.
    pub(super) fn behind(&self, expression: &'a Expression<'a>) -> &'a Expression<'a> {
        self.behind_within(expression, STEPS)
    }

    fn behind_within(&self, expression: &'a Expression<'a>, steps: usize) -> &'a Expression<'a> {
        let mut behind = inner(expression);
        for left in (0..steps).rev() {
            let Some(next) = self.next_behind(behind, left) else { break };
            behind = inner(next);
        }
        behind
    }

    fn next_behind(&self, expression: &'a Expression<'a>, steps: usize) -> Option<&'a Expression<'a>> {
        let (object, member) = match expression {
            Expression::Identifier(name) => match self.meaning(name) {
                Meaning::Alias(Alias { value, member: None }) => return Some(value),
                Meaning::Alias(Alias { value, member: Some(member) }) => (value, member),
                Meaning::Global | Meaning::Local => return None,
            },
            Expression::StaticMemberExpression(member) => {
                let name = member.property.name.as_str();
                if let Some(value) = self.field_of(&member.object, name) {
                    return Some(value);
                }
                (&member.object, name)
            }
            Expression::PrivateFieldExpression(private) => {
                return self.names.field(&format!("#{}", private.field.name));
            }
            Expression::CallExpression(call) => {
                let keeps = matches!(self.path(&call.callee)?.as_slice(), ["Object", "freeze" | "seal"]);
                return call.arguments.first()?.as_expression().filter(|_| keeps);
            }
            _ => return None,
        };
        let Expression::ObjectExpression(object) = self.behind_within(object, steps) else { return None };
        // What a later part may change is still a power that may be used, and no text that is known.
        let is_text = |value: &Expression<'a>| {
            matches!(
                inner(value),
                Expression::StringLiteral(_) | Expression::TemplateLiteral(_) | Expression::BinaryExpression(_)
            )
        };
        written_value_of(object, member).filter(|value| !is_text(value) || value_of(object, member).is_some())
    }

    /// The value of a member of a class, where the object is one of it or the class itself.
    fn field_of(&self, object: &'a Expression<'a>, name: &str) -> Option<&'a Expression<'a>> {
        let is_of_class = match inner(object) {
            Expression::ThisExpression(_) => true,
            Expression::Identifier(name) => {
                self.symbol(name).is_some_and(|symbol| self.scoping.symbol_flags(symbol).is_class())
            }
            _ => false,
        };
        self.names.field(name).filter(|_| is_of_class)
    }

    /// The list that a name stands for each element of, in a loop or a function that is called with each.
    pub(super) fn each(&self, name: &IdentifierReference<'a>) -> Option<&'a Expression<'a>> {
        self.names.each(self.symbol(name)?)
    }

    /// What a name has at first, when more is only ever put behind it, or others may give it another value.
    pub(super) fn first(&self, name: &IdentifierReference<'a>) -> Option<First<'a>> {
        self.names.first(self.symbol(name)?)
    }

    /// The values that the script gives a property or attribute of what a name stands for; nothing when there are too
    /// many to look at.
    pub(super) fn settings(&self, object: &'a Expression<'a>, property: &str) -> Option<Vec<&'a Expression<'a>>> {
        let Expression::Identifier(name) = inner(object) else { return Some(Vec::new()) };
        self.symbol(name).map_or(Some(Vec::new()), |symbol| self.names.settings(symbol, property))
    }

    /// Whether the script does nothing with a name but to set members of it and to put it into a page.
    pub(super) fn is_only_set(&self, object: &'a Expression<'a>) -> bool {
        let Expression::Identifier(name) = inner(object) else { return false };
        let Some(symbol) = self.symbol(name) else { return false };
        self.names.plain_uses(symbol) == self.scoping.get_resolved_reference_ids(symbol).len()
    }

    fn symbol(&self, name: &IdentifierReference<'a>) -> Option<SymbolId> {
        let reference = name.reference_id.get().map(|reference| self.scoping.get_reference(reference));
        reference.and_then(|reference| reference.symbol_id())
    }

    /// What a function gives back that does nothing else.
    pub(super) fn result(&self, callee: &'a Expression<'a>) -> Option<&'a Expression<'a>> {
        match self.behind(callee) {
            Expression::ArrowFunctionExpression(function) => {
                function.get_expression().or_else(|| match &function.body {
                    ArrowFunctionBody::FunctionBody(body) => result_of(body),
                    _ => None,
                })
            }
            Expression::FunctionExpression(function) if !function.generator => result_of(function.body.as_deref()?),
            Expression::Identifier(name) => self.names.result(self.symbol(name)?),
            _ => None,
        }
    }

    /// Whether a name is that of a function or class of the script.
    pub(super) fn is_function_name(&self, name: &IdentifierReference<'a>) -> bool {
        self.symbol(name).is_some_and(|symbol| {
            let flags = self.scoping.symbol_flags(symbol);
            flags.is_function() || flags.is_class()
        })
    }
}

/// How many names are followed, one after the other.
pub(super) const STEPS: usize = 6;
