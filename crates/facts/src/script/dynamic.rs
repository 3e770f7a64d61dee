//! Code that a script makes out of text: what runs then was not part of what is reviewed.

use oxc_ast::ast::{Expression, MemberExpression};
use svc_core::package::fact_table::{
    COMPUTED, CONSTANT, DYNAMIC_CODE_EVAL, DYNAMIC_CODE_FUNCTION_CONSTRUCTOR, DYNAMIC_CODE_REALM,
    DYNAMIC_CODE_STRING_TIMER, FactSpec,
};

use super::inner::inner;
use super::path::member_name;
use super::text::constness;
use super::{
    call::Call,
    names::Alias,
    object::written_value_of,
    path::as_member,
    scope::{Meaning, Scope},
    text::Text,
};
use crate::notes::Notes;

/// Functions of the browser that run text.
const EVALUATORS: &[&[&str]] = &[&["eval"], &["execScript"]];

/// Functions of the browser that run their first argument later, and take a text for it.
const TIMERS: &[&[&str]] =
    &[&["setTimeout"], &["setInterval"], &["setImmediate"], &["scheduler", "postTask"], &["msSetImmediate"]];

/// Constructors that make functions of their last argument.
const CONSTRUCTORS: &[&str] = &["Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let (path, skipped) = call.direct(scope).unwrap_or_else(|| (call.path.clone(), 0));
    let argument = |place: usize| call.argument(place + skipped);
    if EVALUATORS.iter().any(|known| path == *known) {
        note(scope, call.at, &DYNAMIC_CODE_EVAL, argument(0), notes);
    } else if TIMERS.iter().any(|known| path == *known) {
        if let Some(text) = argument(0).and_then(|argument| as_text(scope, argument)) {
            notes.note(call.at, &DYNAMIC_CODE_STRING_TIMER, Some(constness(&text)));
        }
    } else if makes_functions(scope, call, &path) {
        if let Some(last) = call.arguments.get(skipped..).and_then(<[_]>::last) {
            note(scope, call.at, &DYNAMIC_CODE_FUNCTION_CONSTRUCTOR, Some(last), notes);
        }
    } else if is_realm(scope, call) {
        note(scope, call.at, &DYNAMIC_CODE_REALM, argument(0), notes);
    } else if hands_on_function(scope, call) {
        notes.note(call.at, &DYNAMIC_CODE_FUNCTION_CONSTRUCTOR, Some(COMPUTED));
    }
}

/// `` Function`code` ``: the text of the template is the first argument.
pub(super) fn tagged(at: usize, path: &[&str], notes: &mut Notes) {
    if TIMERS.contains(&path) {
        notes.note(at, &DYNAMIC_CODE_STRING_TIMER, Some(CONSTANT));
    } else if matches!(path, [name] if CONSTRUCTORS.contains(name)) {
        notes.note(at, &DYNAMIC_CODE_FUNCTION_CONSTRUCTOR, Some(CONSTANT));
    }
}

/// A class of functions: its constructor makes them of texts.
pub(super) fn class<'a>(scope: &Scope<'a, '_>, at: usize, parent: &'a Expression<'a>, notes: &mut Notes) {
    let is_named =
        scope.path(parent).is_some_and(|path| matches!(path.as_slice(), [name] if CONSTRUCTORS.contains(name)));
    if is_named || is_constructor_of_functions(scope, parent) {
        notes.note(at, &DYNAMIC_CODE_FUNCTION_CONSTRUCTOR, Some(COMPUTED));
    }
}

/// Methods that call what they get with texts.
const CALLERS: &[&str] = &["flatMap", "forEach", "map", "then"];

/// `texts.map(Function)`: elsewhere the name is compared with, and makes nothing.
fn hands_on_function<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>) -> bool {
    let name = as_member(inner(call.callee)).and_then(|member| member.static_property_name());
    let place = usize::from(call.path == ["Array", "from"]);
    (place == 1 || name.is_some_and(|name| CALLERS.contains(&name)))
        && call.argument(place).and_then(|function| scope.path(function)).is_some_and(|path| path == ["Function"])
}

