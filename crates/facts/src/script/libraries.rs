//! Functions of libraries that contact hosts or load scripts, by the names that everybody gives them.

use oxc_ast::ast::{ArrayExpressionElement, Expression, ObjectPropertyKind};
use svc_core::package::fact_table::{CONTACT_XHR, REMOTE_CODE_SCRIPT};

use super::inner::inner;
use super::{addresses::hand_on_known, call::Call, object::written_value_of, path::as_member, scope::Scope};
use crate::notes::{Notes, Sink};

static REQUEST: Sink = Sink { remote: &CONTACT_XHR, local: None, runs: false };
static SCRIPT: Sink = Sink { remote: &REMOTE_CODE_SCRIPT, local: None, runs: true };

/// Names of libraries that send requests, and their methods.
const CLIENTS: &[(&str, &[&str])] = &[
    ("$", &["ajax", "get", "getJSON", "load", "post"]),
    ("axios", VERBS),
    ("jQuery", &["ajax", "get", "getJSON", "load", "post"]),
    ("ky", VERBS),
    ("superagent", VERBS),
];

const VERBS: &[&str] = &["create", "delete", "get", "head", "options", "patch", "post", "put", "request"];

/// Members of settings that are addresses.
const SETTINGS: &[&str] = &["baseURL", "prefixUrl", "url"];

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    if is_client(call.callee) {
        request(scope, call, notes);
    }
    match call.path.as_slice() {
        ["define" | "require" | "requirejs"] => call.arguments.iter().for_each(|list| modules(scope, list, notes)),
        ["require" | "requirejs", "config"] => paths(scope, call, notes),
        _ => {}
    }
}

fn is_client(callee: &Expression<'_>) -> bool {
    match (inner(callee), as_member(inner(callee))) {
        (Expression::Identifier(name), _) => matches!(name.name.as_str(), "axios" | "ky"),
        (_, Some(member)) => {
            let Expression::Identifier(object) = inner(member.object()) else { return false };
            let methods = CLIENTS.iter().find(|(name, _)| object.name == *name).map(|(_, methods)| *methods);
            methods.is_some_and(|methods| member.static_property_name().is_some_and(|name| methods.contains(&name)))
        }
        _ => false,
    }
}

fn request<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    for argument in call.arguments {
        if let Expression::ObjectExpression(settings) = scope.behind(argument) {
            for address in SETTINGS.iter().filter_map(|name| written_value_of(settings, name)) {
                hand_on_known(scope, address, &REQUEST, notes);
            }
        } else {
            hand_on_known(scope, argument, &REQUEST, notes);
        }
    }
}

/// The modules that another one asks for.
fn modules<'a>(scope: &Scope<'a, '_>, list: &'a Expression<'a>, notes: &mut Notes) {
    if let Expression::ArrayExpression(list) = inner(list) {
        for module in list.elements.iter().filter_map(ArrayExpressionElement::as_expression) {
            hand_on_known(scope, module, &SCRIPT, notes);
        }
    }
}

/// Where modules are looked for: `{ paths: { name: address } }`.
fn paths<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let Some(Expression::ObjectExpression(settings)) = call.argument(0).map(|settings| scope.behind(settings)) else {
        return;
    };
    if let Some(base) = written_value_of(settings, "baseUrl") {
        hand_on_known(scope, base, &SCRIPT, notes);
    }
    let Some(Expression::ObjectExpression(paths)) = written_value_of(settings, "paths").map(inner) else { return };
    for path in &paths.properties {
        if let ObjectPropertyKind::ObjectProperty(path) = path {
            modules(scope, &path.value, notes);
            hand_on_known(scope, &path.value, &SCRIPT, notes);
        }
    }
}
