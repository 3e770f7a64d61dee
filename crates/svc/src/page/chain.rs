//! The seven artifacts and the edges between them.

use svc_core::{
    bundle::Bundle,
    words::kind::{self, ArtifactSpec, Source},
};

use super::model::ChainLink;

pub(super) fn links(bundle: &Bundle) -> Vec<ChainLink> {
    let digests = bundle.digests();
    let place_of = |wanted: &ArtifactSpec| digests.iter().position(|(spec, _)| spec.kind == wanted.kind);
    let links = digests.iter().map(|(spec, digest)| ChainLink {
        digest: digest.to_string(),
        file: spec.file,
        name: spec.name,
        parent: match spec.source {
            Source::Package => None,
            Source::Submissions => place_of(&kind::SUBMISSION),
            Source::Artifact { parent } => place_of(parent),
        },
        status: spec.status,
    });
    links.collect()
}
