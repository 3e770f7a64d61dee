//! Recipes for tampered artifacts: each a name, a change to a good document, and the rule that must catch it.
//!
//! The conformance kit is generated from them, the verifier sends them, and the server drives itself with them before it
//! opens a socket. A recipe works on the document's JSON, outside the types, because the types cannot say what it says.

use serde_json::{Value, json};
use svc_json::{canonical, digest::Digest};

use crate::words::{
    gate::Gate,
    kind::{self, ArtifactSpec},
    rule_code::RuleCode,
};

/// One way to tamper with an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// The name, which is that of its conformance case.
    pub name: &'static str,
    /// What it tries.
    pub about: &'static str,
    /// Which kinds it can be tried on.
    pub on: Targets,
    /// The rule that must catch it.
    pub caught_by: RuleCode,
    /// Whether the document alone betrays it, or only its parent.
    pub seen_in: SeenIn,
    tamper: fn(&mut Forgery<'_>) -> Vec<u8>,
}

/// Where an attack shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenIn {
    /// In the document alone.
    Document,
    /// Only beside the parent, because every digest inside the document was made to fit.
    Chain,
}

/// The kinds that an attack can be tried on, by the short names of the table.
#[derive(Clone, Copy, Debug)]
pub enum Targets {
    /// Every kind.
    All,
    /// Every kind that is derived from one parent.
    Derived,
    /// These.
    Only(&'static [&'static str]),
}

/// What an author would like the registry to say.
const APPROVED: &str = "approved: this package was accepted by the registry and may be installed";

/// A good document on its way to becoming a bad one.
#[derive(Debug)]
pub struct Forgery<'a> {
    spec: &'static ArtifactSpec,
    document: Value,
    other: &'a Value,
}

impl Attack {
    /// Whether the attack can be tried on this kind.
    #[must_use]
    pub fn applies_to(&self, spec: &ArtifactSpec) -> bool {
        match self.on {
            Targets::All => true,
            Targets::Derived => matches!(spec.source, crate::words::kind::Source::Artifact { .. }),
            Targets::Only(names) => names.contains(&spec.name),
        }
    }

    /// The tampered document. `other` is the same kind of document about another package.
    ///
    /// # Errors
    /// When the good documents are not JSON.
    pub fn forge(&self, spec: &'static ArtifactSpec, good: &[u8], other: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
        Ok(self.forge_from(spec, serde_json::from_slice(good)?, &serde_json::from_slice(other)?))
    }

    /// The same from trees, for whoever tries many attacks on one document.
    #[must_use]
    pub fn forge_from(&self, spec: &'static ArtifactSpec, good: Value, other: &Value) -> Vec<u8> {
        (self.tamper)(&mut Forgery { spec, document: good, other })
    }
}

macro_rules! attacks {
    ($($name:literal, $on:expr, $rule:ident, $seen:ident, $about:literal, $tamper:expr;)+) => {
        /// Every attack.
        pub static ALL: &[Attack] = &[
            $(Attack {
                name: $name, about: $about, on: $on, caught_by: RuleCode::$rule, seen_in: SeenIn::$seen, tamper: $tamper,
            },)+
        ];
    };
}

const WITH_REPORT: Targets = Targets::Only(&["submission", "acceptance-request", "review-evidence"]);
const SUBMISSION: Targets = Targets::Only(&["submission"]);
const INDEX: Targets = Targets::Only(&["index"]);
const ABOUT_PACKAGE: Targets = Targets::Only(&[
    "submission",
    "acceptance-request",
    "publisher-verification",
    "review-evidence",
    "signing-request",
    "install-policy",
]);