/// A name of the browser's that runs text and is handed on without being called: whoever gets it calls it.
pub(super) fn mention(at: usize, path: &[&str], notes: &mut Notes) {
    if EVALUATORS.contains(&path) {
        notes.note(at, &DYNAMIC_CODE_EVAL, Some(COMPUTED));
    }
}

fn note<'a>(
    scope: &Scope<'a, '_>,
    at: usize,
    what: &'static FactSpec,
    code: Option<&'a Expression<'a>>,
    notes: &mut Notes,
) {
    let text = code.map(|code| scope.text(code)).unwrap_or_default();
    notes.note(at, what, Some(constness(&text)));
}

/// The text that an expression surely gives, whole or in part.
pub(super) fn as_text<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> Option<Text> {
    let text = scope.text(expression);
    let is_number = matches!(scope.behind(expression), Expression::NumericLiteral(_));
    let is_joined = matches!(scope.behind(expression), Expression::TemplateLiteral(_));
    let is_text =
        text.is_something() || is_joined || is_sum_with_text(scope, expression) || is_made_text(scope, expression);
    (!is_number && is_text).then_some(text)
}

/// `String(x)`, `x.toString()`, `list.join("")`: a text, whatever is in it.
fn is_made_text<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> bool {
    let Expression::CallExpression(call) = scope.behind(expression) else { return false };
    let method = as_member(inner(&call.callee)).and_then(|member| member.static_property_name());
    matches!(method, Some("join" | "toString")) || scope.path(&call.callee).is_some_and(|path| path == ["String"])
}

/// A sum is a text when one of its terms is one.
fn is_sum_with_text<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> bool {
    let mut left = scope.behind(expression);
    while let Expression::BinaryExpression(sum) = left
        && sum.operator == oxc_ast::ast::BinaryOperator::Addition
    {
        if matches!(inner(&sum.right), Expression::StringLiteral(_) | Expression::TemplateLiteral(_)) {
            return true;
        }
        left = inner(&sum.left);
    }
    false
}

fn makes_functions<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, path: &[&str]) -> bool {
    match path {
        [name] => CONSTRUCTORS.contains(name),
        [] => is_constructor_of_functions(scope, call.callee),
        ["Function", "prototype", "constructor"] => true,
        // `Function.bind.call(f, …)` binds `f`.
        ["Function", "bind"] if call.path.len() > 2 => {
            call.argument(0).and_then(|bound| scope.path(bound)).is_some_and(|bound| bound == ["Function"])
        }
        ["Function", "bind"] => call.arguments.len() > 1,
        _ => is_constructor_of_functions(scope, call.callee),
    }
}

/// `(() => {}).constructor`, `[].map.constructor`, `a.constructor.constructor`: all of them are `Function`.
fn is_constructor_of_functions<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> bool {
    let Some(object) = constructor_of(scope, scope.behind(expression)) else {
        return is_hidden_constructor(scope, scope.behind(expression));
    };
    let behind = scope.behind(object);
    if scope.path(behind).is_some_and(|path| is_function_path(&path)) {
        return true;
    }
    match behind {
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) | Expression::ClassExpression(_) => {
            true
        }
        Expression::Identifier(name) => scope.is_function_name(name),
        Expression::CallExpression(call) => {
            // `Object.getPrototypeOf(async function () {})`
            let path = scope.path(&call.callee);
            let gives_prototype = matches!(path.as_deref(), Some(["Object" | "Reflect", "getPrototypeOf"]));
            let of = call.arguments.first().and_then(|argument| argument.as_expression());
            gives_prototype && of.is_some_and(|of| is_function(scope.behind(of)))
        }
        other => match as_member(other) {
            Some(member) => is_function_member(scope, member),
            None => false,
        },
    }
}

