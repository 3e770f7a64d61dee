//! Asks the registry in-process.

use hyper::{
    HeaderMap,
    header::{HeaderName, HeaderValue},
};
use svc_registry_api::{answer::Answer, request::RequestHead};
use svc_server::door::{Door, Setup};

/// A registry without tokens and rates.
pub(crate) fn registry() -> Door {
    Door::new(Setup::default())
}

/// Asks with these headers beside Host. A header of the same name replaces; an empty value removes.
pub(crate) fn ask(registry: &Door, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut map = HeaderMap::new();
    map.insert("host", HeaderValue::from_static("registry.example"));
    if method == "POST" {
        map.insert("content-type", HeaderValue::from_static("application/json"));
    }
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        if value.is_empty() {
            map.remove(name);
        } else {
            map.insert(name, value.parse().unwrap());
        }
    }
    let address = Some([127, 0, 0, 1].into());
    registry.answer(RequestHead { method, path, has_query: false, headers: &map, address }, body)
}

pub(crate) fn post(registry: &Door, path: &str, body: &[u8]) -> Answer {
    ask(registry, "POST", path, &[], body)
}

pub(crate) fn get(registry: &Door, path: &str) -> Answer {
    ask(registry, "GET", path, &[], b"")
}

/// The value of a header of an answer.
pub(crate) fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| &**value)
}

/// A path that a route with parts in braces takes.
pub(crate) fn concrete(path: &str) -> String {
    path.replace("{level}", "0").replace("{tile}", "000").replace("{index}", "0")
}
