//! Drafts of records: from real answers to real documents.

use svc_core::samples::rules;
use svc_core::{
    journal::{
        attribution::Attribution,
        draft::{EntryDraft, RequestIdentity},
        scalars::{RequestId, TokenName},
    },
    problem::Problem,
    scalar::ident::OwnerId,
    words::kind,
};

const VALID: &[u8] = include_bytes!("../../../../conformance/documents/own-rules/acceptance-request.json");

pub(crate) fn asker(number: u64) -> RequestIdentity {
    RequestIdentity {
        request: RequestId::parse(&format!("request-{number}")).unwrap(),
        token: TokenName::parse("ci"),
        probe: None,
    }
}

pub(crate) fn denied(number: u64) -> EntryDraft {
    let spec = kind::find("svc-registry-acceptance-request").unwrap();
    let asker = asker(number);
    let decision = svc_core::read::decide(rules(), spec.artifact, VALID).unwrap().for_request(asker.request.as_str());
    EntryDraft::denied(&decision, asker).unwrap()
}

pub(crate) fn refused(number: u64) -> EntryDraft {
    let spec = kind::find("svc-registry-acceptance-request").unwrap();
    let body = String::from_utf8(VALID.to_vec()).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
    let findings = svc_core::read::decide(rules(), spec.artifact, body.as_bytes()).unwrap_err();
    let asker = asker(number);
    let problem = Problem::of_findings(&findings, "/".to_owned(), asker.request.to_string());
    EntryDraft::refused(rules(), spec, body.as_bytes(), &problem, asker).unwrap()
}

/// Every third is a refusal.
pub(crate) fn mixed(number: u64) -> EntryDraft {
    // Reading a document takes longer than everything that is tested here, so that each is read once.
    use std::sync::OnceLock;
    static BOTH: OnceLock<(EntryDraft, EntryDraft)> = OnceLock::new();
    let (no, refusal) = BOTH.get_or_init(|| (denied(0), refused(0)));
    if number.is_multiple_of(3) { refusal.clone() } else { no.clone() }
}

/// The same, of another owner.
pub(crate) fn of_owner(number: u64, owner: &str) -> EntryDraft {
    let EntryDraft { record, attribution } = mixed(number);
    let package = attribution.as_ref().and_then(|of| of.package().cloned());
    let token = attribution.as_ref().and_then(|of| of.token().cloned());
    EntryDraft { record, attribution: Attribution::new(OwnerId::parse(owner), package, token) }
}
