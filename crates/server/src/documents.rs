//! The read-only documents, rendered once, each with its entity tag.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::Serialize;
use svc_core::{canonical_json, contract, digest::Digest, problem::ProblemCode};

use crate::{
    answer::{Answer, JSON, Posture},
    openapi,
    operation::{Operation, Serves},
};

/// The documents by path.
#[derive(Debug)]
pub(crate) struct Documents {
    by_path: BTreeMap<String, Document>,
}

#[derive(Debug)]
struct Document {
    body: Bytes,
    media_type: &'static str,
    tag: String,
}

impl Documents {
    /// Renders every document of the table that never changes.
    pub(crate) fn render(operations: &[Operation]) -> Self {
        let rendered = operations.iter().filter_map(|operation| {
            let (body, media_type) = render(operation, operations)?;
            let tag = format!("\"{}\"", Digest::of(&body).hex());
            Some((operation.path.clone(), Document { body: body.into(), media_type, tag }))
        });
        Self { by_path: rendered.collect() }
    }

    /// The document at a path, or that the client has it already.
    pub(crate) fn answer(&self, path: &str, if_none_match: Option<&str>) -> Option<Answer> {
        let document = self.by_path.get(path)?;
        let current = if_none_match.is_some_and(|tags| {
            tags.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == "*" || tag == document.tag)
        });
        Some(Answer {
            status: if current { 304 } else { 200 },
            headers: vec![
                ("content-type", document.media_type.into()),
                ("cache-control", "public, max-age=300".into()),
                ("etag", document.tag.clone()),
            ],
            body: if current { Bytes::new() } else { document.body.clone() },
            posture: Posture::Document,
        })
    }
}

fn render(operation: &Operation, operations: &[Operation]) -> Option<(Vec<u8>, &'static str)> {
    match operation.serves {
        Serves::Contract(name) => Some(((contract::find(name)?.render)(), JSON)),
        Serves::Schema(name) => Some((contract::schema(name)?, "application/schema+json")),
        Serves::Problem(code) => Some((problem_page(code), JSON)),
        Serves::Links => Some((links(operations), JSON)),
        Serves::OpenApi => Some((openapi::render(operations), JSON)),
        Serves::Evaluation(_)
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics
        | Serves::Journal(_) => None,
    }
}

#[derive(Serialize)]
struct ProblemPage {
    code: ProblemCode,
    help: &'static str,
    status: u16,
    title: &'static str,
}

fn problem_page(code: ProblemCode) -> Vec<u8> {
    let spec = code.spec();
    canonical_json::to_pretty(&ProblemPage { code, help: spec.help, status: spec.status, title: spec.title })
}

#[derive(Serialize)]
struct Link<'a> {
    about: &'a str,
    href: &'a str,
    method: &'static str,
    operation: &'a str,
}

fn links(operations: &[Operation]) -> Vec<u8> {
    let links: Vec<Link<'_>> = operations
        .iter()
        .map(|operation| Link {
            about: &operation.about,
            href: &operation.path,
            method: operation.method.as_str(),
            operation: &operation.id,
        })
        .collect();
    canonical_json::to_pretty(&BTreeMap::from([("links", links)]))
}
