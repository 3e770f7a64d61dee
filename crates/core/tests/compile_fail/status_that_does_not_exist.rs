//! Proofs are not checked, evidence is not stored, nothing is signed: there are no words for it.

use svc_core::artifact::{
    publisher_proof::ProofStatus,
    review_evidence::StorageStatus,
    signing_request::{Envelope, NoSignatures},
};

fn proof() -> ProofStatus {
    ProofStatus::Checked
}

fn storage() -> StorageStatus {
    StorageStatus::Stored
}

fn signed(envelope: Envelope) -> Envelope {
    Envelope { signatures: vec!["AA=="], ..envelope }
}

fn signature() -> NoSignatures {
    NoSignatures(vec!["AA=="])
}

fn main() {}

// refused: 10 E0599, 14 E0599, 22 E0618, 58 E0308
