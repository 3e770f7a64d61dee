//! Where a script hands an address on: what it contacts, and what it loads as code. One row a place.

use oxc_ast::ast::{ArrayExpressionElement, Expression};
use svc_core::package::fact_table::{
    COMPUTED, CONTACT_BEACON, CONTACT_ELEMENT, CONTACT_EVENT_SOURCE, CONTACT_FETCH, CONTACT_FORM, CONTACT_FRAME,
    CONTACT_IMAGE, CONTACT_LINK, CONTACT_MEDIA, CONTACT_NAVIGATION, CONTACT_PEER, CONTACT_WEB_TRANSPORT,
    CONTACT_WEBSOCKET, CONTACT_XHR, DYNAMIC_CODE_BLOB_CODE, DYNAMIC_CODE_JAVASCRIPT_ADDRESS, FactSpec,
    REFERENCE_LOADED_ELEMENT, REFERENCE_LOADED_SCRIPT, REFERENCE_LOADED_STYLE, REFERENCE_MODULE, REMOTE_CODE_MODULE,
    REMOTE_CODE_SCRIPT, REMOTE_CODE_STYLE, REMOTE_CODE_WASM, REMOTE_CODE_WORKER,
};

use super::inner::inner;
use super::text::constness;
use super::{
    call::{Call, start},
    object::written_value_of,
    path::as_member,
    scope::Scope,
    text::Text,
};
use crate::{
    address::Address,
    notes::{Notes, Sink},
};

/// What is only contacted. A script's own files are looked for by the page's address, which it does not know.
const fn contact(remote: &'static FactSpec) -> Sink {
    Sink { remote, local: None, runs: false }
}

/// What runs when it has come. A file of the package must be one that is read as a script.
const fn code(remote: &'static FactSpec) -> Sink {
    Sink { remote, local: Some(&REFERENCE_LOADED_SCRIPT), runs: true }
}

/// A module names its modules by its own address.
pub(super) const MODULE: Sink = Sink { remote: &REMOTE_CODE_MODULE, local: Some(&REFERENCE_MODULE), runs: true };

/// Functions of the browser that take an address, as which argument.
static CALLS: &[(&[&str], usize, Sink)] = &[
    (&["EventSource"], 0, contact(&CONTACT_EVENT_SOURCE)),
    (&["SharedWorker"], 0, code(&REMOTE_CODE_WORKER)),
    (&["System", "import"], 0, code(&REMOTE_CODE_MODULE)),
    (&["WebSocket"], 0, contact(&CONTACT_WEBSOCKET)),
    (&["WebSocketStream"], 0, contact(&CONTACT_WEBSOCKET)),
    (&["WebTransport"], 0, contact(&CONTACT_WEB_TRANSPORT)),
    (&["Worker"], 0, code(&REMOTE_CODE_WORKER)),
    (&["CSS", "animationWorklet", "addModule"], 0, code(&REMOTE_CODE_WORKER)),
    (&["CSS", "layoutWorklet", "addModule"], 0, code(&REMOTE_CODE_WORKER)),
    (&["CSS", "paintWorklet", "addModule"], 0, code(&REMOTE_CODE_WORKER)),
    (&["document", "location", "assign"], 0, contact(&CONTACT_NAVIGATION)),
    (&["document", "location", "replace"], 0, contact(&CONTACT_NAVIGATION)),
    (&["fetch"], 0, contact(&CONTACT_FETCH)),
    (&["fetchLater"], 0, contact(&CONTACT_FETCH)),
    (&["importShim"], 0, code(&REMOTE_CODE_MODULE)),
    (&["location", "assign"], 0, contact(&CONTACT_NAVIGATION)),
    (&["location", "replace"], 0, contact(&CONTACT_NAVIGATION)),
    (&["navigation", "navigate"], 0, contact(&CONTACT_NAVIGATION)),
    (&["navigator", "sendBeacon"], 0, contact(&CONTACT_BEACON)),
    (&["navigator", "serviceWorker", "register"], 0, code(&REMOTE_CODE_WORKER)),
    (&["open"], 0, contact(&CONTACT_NAVIGATION)),
];

/// The same where an address that nobody knows yet says nothing.
static KNOWN_CALLS: &[(&[&str], usize, Sink)] = &[(&["Audio"], 0, contact(&CONTACT_MEDIA))];

/// Methods that take an address and have no name of the browser's before them, as which argument.
static METHODS: &[(&str, usize, Sink)] = &[
    ("addAll", 0, contact(&CONTACT_FETCH)),
    ("addModule", 0, code(&REMOTE_CODE_WORKER)),
    ("getScript", 0, code(&REMOTE_CODE_SCRIPT)),
    ("sendBeacon", 0, contact(&CONTACT_BEACON)),
];

