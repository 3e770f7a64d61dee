//! What the code of the folder shows, and what the rules say of the draft.

use svc_cli::files::document::DocumentSource;
use svc_core::{
    findings::Findings,
    pack::{self, Walked},
    rules::proposal::Proposal,
};

use super::{
    draft::DraftManifest,
    project_folder::{ProjectFolder, is_plain},
};
use crate::package;
use svc_cli::rules::rules;

/// Origins that are proposed at most: who sees more of them has to look at the code.
const MOST_ORIGINS: usize = 40;

/// Files that are taken in one by one at most, and how often what they load in turn is looked for.
const MOST_FILES: usize = 100;
const MOST_WALKS: usize = 4;

/// What was seen in the code, and everything that the rules find in the draft that asks for it.
pub(super) struct Evidence {
    pub(super) proposal: Proposal,
    pub(super) findings: Findings,
    /// The patterns that were added for what the page loads.
    pub(super) loaded: Vec<String>,
}

/// Walks the files, has the draft take in what its page loads and ask for what their code was seen to use, and reviews it.
pub(super) fn gather(
    project: &ProjectFolder<'_>,
    source: &DocumentSource,
    draft: &mut DraftManifest,
    ignore_lines: &str,
) -> Evidence {
    let mut loaded: Vec<String> = Vec::new();
    let mut walks = 1;
    let (mut walked, mut proposal) = loop {
        let before = draft.text();
        let Ok(read) = pack::read_manifest(rules(), before.as_bytes()) else {
            return Evidence { proposal: Proposal::default(), findings: Findings::default(), loaded };
        };
        let walked = package::walk_drafted(source, &read, &[], Some(ignore_lines));
        let proposal = read.proposal(&walked);
        let is_new = |path: &&String| !draft.files.contains(path) && is_named_plainly(path) && project.is_file(path);
        let room = MOST_FILES.saturating_sub(loaded.len());
        let missing: Vec<String> = proposal.files.iter().filter(is_new).take(room).cloned().collect();
        if missing.is_empty() || walks == MOST_WALKS {
            break (walked, proposal);
        }
        draft.files.extend(missing.iter().cloned());
        loaded.extend(missing);
        walks += 1;
    };
    drop_idle_patterns(draft, &mut walked);
    proposal.origins.truncate(MOST_ORIGINS);
    // A permission that the author's own manifest asked for covers a power as well as the one that is proposed.
    let has_precise = draft.permissions.iter().any(|row| row.permission == "location.precise");
    proposal.permissions.retain(|permission| !(has_precise && *permission == "location.approximate"));
    draft.ask(proposal.permissions.iter().copied(), proposal.origins.iter().map(|origin| origin.as_str()));
    let after = draft.text();
    let findings = match pack::read_manifest(rules(), after.as_bytes()) {
        Ok(read) => read.review(walked).findings,
        Err(findings) => findings,
    };
    Evidence { proposal, findings, loaded }
}

/// Takes out the patterns that no file goes by, as when everything of a kind is left out by the ignore file.
fn drop_idle_patterns(draft: &mut DraftManifest, walked: &mut Walked) {
    let matched = &mut walked.folder.matched;
    if walked.files.is_some() && matched.len() == draft.files.len() {
        let mut is_used = matched.iter();
        draft.files.retain(|_| is_used.next().copied().unwrap_or(true));
        matched.retain(|is_used| *is_used);
    }
}

/// Whether each part of a path means itself in a pattern.
fn is_named_plainly(path: &str) -> bool {
    path.split('/').all(is_plain)
}
