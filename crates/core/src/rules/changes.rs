//! D: what a new version of a package has and the older one had not. Nothing is wrong with it; somebody may want to know.
//! The comparison is in `difference.rs`; this is its table.

use crate::rules::family::rules;

rules! {
    D001 Note, Artifact, "the new version asks for a permission that the older one did not" {
        why: "A permission that comes with an update was never looked at when the package was first taken.",
        fix: "Read its purpose, and look at the code that uses it; take it out of the manifest if nothing does.",
        fires: Case("an update that asks for clipboard.read"),
        passes: Case("an update that asks for the same"),
    }
    D002 Note, Artifact, "the new version may reach an origin that the older one could not" {
        why: "Whatever a package reads can leave by a new origin.",
        fix: "Find out whose origin it is; take it out of `network.allow` if nothing needs it.",
        fires: Case("an update that allows https://collect.example.org"),
        passes: Case("an update that allows the same"),
    }
    D003 Note, Artifact, "the new version collects data that the older one did not" {
        why: "People agreed to what was collected then.",
        fix: "Say so in the notes of the release; take the word out of `dataCollection` if it is not collected.",
        fires: Case("an update that collects contact details"),
        passes: Case("an update that collects the same"),
    }
    D004 Note, Artifact, "the code of the new version uses something that the older code did not" {
        why: "What code does may change without a word in the manifest.",
        fix: "Look at the file that the finding names.",
        fires: Case("an update whose code reads the clipboard"),
        passes: Case("an update whose code does the same"),
    }
    D005 Note, Artifact, "the new version has a blocker that the older one had not" {
        why: "It was fit for a collection, and is no more.",
        fix: "Correct what `svc app plan` names.",
        fires: Case("an update whose code contacts a host that is not declared"),
        passes: Case("an update with the same blockers"),
    }
    D006 Note, Artifact, "the new version comes from another owner or publisher" {
        why: "A package that changes hands is a usual way for bad code to reach the people who have it.",
        fix: "Ask both; correct the owner on the command line or the publisher in the manifest if it is a mistake.",
        fires: Case("an update of another publisher"),
        passes: Case("an update of the same"),
    }
}
