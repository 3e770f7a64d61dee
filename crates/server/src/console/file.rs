//! A file of the console as it is sent: its bytes, the same compressed, and an entity tag for each.

use bytes::Bytes;
use hyper::HeaderMap;
use svc_core::rules::ruleset::Rules;
use svc_pages::bundle;
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    conditional::{entity_tag, unless_known},
};

use super::{api, problems, route::ConsolePage, rules as rule_pages};
use crate::gzip;

pub(super) const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// A file, made once.
#[derive(Debug)]
pub(super) enum ConsoleFile {
    Moved(&'static str),
    Shown { media_type: &'static str, plain: Coded, compressed: Option<Coded> },
}

/// One form of a file. Two forms are two things to a cache, so that each has a tag of its own.
#[derive(Debug)]
pub(super) struct Coded {
    body: Bytes,
    tag: String,
}

impl Coded {
    fn new(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self { tag: entity_tag(&body), body }
    }
}

impl ConsoleFile {
    pub(super) fn of(rules: &Rules, page: ConsolePage) -> Self {
        match page {
            ConsolePage::Moved(address) => Self::Moved(address),
            ConsolePage::Application => Self::shown(HTML, bundle::CONSOLE_PAGE),
            ConsolePage::Script => Self::shown(SCRIPT, bundle::CONSOLE_SCRIPT),
            ConsolePage::Style => Self::shown(STYLE, bundle::CONSOLE_STYLE),
            ConsolePage::Rules => Self::shown(HTML, rule_pages::all(rules)),
            ConsolePage::Rule(number) => Self::shown(HTML, rule_pages::one(rules, number)),
            ConsolePage::Problems => Self::shown(HTML, problems::page(rules)),
            ConsolePage::Api => Self::shown(HTML, api::page()),
        }
    }

    fn shown(media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let plain = Coded::new(body);
        let compressed = gzip::compressed(&plain.body).map(Coded::new);
        Self::Shown { media_type, plain, compressed }
    }

    /// The answer to a client with these headers. It is asked for again each time, by its tag, so that page, script and style
    /// are always of one version.
    pub(super) fn answer(&self, headers: &HeaderMap) -> Answer {
        match self {
            Self::Moved(address) => Answer {
                status: 308,
                headers: vec![("location", (*address).into()), ("cache-control", "no-cache".into())],
                body: Bytes::new(),
                kind: AnswerKind::Page(None),
            },
            Self::Shown { media_type, plain, compressed } => {
                let compressed = compressed.as_ref().filter(|_| gzip::is_accepted(headers));
                let sent = compressed.unwrap_or(plain);
                let coding = compressed.map(|_| ("content-encoding", "gzip".into()));
                let mut sent_headers = vec![
                    ("content-type", (*media_type).into()),
                    ("cache-control", "no-cache".into()),
                    ("vary", "accept-encoding".into()),
                    ("etag", sent.tag.clone().into()),
                ];
                sent_headers.extend(coding);
                let kind = AnswerKind::Page(None);
                unless_known(Answer { status: 200, headers: sent_headers, body: sent.body.clone(), kind }, headers)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a visitor with an empty cache loads.
    const MAX_BYTES: usize = 120 * 1024;

    #[test]
    fn the_console_is_small() {
        let files = [bundle::CONSOLE_PAGE, bundle::CONSOLE_SCRIPT, bundle::CONSOLE_STYLE];
        let sizes = files.map(|file| gzip::compressed(file.as_bytes()).map_or(file.len(), |smaller| smaller.len()));
        assert!(sizes.iter().sum::<usize>() <= MAX_BYTES, "{sizes:?}");
    }
}