/// A worker that stands beside the module that starts it.
static MODULE_WORKER: Sink = Sink { remote: &REMOTE_CODE_WORKER, local: Some(&REFERENCE_MODULE), runs: true };
static PEER: Sink = contact(&CONTACT_PEER);
static XHR: Sink = contact(&CONTACT_XHR);
static IMPORT_SCRIPTS: Sink = code(&REMOTE_CODE_SCRIPT);
static NAVIGATION: Sink = contact(&CONTACT_NAVIGATION);
/// WebAssembly is told by its bytes under any name.
static WASM: Sink = Sink { remote: &REMOTE_CODE_WASM, local: None, runs: true };

/// Properties and attributes that take an address, by the element that they are set on.
static PROPERTIES: &[(&str, &str, Sink)] = &[
    ("a", "ping", contact(&CONTACT_BEACON)),
    ("area", "ping", contact(&CONTACT_BEACON)),
    ("audio", "src", contact(&CONTACT_MEDIA)),
    ("base", "href", Sink { remote: &REMOTE_CODE_SCRIPT, local: None, runs: true }),
    ("embed", "src", contact(&CONTACT_FRAME)),
    ("form", "action", contact(&CONTACT_FORM)),
    ("frame", "src", contact(&CONTACT_FRAME)),
    ("iframe", "src", contact(&CONTACT_FRAME)),
    ("image", "href", contact(&CONTACT_IMAGE)),
    ("img", "src", contact(&CONTACT_IMAGE)),
    ("img", "srcset", contact(&CONTACT_IMAGE)),
    ("object", "data", contact(&CONTACT_FRAME)),
    ("script", "href", code(&REMOTE_CODE_SCRIPT)),
    ("script", "src", code(&REMOTE_CODE_SCRIPT)),
    ("source", "src", contact(&CONTACT_MEDIA)),
    ("track", "src", contact(&CONTACT_MEDIA)),
    ("use", "href", contact(&CONTACT_IMAGE)),
    ("video", "poster", contact(&CONTACT_IMAGE)),
    ("video", "src", contact(&CONTACT_MEDIA)),
];

/// Properties of an element that is not known: what a script sets them for.
static ANY_ELEMENT: &[(&str, Sink)] = &[
    ("action", contact(&CONTACT_FORM)),
    ("ping", contact(&CONTACT_BEACON)),
    ("src", Sink { remote: &CONTACT_ELEMENT, local: Some(&REFERENCE_LOADED_ELEMENT), runs: true }),
];

static STYLE: Sink = Sink { remote: &REMOTE_CODE_STYLE, local: Some(&REFERENCE_LOADED_STYLE), runs: true };

/// A link of which it is not known what it is.
static ANY_LINK: Sink = Sink { remote: &REMOTE_CODE_STYLE, local: None, runs: true };
static OTHER_LINK: Sink = contact(&CONTACT_LINK);

/// What a link loads, by its relation: what runs first.
static RELATIONS: &[(&str, &Sink)] =
    &[("stylesheet", &STYLE), ("modulepreload", &MODULE_PRELOAD), ("apple-touch-icon", &PICTURE), ("icon", &PICTURE)];
static PICTURE: Sink = contact(&CONTACT_IMAGE);
static MODULE_PRELOAD: Sink = code(&REMOTE_CODE_MODULE);

/// Looks at a call.
pub(super) fn call<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let (path, skipped) = call.direct(scope).unwrap_or_else(|| (call.path.clone(), 0));
    if path == ["importScripts"] {
        for argument in call.arguments.iter().skip(skipped) {
            hand_on(scope, argument, &IMPORT_SCRIPTS, notes);
        }
        return;
    }
    if matches!(path.as_slice(), [name] if name.ends_with("RTCPeerConnection")) {
        call.argument(skipped).into_iter().for_each(|settings| peers(scope, settings, notes));
        return;
    }
    if matches!(path.as_slice(), ["WebAssembly", "instantiateStreaming" | "compileStreaming"]) {
        streamed(scope, call, notes);
        return;
    }
    let row = CALLS.iter().find(|(known, _, _)| path == *known);
    if let Some((_, place, sink)) = row {
        if let Some(argument) = call.argument(place + skipped) {
            let is_own = sink.remote == &REMOTE_CODE_WORKER && is_module_relative(scope, argument);
            hand_on(scope, argument, if is_own { &MODULE_WORKER } else { sink }, notes);
        }
        return;
    }
    if let Some((_, place, sink)) = KNOWN_CALLS.iter().find(|(known, _, _)| path == *known)
        && let Some(argument) = call.argument(place + skipped)
    {
        hand_on_known(scope, argument, sink, notes);
    }
    if path.is_empty() || path.len() > 1 {
        method(scope, call, notes);
    }
}

