//! The read-only documents, rendered once, each with its entity tag.

pub mod journal_page;
pub(crate) mod problem_page;
pub mod status;

use std::{collections::BTreeMap, sync::OnceLock};

use bytes::Bytes;
use serde::Serialize;
use svc_core::{contract::contracts, rules::ruleset::Rules};
use svc_json::canonical;

use crate::{
    answer::{Answer, AnswerKind, JSON},
    conditional::entity_tag,
    openapi,
    routes::{Operation, Serves},
};

/// The documents by path. Each is rendered when it is first asked for, so that a service starts without waiting for pages
/// that nobody may read.
#[derive(Debug)]
pub(crate) struct Documents {
    by_path: BTreeMap<String, OnceLock<Option<Document>>>,
}

#[derive(Debug)]
struct Document {
    body: Bytes,
    media_type: &'static str,
    tag: String,
}

impl Documents {
    /// A place for every document of the table.
    pub(crate) fn of(operations: &[Operation]) -> Self {
        Self { by_path: operations.iter().map(|operation| (operation.path.clone(), OnceLock::new())).collect() }
    }

    fn rendered(&self, rules: &Rules, path: &str, operations: &[Operation]) -> Option<&Document> {
        let document = self.by_path.get(path)?.get_or_init(|| {
            let operation = operations.iter().find(|operation| operation.path == path)?;
            let (body, media_type) = render(rules, operation, operations)?;
            let tag = entity_tag(&body);
            Some(Document { body: body.into(), media_type, tag })
        });
        document.as_ref()
    }

    pub(crate) fn answer(&self, rules: &Rules, path: &str, operations: &[Operation]) -> Option<Answer> {
        let document = self.rendered(rules, path, operations)?;
        Some(Answer {
            status: 200,
            headers: vec![
                ("content-type", document.media_type.into()),
                ("cache-control", "public, max-age=300".into()),
                ("etag", document.tag.clone().into()),
            ],
            body: document.body.clone(),
            kind: AnswerKind::Document,
        })
    }
}

fn render(rules: &Rules, operation: &Operation, operations: &[Operation]) -> Option<(Vec<u8>, &'static str)> {
    match operation.serves {
        Serves::Contract(name) => Some(((contracts::find(name)?.render)(rules), JSON)),
        Serves::Schema(name) => Some((contracts::schema(name)?, "application/schema+json")),
        Serves::Problem(code) => Some((problem_page::render(code), JSON)),
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
    canonical::to_pretty(&BTreeMap::from([("links", links)]))
}
