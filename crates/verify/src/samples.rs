//! Two bundles that are part of the program: one to drive the routes of this build with, one to mix in.

use serde_json::{Map, Value, json};
use svc_core::samples::rules;
use svc_core::{
    artifact::{checked::Checked, index::Index, submission::Submission},
    attacks,
    bundle::{Bundle, Files},
    read, samples,
    words::kind::{self, ArtifactSpec},
};
use svc_json::{canonical, digest::Digest};

use crate::order::Order;

/// The sample package as it is, and another made of it.
const GOOD: &str = "{}";
const OTHER: &str = r#"{"id": "dev.acme.other-board", "version": "2.0.0", "repository": null}"#;

/// The id of the other one, which the kit puts into an index too.
pub(crate) const OTHER_ID: &str = "dev.acme.other-board";

/// The two bundles.
#[derive(Debug)]
pub(crate) struct Samples {
    good: Files,
    other: Files,
    /// The names of this run, where it is not to be known by those of the program.
    names: Option<Names>,
}

/// Names that no other run has.
#[derive(Debug)]
struct Names {
    owner: String,
    file: String,
    /// Members of the manifest.
    patch: Map<String, Value>,
    other_id: String,
}

impl Samples {
    /// Makes both.
    ///
    /// # Errors
    /// When the program's own packages do not hold.
    pub(crate) fn make() -> Result<Self, String> {
        Self::named(None)
    }

    /// The same under names of their own.
    ///
    /// # Errors
    /// When a package of that name does not hold.
    pub(crate) fn make_with_names(order: &mut Order) -> Result<Self, String> {
        Self::named(Some(Names::draw(order)))
    }

    fn named(names: Option<Names>) -> Result<Self, String> {
        let bundle = |patch: &str| {
            let submission = submission(names.as_ref(), patch)?;
            Some(Bundle::from_submission(submission).ok()?.to_files())
        };
        let failed = || "this build's own samples do not hold".to_owned();
        let (good, other) = bundle(GOOD).zip(bundle(OTHER)).ok_or_else(failed)?;
        Ok(Self { good, other, names })
    }

    /// All files of the first.
    pub(crate) fn files(&self) -> &Files {
        &self.good
    }

    /// A document of the first.
    pub(crate) fn good(&self, spec: &ArtifactSpec) -> Result<Vec<u8>, String> {
        self.good.get(spec.file).cloned().ok_or_else(|| format!("{} is missing", spec.file))
    }

    /// A document of the other.
    pub(crate) fn other(&self, spec: &ArtifactSpec) -> Result<&[u8], String> {
        self.other.get(spec.file).map(Vec::as_slice).ok_or_else(|| format!("{} is missing", spec.file))
    }

    /// An index of the sample package under each of these changes of its manifest.
    pub(crate) fn index_of(&self, patches: &[&str]) -> Result<Vec<u8>, String> {
        let made = patches.iter().map(|patch| submission(self.names.as_ref(), patch)).collect::<Option<Vec<_>>>();
        let index = made.and_then(|submissions| Index::from_submissions(rules(), &submissions, None).ok());
        index.map(|index| index.to_file()).ok_or_else(|| "the index of a few samples cannot be made".to_owned())
    }

    /// The first as somebody with rules that this build does not know would have made it.
    pub(crate) fn under_other_rules(&self) -> Result<Files, String> {
        let failed = || "the sample under other rules cannot be made".to_owned();
        let mut document: Value = serde_json::from_slice(&self.good(&kind::SUBMISSION)?).map_err(|_| failed())?;
        let members = document.as_object_mut().ok_or_else(failed)?;
        let digest = Digest::of(b"rules that nobody has").to_string();
        members.insert("ruleset".to_owned(), json!({ "digest": digest, "version": "1.0.0" }));
        attacks::reseal(&mut document);
        let submission = read::artifact(rules(), &canonical::to_pretty(&document)).map_err(|_| failed())?;
        Ok(Bundle::from_submission(submission).map_err(|_| failed())?.to_files())
    }

    /// An index with the submissions of both.
    pub(crate) fn index_of_both(&self) -> Result<Vec<u8>, String> {
        let both = [self.good(&kind::SUBMISSION)?, self.other(&kind::SUBMISSION)?.to_vec()];
        let checked: Result<Vec<Checked<Submission>>, _> =
            both.iter().map(|bytes| read::artifact(rules(), bytes)).collect();
        let index = checked.and_then(|submissions| Index::from_submissions(rules(), &submissions, None));
        index.map(|index| index.to_file()).map_err(|_| "the index of both samples cannot be made".to_owned())
    }
}

impl Names {
    fn draw(order: &mut Order) -> Self {
        let mut word = || order.word(7);
        let (domain, name, other) = (word(), word(), word());
        let patch = json!({
            "id": format!("io.{domain}.{name}"),
            "name": format!("{} {}", word(), word()),
            "summary": format!("Shows {} and {}.", word(), word()),
            "keywords": [word()],
            "publisher": { "id": domain, "url": format!("https://{domain}.example") },
            "repository": { "url": format!("https://github.com/{domain}/{name}") },
            "support": { "url": format!("https://{domain}.example/help") },
            "privacyPolicy": format!("https://{domain}.example/privacy"),
        });
        let patch = patch.as_object().cloned().unwrap_or_default();
        Self {
            owner: domain.clone(),
            file: format!("data/{}.json", word()),
            patch,
            other_id: format!("io.{domain}.{other}"),
        }
    }
}

/// The submission of a sample under a change of its manifest, and under the names of a run.
fn submission(names: Option<&Names>, patch: &str) -> Option<Checked<Submission>> {
    let Some(names) = names else { return samples::submission(patch, 0) };
    let change: Map<String, Value> = serde_json::from_str(patch).ok()?;
    let mut members = names.patch.clone();
    members.extend(change);
    if members.get("id").and_then(Value::as_str) == Some(OTHER_ID) {
        members.insert("id".to_owned(), json!(names.other_id));
    }
    let outside = samples::Outside { owner: &names.owner, owner_name: &names.owner, file: &names.file };
    samples::submission_with(&Value::Object(members).to_string(), outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_under_its_own_names_has_none_of_the_program() {
        let own = Samples::make_with_names(&mut Order::of(3)).unwrap();
        let index = own.index_of(&["{}", r#"{"id": "dev.acme.other-board"}"#]).unwrap();
        let documents = own.good.values().chain(own.other.values()).chain([&index]);
        for document in documents {
            let text = String::from_utf8_lossy(document);
            for name in ["weather-board", "other-board", "\"acme\"", "Weather"] {
                assert!(!text.contains(name), "{name} in {text}");
            }
        }
    }
}
