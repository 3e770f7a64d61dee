//! B: artifacts and bundles. The checks live with the artifacts; this is their table.

use crate::rules::family::rules;

rules! {
    B001 Error, Artifact, "wrong kind of artifact" {
        why: "Each command and each endpoint reads one kind.",
        fix: "Give the file that the command names; `svc app validate FILE` tells what a file is.",
        fires: Conformance("submission.json#unknown-kind"),
        passes: Conformance("submission.json#valid"),
        problem: WrongKind,
    }
    B002 Error, Artifact, "unsupported schema version" {
        why: "Only schema version 1.0 is read; guessing at another one could let something through.",
        fix: "Make the artifact again with this version of svc.",
        fires: Conformance("submission.json#stale-schema-version"),
        passes: Conformance("submission.json#valid"),
        problem: UnsupportedSchemaVersion,
    }
    B003 Error, Artifact, "a digest or size does not recompute" {
        why: "The digest is over the bytes that are used; a difference means that something was changed after it was taken.",
        fix: "Make the bundle again from the package; if you did not change the file, ask who did.",
        fires: Conformance("submission.json#file-digest-changed"),
        passes: Conformance("submission.json#valid"),
        problem: DigestMismatch,
        exit: Digest,
    }
    B004 Error, Artifact, "not a digest" {
        why: "One spelling, so that equal digests are equal bytes.",
        fix: "Write `sha256:` and 64 lowercase hexadecimal digits.",
        fires: Conformance("submission.json#digest-uppercase"),
        passes: Conformance("submission.json#valid"),
    }
    B005 Error, Artifact, "the parent's digest is another one" {
        why: "Each artifact names the document it was derived from; another digest means another parent.",
        fix: "Derive the artifact again from its parent.",
        fires: Conformance("acceptance-request.json#parent-digest-broken"),
        passes: Conformance("acceptance-request.json#valid"),
        problem: BindingMismatch,
        exit: Digest,
    }
    B006 Error, Artifact, "an open claim" {
        why: "No artifact is accepted, signed or installable, and no status word says otherwise. Whoever claims it is wrong or lying.",
        fix: "Make the artifact again with svc and find out where the claim came from.",
        fires: Conformance("submission.json#accepted-true"),
        passes: Conformance("submission.json#valid"),
        problem: PostureViolation,
        exit: OpenClaim,
    }
    B007 Error, Artifact, "a gate is missing, added or has another word" {
        why: "Every artifact names all six gates with the words of this version; a dropped gate is a claim that it was passed.",
        fix: "Make the artifact again with svc; `svc explain gates` lists the words.",
        fires: Conformance("submission.json#gate-dropped"),
        passes: Conformance("submission.json#valid"),
        problem: PostureViolation,
        exit: OpenClaim,
    }
    B008 Error, Artifact, "the index is out of order, or lists a package version twice in one collection" {
        why: "One set of submissions has one index, and a package version has one digest in a collection.",
        fix: "Make the index again with `svc app registry`, from one submission for each version in a collection.",
        fires: Conformance("index.json#index-reordered"),
        passes: Conformance("index.json#valid"),
        problem: IndexInconsistent,
    }
    B009 Warning, Artifact, "not in the canonical layout" {
        why: "The meaning is the same, but the bytes are not those that svc writes, so file digests differ.",
        fix: "Make the artifact again with svc.",
        fires: Case("a submission with all its bytes on one line"),
        passes: Case("the submission as svc writes it"),
    }
    B010 Error, Artifact, "owner, visibility, package or content drifted" {
        why: "All artifacts of a bundle speak of one package by one owner, and what is derived from it follows from it.",
        fix: "Derive the artifact again from its parent.",
        fires: Conformance("acceptance-request.json#visibility-drift-resealed"),
        passes: Conformance("acceptance-request.json#valid"),
        problem: BindingMismatch,
        exit: Digest,
    }
    B011 Error, Artifact, "the bundle is incomplete" {
        why: "The seven files form one chain; with one missing nothing can be said of the whole.",
        fix: "Run the missing commands; `svc app --help` lists all thirteen.",
        fires: Case("a bundle without svc-registry-index.json"),
        passes: Case("a bundle of seven files"),
    }
    B012 Error, Artifact, "unknown member" {
        why: "What nobody checks must not travel under a digest that says it was checked.",
        fix: "Remove the member.",
        fires: Conformance("submission.json#unknown-member"),
        passes: Conformance("submission.json#valid"),
    }
    B013 Error, Artifact, "the review report or the blockers are not what the rules give" {
        why: "The report is evidence only as long as anyone can compute it again.",
        fix: "Run `svc app pack` again.",
        fires: Conformance("submission.json#blockers-emptied"),
        passes: Conformance("submission.json#valid"),
        problem: ReviewMismatch,
    }
    B014 Error, Artifact, "a member is missing" {
        why: "Every member of an artifact is required: absent is not false, and not empty.",
        fix: "Make the artifact again with svc.",
        fires: Conformance("submission.json#flag-missing"),
        passes: Conformance("submission.json#valid"),
    }
    B015 Error, Artifact, "a value of the wrong type or form" {
        why: "A value that is not of its type has no meaning here.",
        fix: "Write the expected value, or make the artifact again with svc.",
        fires: Conformance("submission.json#array-for-object"),
        passes: Conformance("submission.json#valid"),
    }
    B016 Error, Artifact, "over a limit" {
        why: "Bounds keep every reader's work small and predictable.",
        fix: "Make it smaller; `svc contract limits` lists the bounds.",
        fires: Case("a submission of 4,194,305 bytes"),
        passes: Case("a submission of at most 4,194,304 bytes"),
    }
    B017 Warning, Artifact, "made with another rule set" {
        why: "Only a report by the same rules can be computed again; this build's own rules were run all the same.",
        fix: "Make the artifact again with this version of svc.",
        fires: Case("a submission that names another ruleset.digest, with a document digest that fits"),
        passes: Case("a submission that names the ruleset.digest of this build"),
    }
}