attacks! {
    "accepted-true", Targets::All, B006, Document, "claims to be accepted",
        |forgery| forgery.set("/accepted", json!(true)).text();
    "accepted-true-resealed", Targets::All, B006, Document, "claims to be accepted, with digests that fit",
        |forgery| forgery.set("/accepted", json!(true)).sealed().text();
    "signed-true", Targets::All, B006, Document, "claims to be signed",
        |forgery| forgery.set("/signed", json!(true)).text();
    "installable-true", Targets::All, B006, Document, "claims to be installable",
        |forgery| forgery.set("/installable", json!(true)).text();
    "accepted-as-text", Targets::All, B006, Document, "claims acceptance with a text that some read as true",
        |forgery| forgery.set("/accepted", json!("true")).text();
    "installable-as-one", Targets::All, B006, Document, "claims to be installable with a number",
        |forgery| forgery.set("/installable", json!(1)).text();
    "signed-null", Targets::All, B006, Document, "says nothing where it must say false",
        |forgery| forgery.set("/signed", Value::Null).text();
    "status-complete", Targets::All, B006, Document, "uses a status word that does not exist",
        |forgery| forgery.set("/status", json!("complete")).sealed().text();
    "gate-dropped", Targets::All, B007, Document, "leaves a gate out",
        |forgery| forgery.remove("/gateStatuses", Gate::ArtifactSigning.as_str()).sealed().text();
    "gate-cleared", Targets::All, B007, Document, "gives a gate the word of another",
        |forgery| forgery.set("/gateStatuses/publisher-verification", json!("evidenced")).sealed().text();
    "gate-added", Targets::All, B007, Document, "adds a gate that is already cleared",
        |forgery| forgery.set("/gateStatuses/self-review", json!("evidenced")).sealed().text();
    "unknown-member", Targets::All, B012, Document, "carries a member that nobody checks",
        |forgery| forgery.set("/approvedBy", json!("nobody")).sealed().text();
    "duplicate-member", Targets::All, J004, Document, "names a flag twice",
        |forgery| forgery.opened_with("\"accepted\": false,");
    "duplicate-member-escaped", Targets::All, J004, Document, "hides the second flag behind an escape",
        |forgery| forgery.opened_with("\"accepte\\u0064\": false,");
    "wrong-kind", Targets::All, B001, Document, "says it is of another kind",
        |forgery| {
            let other = if forgery.spec.name == "submission" { "svc-registry-index" } else { "svc-registry-submission" };
            forgery.set("/kind", json!(other)).text()
        };
    "unknown-kind", Targets::All, B001, Document, "says it is of a kind that does not exist",
        |forgery| forgery.set("/kind", json!("svc-registry-approval")).text();
    "stale-schema-version", Targets::All, B002, Document, "says it has an older schema",
        |forgery| forgery.set("/schemaVersion", json!("0.9")).sealed().text();
    "schema-of-other-kind", Targets::All, B002, Document, "names the schema of another version",
        |forgery| forgery.set("/$schema", json!("urn:svc:registry:schema:anything:2.0")).sealed().text();
    "document-digest-changed", Targets::All, B003, Document, "declares another digest of itself",
        |forgery| forgery.set("/documentDigest", json!(Digest::of(b"other").to_string())).text();
    "digest-uppercase", Targets::All, B004, Document, "spells a digest in uppercase",
        |forgery| {
            let upper = forgery.get("/documentDigest").as_str().unwrap_or_default().to_uppercase();
            forgery.set("/documentDigest", json!(upper.replace("SHA256", "sha256"))).text()
        };
    "digest-other-algorithm", Targets::All, B004, Document, "uses a weaker digest",
        |forgery| forgery.set("/documentDigest", json!("md5:d41d8cd98f00b204e9800998ecf8427e")).text();
    "member-missing", Targets::All, B014, Document, "leaves a required member out",
        |forgery| forgery.remove("", "ruleset").sealed().text();
    "flag-missing", Targets::All, B014, Document, "leaves a flag out, hoping that absent reads as it likes",
        |forgery| forgery.remove("", "installable").sealed().text();
    "array-for-object", Targets::All, B015, Document, "puts a list where an object belongs",
        |forgery| forgery.set("/ruleset", json!([])).text();
    "null-member", Targets::All, B015, Document, "puts null where a value belongs",
        |forgery| forgery.set("/derivedFrom", Value::Null).text();
    "ruleset-drift", Targets::All, B003, Document, "names other rules without telling the digest",
        |forgery| forgery.set("/ruleset/version", json!("0.0.1")).text();
    "ruleset-misnamed", Targets::All, B010, Document, "calls our rules by another version, with digests that fit",
        |forgery| forgery.set_in_package("/ruleset/version", json!("9.9.9")).sealed().text();
    "foreign-rules-colliding-paths", ABOUT_PACKAGE, B013, Document, "names unknown rules to carry two names that meet on some disks, with digests that fit",
        |forgery| forgery.with_colliding_paths().with_foreign_rules().sealed_parts().text();
    "trailing-data", Targets::All, J008, Document, "hides a second document behind the first",
        |forgery| { let mut text = forgery.text(); text.extend_from_slice(b"{\"accepted\": true}\n"); text };
    "truncated", Targets::All, J001, Document, "ends in the middle",
        |forgery| { let mut text = forgery.text(); text.truncate(text.len() / 2); text };
    "byte-order-mark", Targets::All, J002, Document, "starts with a byte order mark",
        |forgery| { let mut text = b"\xEF\xBB\xBF".to_vec(); text.extend(forgery.text()); text };
    "fraction", Targets::All, J006, Document, "uses a number that readers round differently",
        |forgery| forgery.opened_with("\"extra\": 1.0,");
    "hidden-character", Targets::All, J007, Document, "turns the direction of the text",
        |forgery| forgery.opened_with("\"extra\": \"\\u202e\",");
    "nul-character", Targets::All, J007, Document, "ends the text for some readers",
        |forgery| forgery.opened_with("\"extra\": \"\\u0000\",");
    "lone-surrogate", Targets::All, J002, Document, "uses half a character",
        |forgery| forgery.opened_with("\"extra\": \"\\ud800\",");
    "deep-nesting", Targets::All, J005, Document, "nests until a reader falls over",
        |forgery| forgery.opened_with(&format!("\"extra\": {}{},", "[".repeat(64), "]".repeat(64)));
    "file-digest-changed", Targets::All, B003, Document, "swaps a file of the package",
        |forgery| {
            let digest = json!(Digest::of(b"other").to_string());
            forgery.set_in_package("/packageArtifact/files/0/digest", digest).text()
        };
    "manifest-changed", Targets::All, B003, Document, "changes what the package asks for",
        |forgery| forgery.set_in_package("/packageArtifact/manifest/summary", json!("Something else.")).text();
    "declared-digest-changed", Targets::All, B003, Document, "declares a package digest with another last digit, with a document digest that fits",
        |forgery| forgery.with_other_digit("/artifactDigests/1/digest", 63).sealed().text();
    "declared-digest-start-changed", Targets::All, B003, Document, "declares a package digest with another first digit, with a document digest that fits",
        |forgery| forgery.with_other_digit("/artifactDigests/1/digest", 0).sealed().text();
    "declared-size-changed", Targets::All, B003, Document, "declares another size",
        |forgery| forgery.set_in_package("/artifactDigests/0/size", json!(1)).sealed().text();
    "package-of-another", Targets::All, B003, Document, "puts another package under these digests",
        |forgery| {
            let other = forgery.other_at("/packageArtifact");
            forgery.set_in_package("/packageArtifact", other).text()
        };
    "owner-drift", Targets::All, B003, Document, "changes the owner",
        |forgery| forgery.set_in_package("/owner/name", json!("Mallory")).text();
    "package-name-drift", Targets::All, B010, Document, "speaks of another version than its manifest, with digests that fit",
        |forgery| forgery.set_in_package("/package/version", json!("9.9.9")).sealed().text();
    "files-unsorted", Targets::All, B015, Document, "lists files in another order, with digests that fit",
        |forgery| forgery.swapped_in_package("/packageArtifact/files").sealed_parts().text();
    "media-type-drift", Targets::All, B010, Document, "gives a file another media type, with digests that fit",
        |forgery| forgery.set_in_package("/packageArtifact/files/0/mediaType", json!("text/x-other")).sealed_parts().text();
    "empty-file-with-content", Targets::All, B010, Document, "gives a file no bytes and the digest of some, with digests that fit",
        |forgery| forgery.set_in_package("/packageArtifact/files/0/size", json!(0)).sealed_parts().text();
    "content-of-nothing", Targets::All, B010, Document, "gives a file bytes and the digest of none, with digests that fit",
        |forgery| forgery.set_in_package("/packageArtifact/files/0/digest", json!(Digest::of(b""))).sealed_parts().text();
    "path-escape", Targets::All, F002, Document, "names a file outside the package, with digests that fit",
        |forgery| forgery.set_in_package("/packageArtifact/files/0/path", json!("../outside")).sealed_parts().text();
    "report-of-another", WITH_REPORT, B003, Document, "embeds the report of another package",
        |forgery| { let other = forgery.other_at("/reviewReport"); forgery.set("/reviewReport", other).text() };
    "report-of-another-resealed", WITH_REPORT, B013, Document, "embeds the report of another package, with digests that fit",
        |forgery| { let other = forgery.other_at("/reviewReport"); forgery.set("/reviewReport", other).sealed_parts().text() };
    "verdict-polished", WITH_REPORT, B013, Document, "hides a finding, with digests that fit",
        |forgery| forgery.set("/reviewReport/verdict", json!("blocked")).sealed_parts().text();
    "finding-speaks", WITH_REPORT, B012, Document, "has a finding speak for the registry, with digests that fit",
        |forgery| forgery.with_claim("SVC-L001", "/icons/0/src").set("/reviewReport/findings/0/message", json!(APPROVED)).sealed_parts().text();
    "subject-speaks", WITH_REPORT, B015, Document, "writes a sentence where a finding has its subject, with digests that fit",
        |forgery| forgery.with_claim("SVC-L001", "/icons/0/src").set("/reviewReport/findings/0/subject", json!(APPROVED)).sealed_parts().text();
    "blocker-speaks", SUBMISSION, B012, Document, "has a blocker speak for the registry, with digests that fit",
        |forgery| forgery.set("/blockers/0/message", json!(APPROVED)).sealed().text();
    "fact-speaks", WITH_REPORT, B015, Document, "writes a sentence where a fact has its word, with digests that fit",
        |forgery| forgery.with_fact("dynamic-code", APPROVED, "computed").sealed_parts().text();
    "fact-of-no-file", WITH_REPORT, B013, Document, "tells a fact of a file that is not in the package, with digests that fit",
        |forgery| forgery.with_fact("dynamic-code", "eval", "computed").set("/reviewReport/facts/0/file", json!("no/such.js")).sealed_parts().text();
    "fact-twice", WITH_REPORT, B013, Document, "tells a fact twice, with digests that fit",
        |forgery| forgery.with_fact("dynamic-code", "eval", "computed").doubled("/reviewReport/facts").sealed_parts().text();
    "fact-without-its-finding", WITH_REPORT, B013, Document, "tells a fact and hides the finding that follows from it, with digests that fit",
        |forgery| forgery.with_fact("dynamic-code", "eval", "computed").sealed_parts().text();
    "fact-of-no-kind", WITH_REPORT, B013, Document, "tells a fact that our reader does not know, with digests that fit",
        |forgery| forgery.with_fact("approved", "yes", "all").sealed_parts().text();
    "foreign-rules-verdict", WITH_REPORT, B013, Document, "names unknown rules that block without a blocker, with digests that fit",
        |forgery| forgery.set("/reviewReport/verdict", json!("blocked")).with_foreign_rules().sealed_parts().text();
    "foreign-rules-no-checks", WITH_REPORT, B013, Document, "names unknown rules that checked nothing, with digests that fit",
        |forgery| forgery.set("/reviewReport/checks", json!([])).with_foreign_rules().sealed_parts().text();
    "foreign-rules-inventory", WITH_REPORT, B013, Document, "names unknown rules that saw one file of many, with digests that fit",
        |forgery| forgery.set("/reviewReport/inventory/files", json!(1)).with_foreign_rules().sealed_parts().text();
    "foreign-rules-unchecked-finding", WITH_REPORT, B013, Document, "names unknown rules with a finding of a rule that was not run, with digests that fit",
        |forgery| forgery.with_claim("SVC-Z999", "/icons").with_foreign_rules().sealed_parts().text();
    "report-approved", WITH_REPORT, B015, Document, "uses a verdict that does not exist",
        |forgery| forgery.set("/reviewReport/verdict", json!("approved")).sealed_parts().text();
    "blockers-emptied", SUBMISSION, B013, Document, "says that nothing is in the way",
        |forgery| forgery.set("/blockers", json!([])).sealed().text();
    "blocker-softened", SUBMISSION, B013, Document, "hands a gate to the author",
        |forgery| forgery.set("/blockers/0/owner", json!("author")).sealed().text();
    "stage-signed", SUBMISSION, B006, Document, "claims the last stage",
        |forgery| forgery.set("/stage", json!("signed-package")).sealed().text();
    "part-accepted", SUBMISSION, B006, Document, "claims acceptance in a part that has no flag",
        |forgery| forgery.set("/packageArtifact/accepted", json!(true)).sealed_parts().text();
    "next-gate-skipped", SUBMISSION, B010, Document, "skips to a later gate",
        |forgery| forgery.set("/nextGate", json!("renderer-isolation")).sealed().text();
    "parent-invented", SUBMISSION, B005, Document, "names a parent although it has none",
        |forgery| {
            let parent = json!([{ "digest": Digest::of(b"").to_string(), "kind": "svc-registry-index" }]);
            forgery.set("/derivedFrom", parent).sealed().text()
        };
    "parent-of-other-kind", Targets::Derived, B005, Document, "names a parent of a kind it cannot come from",
        |forgery| forgery.set("/derivedFrom/0/kind", json!("svc-registry-index")).sealed().text();
    "parent-digest-broken", Targets::Derived, B005, Chain, "names another parent, with digests that fit",
        |forgery| forgery.set("/derivedFrom/0/digest", json!(Digest::of(b"").to_string())).sealed().text();
    "owner-drift-resealed", Targets::Only(&["acceptance-request", "review-evidence"]), B010, Chain, "changes the owner's name, with digests that fit",
        |forgery| forgery.set("/owner/name", json!("Mallory")).sealed().text();
    "visibility-drift-resealed", Targets::Only(&["acceptance-request", "publisher-verification", "review-evidence", "install-policy"]), B010, Chain, "changes who may see it, with digests that fit",
        |forgery| forgery.set("/visibility", json!("public")).sealed().text();
    "required-gate-dropped", Targets::Only(&["acceptance-request"]), B007, Document, "asks for fewer gates",
        |forgery| forgery.set("/requiredGates", json!(["artifact-hash"])).sealed().text();
    "requirement-dropped", Targets::Only(&["install-policy"]), B007, Document, "requires fewer gates",
        |forgery| forgery.set("/requires", json!(["artifact-hash"])).sealed().text();
    "policy-narrowed", Targets::Only(&["install-policy"]), B010, Document, "hides what the package asks for, with digests that fit",
        |forgery| forgery.set("/policy/permissions", json!([])).sealed().text();
    "proof-checked", Targets::Only(&["publisher-verification"]), B006, Document, "says that a proof was looked at",
        |forgery| forgery.set("/proofs/0/status", json!("checked")).sealed().text();
    "proof-moved", Targets::Only(&["publisher-verification"]), B010, Document, "points the proof at another domain, with digests that fit",
        |forgery| forgery.set("/proofs/0/name", json!("_svc-publisher.mallory.example")).sealed().text();
    "proof-of-a-repository", Targets::Only(&["publisher-verification"]), B010, Document, "has the build of any repository prove somebody else's name, with digests that fit",
        |forgery| {
            let claim = json!({ "name": "repository", "value": "evil/x" });
            let issuer = "https://token.actions.githubusercontent.com";
            let proof = json!({ "claim": claim, "issuer": issuer, "method": "oidc-claim", "status": "unchecked" });
            forgery.set("/packageArtifact/manifest/id", json!("com.google.maps")).set("/package/id", json!("com.google.maps"));
            forgery.set("/packageArtifact/manifest/repository", json!({ "url": "https://github.com/evil/x" }));
            forgery.set("/proofs", json!([proof])).sealed_parts().text()
        };
    "publisher-drift", Targets::Only(&["publisher-verification"]), B010, Document, "declares another publisher than the manifest",
        |forgery| forgery.set("/publisher/id", json!("mallory")).sealed().text();
    "evidence-stored", Targets::Only(&["review-evidence"]), B006, Document, "says that the evidence is stored",
        |forgery| forgery.set("/storage/status", json!("stored")).sealed().text();
    "storage-key-moved", Targets::Only(&["review-evidence"]), B010, Document, "points at other evidence, with digests that fit",
        |forgery| {
            let hex = Digest::of(b"other").hex();
            let key = format!("reviews/sha256/{}/{hex}", hex.get(..2).unwrap_or_default());
            forgery.set("/storage/key", json!(key)).sealed().text()
        };
    "signature-added", Targets::Only(&["signing-request"]), B006, Document, "brings a signature along",
        |forgery| forgery.set("/envelope/signatures", json!([{ "keyid": "", "sig": "AA==" }])).sealed().text();
    "statement-drift", Targets::Only(&["signing-request"]), B010, Document, "states other digests than the package has",
        |forgery| {
            let hex = json!(Digest::of(b"other").hex());
            forgery.set("/statement/subject/0/digest/sha256", hex).sealed().text()
        };
    "payload-drift", Targets::Only(&["signing-request"]), B010, Document, "would have another statement signed",
        |forgery| forgery.set("/envelope/payload", json!("e30=")).sealed().text();
    "index-reordered", INDEX, B008, Document, "lists entries in another order, with digests that fit",
        |forgery| forgery.swapped("/entries").swapped("/derivedFrom").sealed().text();
    "index-entry-twice", INDEX, B008, Document, "lists an entry twice",
        |forgery| forgery.doubled("/entries").doubled("/derivedFrom").sealed().text();
    "index-emptied", INDEX, B015, Document, "lists nothing",
        |forgery| forgery.set("/entries", json!([])).set("/derivedFrom", json!([])).sealed().text();
    "index-entry-accepted", INDEX, B006, Document, "claims acceptance inside an entry",
        |forgery| forgery.set("/entries/0/submission/accepted", json!(true)).sealed().text();
    "index-entry-signed", INDEX, B006, Document, "claims a signature next to a submission, where no flag belongs",
        |forgery| forgery.set("/entries/0/signed", json!(true)).sealed().text();
    "index-digest-swapped", INDEX, B003, Document, "gives an entry the digest of another",
        |forgery| {
            let other = forgery.get("/entries/1/submissionDigest");
            forgery.set("/entries/0/submissionDigest", other).text()
        };
    "index-parent-broken", INDEX, B005, Document, "names submissions that are not in it",
        |forgery| forgery.set("/derivedFrom/0/digest", json!(Digest::of(b"").to_string())).sealed().text();
    "permission-added", ABOUT_PACKAGE, B003, Document, "slips a permission into the manifest",
        |forgery| {
            let permission = json!({ "permission": "camera.capture", "purpose": "Takes pictures of the room." });
            forgery.set("/packageArtifact/manifest/permissions", json!([permission])).text()
        };
}