/// The servers that arrange a connection between browsers: `{ iceServers: [{ urls: "turn:host" }] }`.
fn peers<'a>(scope: &Scope<'a, '_>, settings: &'a Expression<'a>, notes: &mut Notes) {
    let Expression::ObjectExpression(settings) = scope.behind(settings) else { return };
    let servers = written_value_of(settings, "iceServers").map(|servers| scope.behind(servers));
    let Some(Expression::ArrayExpression(servers)) = servers else { return };
    for server in servers.elements.iter().filter_map(ArrayExpressionElement::as_expression) {
        let Expression::ObjectExpression(server) = scope.behind(server) else { continue };
        let Some(address) = written_value_of(server, "urls").or_else(|| written_value_of(server, "url")) else {
            continue;
        };
        if let Expression::ArrayExpression(list) = scope.behind(address) {
            let elements = list.elements.iter().filter_map(ArrayExpressionElement::as_expression);
            elements.for_each(|address| peer(scope, address, notes));
        } else {
            peer(scope, address, notes);
        }
    }
}

/// One such server, told as the origin of its host.
fn peer<'a>(scope: &Scope<'a, '_>, address: &'a Expression<'a>, notes: &mut Notes) {
    for text in scope.texts(address) {
        let host = ["stun:", "stuns:", "turn:", "turns:"].iter().find_map(|scheme| text.known.strip_prefix(scheme));
        match host.filter(|_| text.is_whole) {
            Some(host) => notes.address(start(address), &PEER, &format!("https://{host}")),
            None => notes.computed(start(address), &PEER),
        }
    }
}

/// A method of an object that the script made or got.
fn method<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let Some(name) = call.method(scope) else { return };
    if name == "open"
        && let (Some(verb), Some(address)) = (call.argument(0), call.argument(1))
        && (scope.text(verb).whole().is_some_and(|verb| is_verb(&verb)) || is_made_verb(verb))
    {
        hand_on(scope, address, &XHR, notes);
        return;
    }
    if let Some((_, place, sink)) = METHODS.iter().find(|(known, _, _)| *known == name)
        && let Some(argument) = call.argument(*place)
    {
        if let Expression::ArrayExpression(list) = scope.behind(argument) {
            let elements = list.elements.iter().filter_map(ArrayExpressionElement::as_expression);
            elements.for_each(|element| hand_on_known(scope, element, sink, notes));
        } else {
            hand_on_known(scope, argument, sink, notes);
        }
    }
}

/// `new URL("./worker.js", import.meta.url)`: beside the module itself.
fn is_module_relative<'a>(scope: &Scope<'a, '_>, address: &'a Expression<'a>) -> bool {
    let Expression::NewExpression(made) = scope.behind(address) else { return false };
    let base = made.arguments.get(1).and_then(|base| as_member(inner(base.as_expression()?)));
    base.is_some_and(|base| matches!(inner(base.object()), Expression::ImportMeta(_)))
}

/// `method.toUpperCase()`, as libraries hand it on.
fn is_made_verb(verb: &Expression<'_>) -> bool {
    let Expression::CallExpression(call) = inner(verb) else { return false };
    as_member(inner(&call.callee)).is_some_and(|member| member.static_property_name() == Some("toUpperCase"))
}

fn is_verb(text: &str) -> bool {
    ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"].iter().any(|verb| text.eq_ignore_ascii_case(verb))
}

/// WebAssembly that is compiled while it comes: the address stands in the call that fetches it.
fn streamed<'a>(scope: &Scope<'a, '_>, call: &Call<'a, '_>, notes: &mut Notes) {
    let Some(Expression::CallExpression(fetch)) = call.argument(0).map(|argument| scope.behind(argument)) else {
        return;
    };
    let address = fetch.arguments.first().and_then(|argument| argument.as_expression());
    if let Some(address) = address.filter(|_| scope.path(&fetch.callee).is_some_and(|path| path == ["fetch"])) {
        hand_on_known(scope, address, &WASM, notes);
    }
}

