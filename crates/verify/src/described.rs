//! Requests made from what the registry says of itself: every route that it describes is asked, and every one of them by a
//! method that it does not describe.
//!
//! The description is foreign. It decides what is asked for and below the base path alone; what must come back is decided
//! elsewhere. Streams have no end, and are not asked for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use svc_client::exchange::Request;
use svc_core::{contract::contracts::BASE_PATH, words::problem_code::ProblemCode};

use crate::{
    claims::Reading,
    order::Order,
    probe::{self, ExpectedRefusal, ExpectedReply, Probe},
    seed,
};

/// More routes than this are not asked for.
const MAX_ROUTES: usize = 200;

/// Methods that a route may have, as OpenAPI writes them.
const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "options", "head"];

/// Methods that a route is tried with when it does not have them.
const OTHERS: [&str; 6] = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"];

/// What to put for the parameters of paths.
const PARAMETERS: [(&str, &str); 3] = [("{code}", "digest-mismatch"), ("{name}", "decision"), ("{index}", "0")];

/// The routes that a registry describes, by their paths.
#[derive(Debug, Default)]
pub(crate) struct Description {
    routes: BTreeMap<String, Route>,
}

#[derive(Debug, Default)]
struct Route {
    methods: BTreeSet<&'static str>,
    /// The statuses that its GET lists.
    statuses: BTreeSet<u16>,
    is_stream: bool,
}

impl Description {
    /// Reads the OpenAPI description and the contract, as far as they are served. The six routes of the specification are
    /// there whoever describes them.
    pub(crate) fn read(openapi: Option<&Value>, contract: Option<&Value>) -> Self {
        let mut read = Self::default();
        for (path, _) in seed::SIX_POSTS {
            read.add(&format!("{BASE_PATH}{path}"), "post");
        }
        let operations = contract.and_then(|contract| contract.get("operations")).and_then(Value::as_array);
        for operation in operations.into_iter().flatten() {
            let text = |member: &str| operation.get(member).and_then(Value::as_str).unwrap_or_default();
            let path = text("path");
            let path = if path.starts_with(BASE_PATH) { path.to_owned() } else { format!("{BASE_PATH}{path}") };
            read.add(&path, &text("method").to_ascii_lowercase());
        }
        let paths = openapi.and_then(|openapi| openapi.get("paths")).and_then(Value::as_object);
        for (path, methods) in paths.into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if let Some(route) = read.add(path, method)
                    && method == "get"
                {
                    route.describe(operation);
                }
            }
        }
        read
    }

    fn add(&mut self, path: &str, method: &str) -> Option<&mut Route> {
        let method = METHODS.iter().find(|known| **known == method)?;
        let path = PARAMETERS.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value));
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._".contains(&byte));
        let is_known = self.routes.contains_key(&path) || self.routes.len() < MAX_ROUTES;
        if !is_plain || path.contains("..") || !path.starts_with(BASE_PATH) || !is_known {
            return None;
        }
        let route = self.routes.entry(path).or_default();
        route.methods.insert(method);
        Some(route)
    }

    /// A GET of each route that has one, but those that were asked for before.
    pub(crate) fn gets(&self, has_read: impl Fn(&str) -> bool) -> Vec<Probe> {
        let unread = self.read_routes().filter(|(path, _)| !has_read(path));
        unread
            .map(|(path, route)| {
                let expected = ExpectedReply::Described { statuses: route.statuses.clone(), reading: reading_of(path) };
                Probe::new(format!("GET {path}"), probe::get(path.clone()), expected)
            })
            .collect()
    }

    /// HEAD for each of them.
    pub(crate) fn heads(&self) -> Vec<Probe> {
        let head = |(path, _): (&String, &Route)| {
            let mut request = probe::get(path.clone());
            request.method = "HEAD";
            Probe::new(format!("HEAD {path}"), request, ExpectedReply::LikeGet { get: path.clone() })
        };
        self.read_routes().map(head).collect()
    }

    /// Each route by a method that it does not have.
    pub(crate) fn others(&self, order: &mut Order) -> Vec<Probe> {
        let mut probes = Vec::new();
        for (path, route) in &self.routes {
            let mut others: Vec<&'static str> = OTHERS.into_iter().filter(|method| !route.has(method)).collect();
            order.shuffle(&mut others);
            let Some(method) = others.first() else { continue };
            let mut request = probe::get(path.clone());
            request.method = method;
            if matches!(*method, "POST" | "PUT" | "PATCH") {
                request = Request { method, ..probe::post(path.clone(), b"{}".as_slice().into()) };
            }
            let refusal = ExpectedRefusal::of_contract(ProblemCode::MethodNotAllowed);
            probes.push(Probe::new(format!("{method} {path}"), request, ExpectedReply::Refused(refusal)));
        }
        probes
    }

    fn read_routes(&self) -> impl Iterator<Item = (&String, &Route)> {
        self.routes.iter().filter(|(_, route)| route.has("GET") && !route.is_stream)
    }
}