impl Forgery<'_> {
    fn package_base(&self) -> &'static str {
        package_base(self.spec)
    }

    fn get(&self, pointer: &str) -> Value {
        self.document.pointer(pointer).cloned().unwrap_or(Value::Null)
    }

    fn other_at(&self, pointer: &str) -> Value {
        let whole = format!("{}{pointer}", self.package_base());
        self.other.pointer(&whole).cloned().unwrap_or(Value::Null)
    }

    fn set(&mut self, pointer: &str, value: Value) -> &mut Self {
        let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
        match self.document.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                members.insert(name.to_owned(), value);
            }
            Some(Value::Array(elements)) => {
                if let Some(slot) = name.parse::<usize>().ok().and_then(|at| elements.get_mut(at)) {
                    *slot = value;
                }
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
        }
        self
    }

    fn set_in_package(&mut self, pointer: &str, value: Value) -> &mut Self {
        let whole = format!("{}{pointer}", self.package_base());
        self.set(&whole, value)
    }

    /// Changes one of the 64 digits of a digest: who compares a part of it sees nothing.
    fn with_other_digit(&mut self, pointer: &str, at: usize) -> &mut Self {
        let digest = self.get(&format!("{}{pointer}", self.package_base()));
        let mut digest = digest.as_str().unwrap_or_default().to_owned();
        let place = "sha256:".len() + at;
        let other = if digest.get(place..=place) == Some("0") { "1" } else { "0" };
        digest.replace_range(place..=place, other);
        self.set_in_package(pointer, json!(digest))
    }

    fn remove(&mut self, parent: &str, name: &str) -> &mut Self {
        if let Some(Value::Object(members)) = self.document.pointer_mut(parent) {
            members.remove(name);
        }
        self
    }

    fn swapped(&mut self, pointer: &str) -> &mut Self {
        if let Some(Value::Array(elements)) = self.document.pointer_mut(pointer) {
            elements.reverse();
        }
        self
    }

    fn swapped_in_package(&mut self, pointer: &str) -> &mut Self {
        let whole = format!("{}{pointer}", self.package_base());
        self.swapped(&whole)
    }

    fn doubled(&mut self, pointer: &str) -> &mut Self {
        if let Some(Value::Array(elements)) = self.document.pointer_mut(pointer) {
            let first = elements.first().cloned();
            elements.splice(0..0, first);
        }
        self
    }

    /// Names a rule set that nobody knows.
    fn with_foreign_rules(&mut self) -> &mut Self {
        self.set("/ruleset/digest", json!(format!("sha256:{}", "0".repeat(64))))
    }

    /// Adds a finding that blocks the author to a report, and everything that follows from it.
    fn with_claim(&mut self, code: &str, pointer: &str) -> &mut Self {
        let finding = json!({
            "code": code, "fingerprint": Digest::of(format!("{code}\n\n{pointer}\n").as_bytes()).to_string(),
            "pointer": pointer, "severity": "blocker",
        });
        let blocker = json!({ "blocksStage": "collection-entry", "code": code, "owner": "author" });
        self.insert_first("/reviewReport/findings", finding).insert_first("/blockers", blocker);
        if let Some(Value::Array(checks)) = self.document.pointer_mut("/reviewReport/checks") {
            let of_rule = checks.iter_mut().filter(|check| check.get("code") == Some(&json!(code)));
            of_rule.for_each(|check| check["result"] = json!("failed"));
        }
        let blockers = self.get("/reviewReport/counts/blockers").as_u64().unwrap_or_default() + 1;
        self.set("/reviewReport/counts/blockers", json!(blockers)).set("/reviewReport/verdict", json!("blocked"))
    }

    /// Adds a fact of the first file to a report, and nothing that follows from it.
    fn with_fact(&mut self, kind: &str, word: &str, subject: &str) -> &mut Self {
        let file = self.get("/packageArtifact/files/0/path");
        let fact = json!({ "count": 1, "file": file, "kind": kind, "subject": subject, "word": word });
        if let Some(Value::Array(facts)) = self.document.pointer_mut("/reviewReport/facts") {
            let text = |fact: &Value, member: &str| fact.get(member).and_then(Value::as_str).map(str::to_owned);
            facts.push(fact);
            facts.sort_by_key(|fact| ["kind", "word", "subject", "file"].map(|member| text(fact, member)));
        }
        self
    }

    /// Adds a file whose name meets that of the first on some disks, and everything that follows from it.
    fn with_colliding_paths(&mut self) -> &mut Self {
        let number = |forgery: &Self, pointer: &str| forgery.get(pointer).as_u64().unwrap_or_default();
        let path = self.get("/packageArtifact/files/0/path").as_str().unwrap_or_default().to_owned();
        let other = path.to_lowercase();
        let other = if other == path { path.to_uppercase() } else { other };
        let mut file = self.get("/packageArtifact/files/0");
        if let Value::Object(members) = &mut file {
            members.insert("path".to_owned(), json!(other));
        }
        if let Some(Value::Array(files)) = self.document.pointer_mut("/packageArtifact/files") {
            files.push(file);
            files.sort_by_key(|file| file.get("path").and_then(Value::as_str).unwrap_or_default().to_owned());
        }
        if self.get("/reviewReport/inventory").is_object() {
            let bytes = number(self, "/reviewReport/inventory/bytes") + number(self, "/packageArtifact/files/0/size");
            let files = number(self, "/reviewReport/inventory/files") + 1;
            self.set("/reviewReport/inventory", json!({ "bytes": bytes, "files": files }));
        }
        self
    }

    fn insert_first(&mut self, pointer: &str, value: Value) -> &mut Self {
        if let Some(Value::Array(elements)) = self.document.pointer_mut(pointer) {
            elements.insert(0, value);
        }
        self
    }

    /// Makes the document digests fit again.
    fn sealed(&mut self) -> &mut Self {
        if self.spec.kind == kind::INDEX.kind {
            self.seal_entries();
        }
        seal_document(&mut self.document);
        self
    }

    /// Makes the digests of the embedded parts fit again too.
    fn sealed_parts(&mut self) -> &mut Self {
        let base = self.package_base();
        if let Some(subject) = self.document.pointer_mut(base) {
            seal_parts(subject);
        }
        self.sealed()
    }

    fn seal_entries(&mut self) {
        let count = self.document.pointer("/entries").and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            if let Some(submission) = self.document.pointer_mut(&format!("/entries/{index}/submission")) {
                seal_document(submission);
            }
            let digest = self.get(&format!("/entries/{index}/submission/documentDigest"));
            let was = self.get(&format!("/entries/{index}/submissionDigest"));
            if self.get(&format!("/derivedFrom/{index}/digest")) == was {
                self.set(&format!("/derivedFrom/{index}/digest"), digest.clone());
            }
            self.set(&format!("/entries/{index}/submissionDigest"), digest);
        }
    }

    fn text(&self) -> Vec<u8> {
        canonical::to_pretty(&self.document)
    }

    /// The text with something put in right after the first brace.
    fn opened_with(&self, insertion: &str) -> Vec<u8> {
        let mut text = format!("{{\n  {insertion}").into_bytes();
        text.extend(self.text().into_iter().skip(1));
        text
    }
}

