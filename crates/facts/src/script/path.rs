//! Names of the browser: `navigator.clipboard.readText`, in whichever way the script leads to it.

use oxc_ast::ast::{ChainElement, Expression, IdentifierReference, MemberExpression};

use super::inner::Path;
use super::inner::inner;
use super::{
    names::Alias,
    scope::{Meaning, STEPS, Scope},
};

/// Names of the global object itself. `parent` and `top` are others' at best, and mean no good either.
const GLOBALS: &[&str] = &["frames", "global", "globalThis", "opener", "parent", "self", "top", "window"];

/// No name of the browser is so long.
const PARTS: usize = 8;

impl<'a> Scope<'a, '_> {
    /// The path that an expression leads to.
    pub(super) fn path(&self, expression: &'a Expression<'a>) -> Option<Path<'a>> {
        self.bounded(|| self.follow(expression, STEPS))
    }

    /// The path that a member expression leads to.
    pub(super) fn member_path(&self, member: &'a MemberExpression<'a>) -> Option<Path<'a>> {
        self.bounded(|| self.follow_member(member, STEPS))
    }

    /// The path that a name leads to.
    pub(super) fn name_path(&self, name: &IdentifierReference<'a>) -> Option<Path<'a>> {
        self.bounded(|| self.follow_name(name, STEPS))
    }

    fn follow(&self, expression: &'a Expression<'a>, steps: usize) -> Option<Path<'a>> {
        match inner(expression) {
            Expression::Identifier(name) => self.follow_name(name, steps),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::StaticMemberExpression(_) | ChainElement::ComputedMemberExpression(_) => {
                    self.follow_member(chain.expression.as_member_expression()?, steps)
                }
                ChainElement::CallExpression(_)
                | ChainElement::TSNonNullExpression(_)
                | ChainElement::PrivateFieldExpression(_) => None,
            },
            Expression::LogicalExpression(either) => {
                let steps = steps.checked_sub(1)?;
                self.follow(&either.left, steps).or_else(|| self.follow(&either.right, steps))
            }
            Expression::ConditionalExpression(either) => {
                let steps = steps.checked_sub(1)?;
                self.follow(&either.consequent, steps).or_else(|| self.follow(&either.alternate, steps))
            }
            other => {
                let key = (std::ptr::from_ref(other).addr(), steps);
                if let Some(known) = self.paths.borrow().get(&key) {
                    return known.clone();
                }
                // What leads back to itself leads nowhere.
                self.paths.borrow_mut().insert(key, None);
                let path = self.follow_anew(other, steps);
                self.paths.borrow_mut().insert(key, path.clone());
                path
            }
        }
    }

    fn follow_anew(&self, expression: &'a Expression<'a>, steps: usize) -> Option<Path<'a>> {
        if let Expression::CallExpression(call) = expression {
            return self.follow_call(call, steps.checked_sub(1)?);
        }
        let member = expression.as_member_expression()?;
        self.follow_member(member, steps).or_else(|| self.follow_held(expression, steps.checked_sub(1)?))
    }

    /// What a member of an object that is written down, or of a class, holds.
    fn follow_held(&self, member: &'a Expression<'a>, steps: usize) -> Option<Path<'a>> {
        let held = self.behind(member);
        (!std::ptr::eq(held, member)).then(|| self.follow(held, steps)).flatten()
    }

    fn follow_name(&self, name: &IdentifierReference<'a>, steps: usize) -> Option<Path<'a>> {
        match self.meaning(name) {
            Meaning::Global => Some(extended(Vec::with_capacity(4), name.name.as_str())),
            Meaning::Alias(Alias { value, member }) => {
                let path = self.follow(value, steps.checked_sub(1)?)?;
                Some(member.map_or(path.clone(), |member| extended(path, member)))
            }
            Meaning::Local => None,
        }
    }

    fn follow_member(&self, member: &'a MemberExpression<'a>, steps: usize) -> Option<Path<'a>> {
        let mut names: Vec<&'a str> = Vec::new();
        let mut object = self.part(member, &mut names)?;
        while let Some(member) = as_member(inner(object)) {
            object = self.part(member, &mut names)?;
        }
        names.reverse();
        if let Some(path) = behind_frame(&names) {
            return Some(path);
        }
        let path = self.follow(object, steps)?;
        Some(names.into_iter().fold(path, extended))
    }

    /// Adds the name of one member; gives what it is a member of.
    fn part(&self, member: &'a MemberExpression<'a>, names: &mut Vec<&'a str>) -> Option<&'a Expression<'a>> {
        if names.len() >= PARTS {
            return None;
        }
        match member {
            MemberExpression::StaticMemberExpression(member) => {
                if member.property.name != "value" || !self.is_descriptor(&member.object) {
                    names.push(member.property.name.as_str());
                }
                Some(&member.object)
            }
            MemberExpression::ComputedMemberExpression(member) => {
                let name = self.text(&member.expression).whole().filter(|name| name.len() <= 64)?;
                names.push(self.allocator.alloc_str(&name));
                Some(&member.object)
            }
            MemberExpression::PrivateFieldExpression(_) => None,
        }
    }

    /// `Object.getOwnPropertyDescriptor(window, "eval")`, whose `value` is the thing itself.
    fn is_descriptor(&self, object: &'a Expression<'a>) -> bool {
        let Expression::CallExpression(call) = inner(object) else { return false };
        as_member(inner(&call.callee))
            .is_some_and(|member| member.static_property_name() == Some("getOwnPropertyDescriptor"))
    }

    /// `eval.bind(window)` and `Reflect.get(window, "eval")` lead where they say.
    fn follow_call(&self, call: &'a oxc_ast::ast::CallExpression<'a>, steps: usize) -> Option<Path<'a>> {
        // A window that is opened is a window.
        if self.follow(&call.callee, steps).is_some_and(|path| path == ["open"]) {
            return Some(Path::new());
        }
        let member = as_member(inner(&call.callee))?;
        let MemberExpression::StaticMemberExpression(called) = member else { return None };
        match called.property.name.as_str() {
            "bind" => {
                let path = self.follow(&called.object, steps)?;
                match path.as_slice() {
                    // `Function.call.bind(f)` calls `f`.
                    ["Function", .., how @ ("call" | "apply")] => {
                        let bound = self.follow(call.arguments.first()?.as_expression()?, steps)?;
                        Some(extended(bound, how))
                    }
                    _ => Some(path),
                }
            }
            "get" | "getOwnPropertyDescriptor"
                if matches!(self.follow(&called.object, steps)?.as_slice(), ["Reflect" | "Object"]) =>
            {
                let [object, name, ..] = call.arguments.as_slice() else { return None };
                let path = self.follow(object.as_expression()?, steps)?;
                let name = self.text(name.as_expression()?).whole()?;
                Some(extended(path, self.allocator.alloc_str(&name)))
            }
            _ => None,
        }
    }
}

