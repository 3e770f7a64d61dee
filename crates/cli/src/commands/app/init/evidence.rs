//! What the code of the folder shows, and what the rules say of the draft.

use svc_core::{finding::Finding, pack, rules::proposal::Proposal};

use super::draft::DraftManifest;
use crate::{files::document::DocumentSource, package};

/// Origins that are proposed at most: who sees more of them has to look at the code.
const MOST_ORIGINS: usize = 40;

/// What was seen in the code, and everything that the rules find in the draft that asks for it.
pub(super) struct Evidence {
    pub(super) proposal: Proposal,
    pub(super) findings: Vec<Finding>,
}

/// Walks the files once, has the draft ask for what their code was seen to use, and reviews it.
pub(super) fn gather(source: &DocumentSource, draft: &mut DraftManifest, ignore_lines: &str) -> Evidence {
    let before = draft.text();
    let Ok(read) = pack::read_manifest(before.as_bytes()) else {
        return Evidence { proposal: Proposal::default(), findings: Vec::new() };
    };
    let walked = package::walk_drafted(source, &read, &[], Some(ignore_lines));
    let mut proposal = read.proposal(&walked);
    proposal.origins.truncate(MOST_ORIGINS);
    // A permission that the author's own manifest asked for covers a power as well as the one that is proposed.
    let has_precise = draft.permissions.iter().any(|row| row.permission == "location.precise");
    proposal.permissions.retain(|permission| !(has_precise && *permission == "location.approximate"));
    draft.ask(proposal.permissions.iter().copied(), proposal.origins.iter().map(|origin| origin.as_str()));
    let after = draft.text();
    let findings = match pack::read_manifest(after.as_bytes()) {
        Ok(read) => read.review(walked).findings,
        Err(findings) => findings,
    };
    Evidence { proposal, findings }
}