/// A good document of which one digit of a digest is another, with a document digest that fits. The place is one of a package,
/// which in an index is the first.
///
/// # Errors
/// When the document is no JSON.
pub fn with_other_digit(
    spec: &'static ArtifactSpec,
    good: &[u8],
    pointer: &str,
    at: usize,
) -> Result<Vec<u8>, serde_json::Error> {
    let document: Value = serde_json::from_slice(good)?;
    let mut forgery = Forgery { spec, other: &Value::Null, document };
    Ok(forgery.with_other_digit(pointer, at).sealed().text())
}

/// A part of the package that a document is about, which in an index is the first.
#[must_use]
pub fn package_part<'d>(spec: &ArtifactSpec, document: &'d Value, pointer: &str) -> Option<&'d Value> {
    document.pointer(&format!("{}{pointer}", package_base(spec)))
}

/// Where the one-package members stand: at the root, or in the first entry of an index.
fn package_base(spec: &ArtifactSpec) -> &'static str {
    if spec.kind == kind::INDEX.kind { "/entries/0/submission" } else { "" }
}

/// Makes every digest inside a document about one package fit again, or the digest of an index whose entries are as they
/// were.
pub fn reseal(document: &mut Value) {
    seal_parts(document);
    seal_document(document);
}

fn seal_parts(subject: &mut Value) {
    let parts = [
        ("manifest", subject.pointer("/packageArtifact/manifest").cloned()),
        ("package-artifact", subject.get("packageArtifact").cloned()),
        ("review-report", subject.get("reviewReport").cloned()),
    ];
    let Some(Value::Array(descriptors)) = subject.get_mut("artifactDigests") else { return };
    for descriptor in descriptors {
        let part = parts.iter().find(|(name, _)| descriptor.get("name").and_then(Value::as_str) == Some(name));
        let (Some((_, Some(part))), Value::Object(members)) = (part, descriptor) else { continue };
        let (digest, size) = canonical::digest(part);
        members.insert("digest".to_owned(), json!(digest.to_string()));
        members.insert("size".to_owned(), json!(size));
    }
}

/// Makes the digest of the document itself fit again.
pub fn seal_document(document: &mut Value) {
    let mut view = document.clone();
    if let Value::Object(members) = &mut view {
        for covered in ["documentDigest", "packageArtifact", "reviewReport"] {
            members.remove(covered);
        }
        if let Some(Value::Array(entries)) = members.get_mut("entries") {
            for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
                entry.remove("submission");
            }
        }
    }
    let digest = canonical::digest(&view).0;
    if let Value::Object(members) = document {
        members.insert("documentDigest".to_owned(), json!(digest.to_string()));
    }
}