impl Route {
    fn has(&self, method: &str) -> bool {
        self.methods.iter().any(|own| own.eq_ignore_ascii_case(method))
    }

    fn describe(&mut self, operation: &Value) {
        let responses = operation.get("responses").and_then(Value::as_object);
        for (status, response) in responses.into_iter().flatten() {
            self.statuses.extend(status.parse::<u16>().ok());
            let content = response.get("content").and_then(Value::as_object);
            self.is_stream |= content.is_some_and(|content| content.contains_key("text/event-stream"));
        }
        // A range or a default lists every status.
        let is_open = |status: &String| status.parse::<u16>().is_err();
        if responses.is_some_and(|responses| responses.keys().any(is_open)) {
            self.statuses.clear();
        }
    }
}

/// Schemas and descriptions speak of members without claiming anything by them.
fn reading_of(path: &str) -> Reading {
    let below = path.strip_prefix(BASE_PATH).unwrap_or_default();
    let is_description = below.is_empty() || below.starts_with("/schemas/") || below.starts_with("/openapi");
    if is_description { Reading::Description } else { Reading::Statement }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(probes: &[Probe]) -> Vec<&str> {
        probes.iter().map(|probe| probe.name.strip_prefix("GET ").unwrap_or(&probe.name)).collect()
    }

    #[test]
    fn a_hostile_description_leads_nowhere_but_below_the_base_path() {
        let paths = [
            "http://other.example/api/sdk/registry/a",
            "//other.example/api/sdk/registry",
            "/admin",
            "/api/sdk/registry/../admin",
            "/api/sdk/registry/a b",
            "/api/sdk/registry/a?b=c",
            "/api/sdk/registry/a\r\nx: y",
            "/api/sdk/registry/{unknown}",
            "/api/sdk/registry/%2e%2e/admin",
            "/api/sdk/registry/good",
        ];
        let paths: serde_json::Map<String, Value> =
            paths.iter().map(|path| ((*path).to_owned(), json!({"get": {}, "trace": {}, "x": 1}))).collect();
        let read = Description::read(Some(&json!({ "paths": paths })), None);
        assert_eq!(names(&read.gets(|_| false)), ["/api/sdk/registry/good"]);
        assert_eq!(read.heads().len(), 1);
        let many: serde_json::Map<String, Value> =
            (0..5000).map(|at| (format!("/api/sdk/registry/{at}"), json!({"get": {}}))).collect();
        let read = Description::read(Some(&json!({ "paths": many })), None);
        assert!(read.gets(|_| false).len() <= MAX_ROUTES);
    }

    #[test]
    fn streams_and_what_was_asked_before_are_left_out() {
        let described = json!({"paths": {
            "/api/sdk/registry/feed": {"get": {"responses": {"200": {"content": {"text/event-stream": {}}}}}},
            "/api/sdk/registry/version": {"get": {"responses": {"200": {}}}},
            "/api/sdk/registry/problems/{code}": {"get": {"responses": {"200": {}, "404": {}}}},
        }});
        let read = Description::read(Some(&described), None);
        let gets = read.gets(|path| path.ends_with("/version"));
        assert_eq!(names(&gets), ["/api/sdk/registry/problems/digest-mismatch"]);
        assert_eq!(read.heads().len(), 2);
    }

    #[test]
    fn no_route_is_tried_with_a_method_that_it_has() {
        let described = json!({"paths": {"/api/sdk/registry/all": {
            "get": {}, "post": {}, "put": {}, "patch": {}, "options": {},
        }}});
        let read = Description::read(Some(&described), None);
        for seed in 0..20 {
            let others = read.others(&mut Order::of(seed));
            assert_eq!(others.len(), 7);
            let of_all = others.iter().find(|probe| probe.request.path.ends_with("/all")).unwrap();
            assert_eq!(of_all.request.method, "DELETE");
            assert!(others.iter().all(|probe| probe.request.path.ends_with("/all") || probe.request.method != "POST"));
        }
    }
}