/// What leads to the window or the page of a frame that the script got from somewhere.
fn behind_frame<'a>(names: &[&'a str]) -> Option<Path<'a>> {
    let is_frame = |name: &&str| matches!(*name, "contentWindow" | "defaultView" | "contentDocument" | "ownerDocument");
    let place = names.iter().rposition(is_frame)?;
    let (frame, rest) = (names.get(place)?, names.get(place + 1..)?);
    let start = if frame.ends_with("Document") { vec!["document"] } else { Vec::new() };
    Some(rest.iter().copied().fold(start, extended))
}

/// The member expression that an expression is, behind `?.` too.
pub(super) fn as_member<'e, 'a>(expression: &'e Expression<'a>) -> Option<&'e MemberExpression<'a>> {
    match expression {
        Expression::ChainExpression(chain) => chain.expression.as_member_expression(),
        other => other.as_member_expression(),
    }
}

/// A path with one more name. The global object is the start of every path, whatever it is called.
pub(super) fn extended<'a>(mut path: Path<'a>, name: &'a str) -> Path<'a> {
    let is_global = match path.as_slice() {
        // `frames[0]` is a global object as well.
        [] => GLOBALS.contains(&name) || name.bytes().all(|byte| byte.is_ascii_digit()),
        ["document"] => name == "defaultView",
        _ => false,
    };
    if is_global {
        path.clear();
    } else {
        path.push(name);
    }
    path
}

/// The name of a member, also one that is put together.
pub(super) fn member_name<'a>(scope: &Scope<'a, '_>, member: &'a MemberExpression<'a>) -> Option<String> {
    match member {
        MemberExpression::StaticMemberExpression(member) => Some(member.property.name.as_str().to_owned()),
        MemberExpression::ComputedMemberExpression(member) => scope.text(&member.expression).whole(),
        MemberExpression::PrivateFieldExpression(_) => None,
    }
}
