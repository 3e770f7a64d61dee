//! B: artifacts and bundles. The checks live with the artifacts; this is their table.

use super::rule::rules;

rules! {
    B001 "SVC-B001", Error, Artifact, "wrong kind of artifact" {
        why: "Each command and each endpoint reads one kind.",
        fix: "Give the file that the command names; `svc app validate FILE` tells what a file is.",
        problem: WrongKind,
    }
    B002 "SVC-B002", Error, Artifact, "unsupported schema version" {
        why: "Only schema version 1.0 is read; guessing at another one could let something through.",
        fix: "Make the artifact again with this version of svc.",
        problem: UnsupportedSchemaVersion,
    }
    B003 "SVC-B003", Error, Artifact, "a digest or size does not recompute" {
        why: "The digest is over the bytes that are used; a difference means that something was changed after it was taken.",
        fix: "Make the bundle again from the package; if you did not change the file, ask who did.",
        problem: DigestMismatch,
        exit: Digest,
    }
    B004 "SVC-B004", Error, Artifact, "not a digest" {
        why: "One spelling, so that equal digests are equal bytes.",
        fix: "Write `sha256:` and 64 lowercase hexadecimal digits.",
    }
    B005 "SVC-B005", Error, Artifact, "the parent's digest is another one" {
        why: "Each artifact names the document it was derived from; another digest means another parent.",
        fix: "Derive the artifact again from its parent.",
        problem: BindingMismatch,
        exit: Digest,
    }
    B006 "SVC-B006", Error, Artifact, "an open claim" {
        why: "No artifact is accepted, signed or installable, and no status word says otherwise. Whoever claims it is wrong or lying.",
        fix: "Make the artifact again with svc and find out where the claim came from.",
        problem: PostureViolation,
        exit: OpenClaim,
    }
    B007 "SVC-B007", Error, Artifact, "a gate is missing, added or has another word" {
        why: "Every artifact names all six gates with the words of this version; a dropped gate is a claim that it was passed.",
        fix: "Make the artifact again with svc; `svc explain gates` lists the words.",
        problem: PostureViolation,
        exit: OpenClaim,
    }
    B008 "SVC-B008", Error, Artifact, "the index is out of order or names a package twice" {
        why: "One set of submissions has one index, and one package version one digest.",
        fix: "Make the index again with `svc app registry`.",
        problem: IndexInconsistent,
    }
    B009 "SVC-B009", Warning, Artifact, "not in the canonical layout" {
        why: "The meaning is the same, but the bytes are not those that svc writes, so file digests differ.",
        fix: "Make the artifact again with svc.",
    }
    B010 "SVC-B010", Error, Artifact, "owner, visibility, package or content drifted" {
        why: "All artifacts of a bundle speak of one package by one owner, and what is derived from it follows from it.",
        fix: "Derive the artifact again from its parent.",
        problem: BindingMismatch,
        exit: Digest,
    }
    B011 "SVC-B011", Error, Artifact, "the bundle is incomplete" {
        why: "The seven files form one chain; with one missing nothing can be said of the whole.",
        fix: "Run the missing commands; `svc app --help` lists all thirteen.",
    }
    B012 "SVC-B012", Error, Artifact, "unknown member" {
        why: "What nobody checks must not travel under a digest that says it was checked.",
        fix: "Remove the member.",
    }
    B013 "SVC-B013", Error, Artifact, "the review report or the blockers are not what the rules give" {
        why: "The report is evidence only as long as anyone can compute it again.",
        fix: "Run `svc app pack` again.",
        problem: ReviewMismatch,
    }
    B014 "SVC-B014", Error, Artifact, "a member is missing" {
        why: "Every member of an artifact is required: absent is not false, and not empty.",
        fix: "Make the artifact again with svc.",
    }
    B015 "SVC-B015", Error, Artifact, "a value of the wrong type or form" {
        why: "A value that is not of its type has no meaning here.",
        fix: "Write the expected value, or make the artifact again with svc.",
    }
    B016 "SVC-B016", Error, Artifact, "over a limit" {
        why: "Bounds keep every reader's work small and predictable.",
        fix: "Make it smaller; `svc contract limits` lists the bounds.",
    }
}