/// Looks at an address that is set as a property or attribute of an element.
pub(super) fn set<'a>(
    scope: &Scope<'a, '_>,
    object: &'a Expression<'a>,
    property: &str,
    value: &'a Expression<'a>,
    notes: &mut Notes,
) {
    let property = property.to_ascii_lowercase();
    let property = property.strip_prefix("xlink:").unwrap_or(&property);
    if property == "href" && scope.path(object).is_some_and(|path| is_location(&path)) {
        hand_on(scope, value, &NAVIGATION, notes);
        return;
    }
    let element = if matches!(property, "src" | "srcset" | "href" | "action" | "data" | "ping" | "poster") {
        scope.element(object)
    } else {
        return;
    };
    match element {
        Some(element) if element == "link" && property == "href" => {
            let sink = link(scope, object);
            hand_on_known(scope, value, sink, notes);
        }
        Some(element) => {
            let row = PROPERTIES.iter().find(|(known, name, _)| *known == element && *name == property);
            match row {
                Some(_) if element == "script" && scope.is_data_block(object) => {}
                Some((_, _, sink)) if element == "script" => hand_on(scope, value, sink, notes),
                Some((_, _, sink)) => hand_on_known(scope, value, sink, notes),
                None => code_address(scope, value, notes),
            }
        }
        None => match ANY_ELEMENT.iter().find(|(name, _)| *name == property) {
            // What was made at run time is a picture or a film nearly everywhere.
            Some((_, sink)) => {
                let texts = scope.texts(value).into_iter().filter(|text| Address::parse(&text.known) != Address::Blob);
                texts.for_each(|text| note(start(value), sink, &text, false, notes));
            }
            None => code_address(scope, value, notes),
        },
    }
}

/// What the address of a link loads: a style, unless the link says that it is something else.
fn link<'a>(scope: &Scope<'a, '_>, object: &'a Expression<'a>) -> &'static Sink {
    let Some(relations) = scope.settings(object, "rel") else { return &STYLE };
    let relations: Vec<Option<String>> = relations.into_iter().map(|value| scope.text(value).whole()).collect();
    if relations.is_empty() {
        return &ANY_LINK;
    }
    if relations.iter().any(Option::is_none) {
        return &STYLE;
    }
    let has = |name: &str| {
        let mut words = relations.iter().flatten().flat_map(|text| text.split_ascii_whitespace());
        words.any(|word| word.eq_ignore_ascii_case(name))
    };
    RELATIONS.iter().find(|(name, _)| has(name)).map_or(&OTHER_LINK, |(_, sink)| *sink)
}

/// Looks at a new value of `location` itself.
pub(super) fn navigate<'a>(scope: &Scope<'a, '_>, value: &'a Expression<'a>, notes: &mut Notes) {
    hand_on(scope, value, &NAVIGATION, notes);
}

pub(super) fn is_location(path: &[&str]) -> bool {
    matches!(path, ["location"] | ["document", "location"])
}

/// A link contacts nobody until it is clicked; `javascript:` in it is code all the same.
fn code_address<'a>(scope: &Scope<'a, '_>, value: &'a Expression<'a>, notes: &mut Notes) {
    for text in scope.texts(value) {
        if Address::parse(&text.known) == Address::Script {
            notes.note(start(value), &DYNAMIC_CODE_JAVASCRIPT_ADDRESS, Some(constness(&text)));
        }
    }
}

/// Notes an address that is handed on, also one that nobody knows yet.
pub(super) fn hand_on<'a>(scope: &Scope<'a, '_>, value: &'a Expression<'a>, sink: &Sink, notes: &mut Notes) {
    for text in scope.texts(value) {
        note(start(value), sink, &text, true, notes);
    }
}

/// Notes an address that is handed on, as far as it is known.
pub(super) fn hand_on_known<'a>(scope: &Scope<'a, '_>, value: &'a Expression<'a>, sink: &Sink, notes: &mut Notes) {
    for text in scope.texts(value) {
        note(start(value), sink, &text, false, notes);
    }
}

fn note(at: usize, sink: &Sink, text: &Text, also_computed: bool, notes: &mut Notes) {
    match Address::parse(&text.known) {
        Address::Blob if sink.runs && !text.is_whole => notes.note(at, &DYNAMIC_CODE_BLOB_CODE, Some(COMPUTED)),
        // The beginning of a path is relative whatever follows it; of nothing at all nothing is known.
        Address::Relative(_) if text.is_whole => notes.address(at, sink, &text.known),
        // Of an address with a query the path is known before that.
        Address::Relative(start) if start.find(['?', '#']).is_some_and(|at| at > 0) => {
            notes.address(at, sink, &text.known);
        }
        Address::Relative(start) if is_path(start) => {}
        Address::Relative(_) => {
            if also_computed {
                notes.computed(at, sink);
            }
        }
        // The name of a host goes on until a slash ends it.
        Address::Origin(_) if !text.is_whole && !names_whole_host(&text.known) => notes.computed(at, sink),
        _ => notes.address(at, sink, &text.known),
    }
}

fn is_path(start: &str) -> bool {
    ["./", "../", "?", "#"].iter().any(|beginning| start.starts_with(beginning))
        || start.starts_with('/') && start.len() > 1
}

fn names_whole_host(known: &str) -> bool {
    let rest = known.split_once("//").map_or(known, |(_, rest)| rest);
    rest.contains(['/', '?', '#'])
}