/// Names of the browser that are functions, or have only functions below them.
const FUNCTIONS: &[&str] = &[
    "Array",
    "Boolean",
    "Date",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "addEventListener",
    "alert",
    "atob",
    "blur",
    "btoa",
    "cancelAnimationFrame",
    "cancelIdleCallback",
    "clearInterval",
    "clearTimeout",
    "close",
    "confirm",
    "console",
    "createImageBitmap",
    "crypto",
    "decodeURI",
    "decodeURIComponent",
    "dispatchEvent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "fetch",
    "find",
    "focus",
    "getComputedStyle",
    "getSelection",
    "hasOwnProperty",
    "history",
    "importScripts",
    "isFinite",
    "isNaN",
    "isPrototypeOf",
    "location",
    "matchMedia",
    "moveBy",
    "moveTo",
    "navigator",
    "open",
    "parseFloat",
    "parseInt",
    "performance",
    "postMessage",
    "print",
    "prompt",
    "propertyIsEnumerable",
    "queueMicrotask",
    "removeEventListener",
    "reportError",
    "requestAnimationFrame",
    "requestIdleCallback",
    "resizeBy",
    "resizeTo",
    "screen",
    "scroll",
    "scrollBy",
    "scrollTo",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "stop",
    "structuredClone",
    "toLocaleString",
    "toString",
    "unescape",
    "valueOf",
];

fn is_function_path(path: &[&str]) -> bool {
    // A global name that begins as classes do is one.
    let is_class = matches!(path, [name] if name.starts_with(|first: char| first.is_ascii_uppercase()));
    let is_known = path.first().is_some_and(|name| FUNCTIONS.contains(name));
    (is_class || is_known) && path.last() != Some(&"prototype")
}

/// `[][a][b](code)`: whoever hides both names of a member of a member of nothing means `Function`.
fn is_hidden_constructor<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> bool {
    let hidden = |expression: &'a Expression<'a>| {
        let Expression::ComputedMemberExpression(member) = expression else { return None };
        (!scope.text(&member.expression).is_whole).then_some(&member.object)
    };
    let nothing = hidden(expression).and_then(|object| hidden(inner(object)));
    nothing
        .is_some_and(|nothing| matches!(inner(nothing), Expression::ArrayExpression(list) if list.elements.is_empty()))
}

fn is_function(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_))
}

/// Whether a member is surely a function: a constructor, the prototype of one, or a method of something written down.
fn is_function_member<'a>(scope: &Scope<'a, '_>, member: &'a MemberExpression<'a>) -> bool {
    let name = member_name(scope, member);
    match name.as_deref() {
        // Who calls the constructor behind `__proto__` with a text means the one of a function.
        Some("__proto__" | "constructor") => true,
        Some("prototype") => is_function(scope.behind(member.object())),
        _ => is_written_down(inner(member.object()), name.as_deref()),
    }
}

/// Whether an object is written down and has its members from its prototype.
fn is_written_down(object: &Expression<'_>, member: Option<&str>) -> bool {
    if let Expression::ObjectExpression(object) = object {
        return member.is_some_and(|member| written_value_of(object, member).is_none());
    }
    matches!(
        object,
        Expression::ArrayExpression(_)
            | Expression::BooleanLiteral(_)
            | Expression::NumericLiteral(_)
            | Expression::RegExpLiteral(_)
            | Expression::StringLiteral(_)
            | Expression::TemplateLiteral(_)
    )
}

fn constructor_of<'a>(scope: &Scope<'a, '_>, expression: &'a Expression<'a>) -> Option<&'a Expression<'a>> {
    if let Expression::Identifier(name) = expression
        && let Meaning::Alias(Alias { value, member: Some("constructor") }) = scope.meaning(name)
    {
        return Some(value);
    }
    let member = as_member(expression)?;
    (member_name(scope, member)? == "constructor").then(|| member.object())
}

fn is_realm<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>) -> bool {
    let Some(member) = as_member(inner(call.callee)) else { return false };
    if !matches!(member.static_property_name(), Some("evaluate" | "importValue")) {
        return false;
    }
    let Expression::NewExpression(made) = scope.behind(member.object()) else { return false };
    scope.path(&made.callee).is_some_and(|path| path == ["ShadowRealm"])
}
