//! From a manifest and the files beside it to a submission. Reading the files is the caller's work.

use std::sync::LazyLock;

use svc_json::{
    pointer::Pointer,
    tree::{self, Document},
    typed,
};

use crate::{
    artifact::{
        checked::Checked,
        head::{Owner, Visibility},
        submission::Submission,
    },
    explain::{form::Form, meant::as_meant, open_flags::open_flags, shape},
    findings::Findings,
    manifest::{model::Manifest, scalars::Glob},
    package::{
        artifact::{FileEntry, PackageArtifact},
        folder::{Folder, Roles},
    },
    review::report::ReviewReport,
    rules::{package::Package, proposal::Proposal, ruleset::Rules, run, syntax},
    schema,
    words::{limits, rule_code::RuleCode},
};

/// The name of the manifest's schema.
pub const MANIFEST_SCHEMA: &str = "urn:svc:registry:schema:app-manifest:1.0";

/// A manifest that could be followed to its end, whatever else is wrong with it.
#[derive(Debug)]
pub struct Draft<'a> {
    rules: Rules,
    document: Document<'a>,
    manifest: Option<Manifest>,
    findings: Findings,
}

/// What the walk over the package's folder brought.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The files, sorted by path; nothing when the walk stopped before it knew them.
    pub files: Option<Vec<FileEntry>>,
    /// What else the walk saw.
    pub folder: Folder,
    /// What was wrong with the folder.
    pub findings: Findings,
}

/// A package that no rule refused, with the findings that did not stop it.
#[derive(Debug)]
pub struct Packed {
    /// The submission.
    pub submission: Checked<Submission>,
    /// Warnings, notes and author blockers.
    pub findings: Findings,
}

/// A package that was looked at in every way, and may still be refused.
#[derive(Debug)]
pub struct Reviewed {
    rules: Rules,
    /// All findings, with their places.
    pub findings: Findings,
    parts: Option<(PackageArtifact, ReviewReport)>,
}

/// Reads a manifest, to be judged by these rules.
///
/// # Errors
/// The findings, when the text cannot be followed to its end.
pub fn read_manifest<'a>(rules: &Rules, bytes: &'a [u8]) -> Result<Draft<'a>, Findings> {
    if bytes.len() > limits::MANIFEST_BYTES {
        let message = format!("the manifest is larger than {} bytes", limits::MANIFEST_BYTES);
        return Err(rules.finding(RuleCode::J005, message).into());
    }
    let document = tree::read(bytes).map_err(|faults| syntax::findings(rules, &faults))?;
    let mut findings = syntax::findings(rules, &document.faults);
    // The typed read decides; what it takes has nothing to explain.
    let manifest = typed::from_slice(bytes).ok();
    if manifest.is_none() {
        static FORM: LazyLock<Form> = LazyLock::new(|| Form::from_schema(&manifest_schema()));
        findings.append(shape::explain(rules, document.text, &FORM, &shape::MANIFEST));
        findings.append(open_flags(rules, document.text));
        if !findings.has_errors() {
            findings.push(rules.finding(RuleCode::M003, "the manifest does not have its form"));
        }
    }
    Ok(Draft { rules: rules.clone(), document, manifest, findings })
}

/// The manifest's JSON Schema.
#[must_use]
pub fn manifest_schema() -> serde_json::Value {
    schema::for_type::<Manifest>(MANIFEST_SCHEMA, "svc-app.json")
}

impl Draft<'_> {
    /// The manifest, when it has its form.
    #[must_use]
    pub fn manifest(&self) -> Option<&Manifest> {
        self.manifest.as_ref().filter(|_| !self.findings.has_errors())
    }

    /// The manifest as a tree.
    pub(crate) fn root(&self) -> &tree::Node<'_> {
        &self.document.root
    }

    /// What is wrong with the manifest's text and shape alone.
    #[must_use]
    pub fn shape_findings(&self) -> &Findings {
        &self.findings
    }

    /// The patterns of files, those that can be used.
    #[must_use]
    pub fn patterns(&self) -> Vec<(usize, String)> {
        let globs = self.document.root.get("files").map(tree::Node::elements).unwrap_or_default();
        let texts = globs.iter().enumerate().filter_map(|(index, node)| Some((index, node.as_str()?)));
        texts.filter(|(_, text)| Glob::parse(text).is_some()).map(|(index, text)| (index, text.to_owned())).collect()
    }

    /// The texts of the manifest, each with its pointer, and the names of its members, each with that of its object.
    #[must_use]
    pub fn texts(&self) -> Vec<(String, &str)> {
        let mut texts = Vec::new();
        add_texts(&self.document.root, &Pointer::default(), &mut texts);
        texts
    }

    /// The files that the manifest gives a part to.
    fn roles(&self) -> Roles<'_> {
        let icons = self.document.root.get("icons").map(tree::Node::elements).unwrap_or_default();
        Roles {
            icons: icons.iter().filter_map(|icon| icon.get("src")?.as_str()).collect(),
            renderer: self.document.root.at_text("/entry/renderer").and_then(tree::Node::as_str),
        }
    }

    /// The publisher that the manifest declares, for an owner that was not given.
    #[must_use]
    pub fn publisher(&self) -> Option<(&str, &str)> {
        let publisher = self.document.root.get("publisher")?;
        let id = publisher.get("id")?.as_str()?;
        Some((id, publisher.get("name").and_then(tree::Node::as_str).unwrap_or(id)))
    }

    /// What the manifest would have to ask for, by what the walk saw in the code.
    #[must_use]
    pub fn proposal(&self, walked: &Walked) -> Proposal {
        let told = walked.files.as_deref().map(|files| walked.folder.facts(files, &self.roles()));
        Proposal::from_package(&Package::of_manifest(&self.rules, &self.document.root).with_facts(told.as_deref()))
    }

    /// Runs every rule and gathers all findings.
    #[must_use]
    pub fn review(self, walked: Walked) -> Reviewed {
        let told = walked.files.as_deref().map(|files| walked.folder.facts(files, &self.roles()));
        let root = as_meant(&self.document.root, &self.findings);
        let package = Package::of_manifest(&self.rules, &root)
            .with_files(walked.files.as_deref())
            .with_facts(told.as_deref())
            .with_faulty(&walked.folder.faulty);
        // A row of `exceptions` that has a slip was not meant to be idle.
        let has_slip = |row: &str| self.findings.iter().any(|slip| slip.pointer.as_str().starts_with(row));
        let mut found = run::findings(&package);
        found.retain(|finding| !finding.rule.is(RuleCode::M031) || !has_slip(&format!("{}/", finding.pointer)));
        let mut findings = Findings::of_package();
        findings.append(self.findings);
        findings.append(walked.findings);
        findings.append(found.clone());
        findings.listed_mut().iter_mut().for_each(|finding| finding.locate(&root));
        let manifest = self.manifest.filter(|_| !findings.has_errors());
        let parts = manifest.zip(walked.files.clone()).map(|(manifest, files)| {
            let artifact = PackageArtifact { files, manifest };
            let report = ReviewReport::new(&package, &artifact, &found);
            (artifact, report)
        });
        Reviewed { rules: self.rules, findings, parts }
    }
}

fn add_texts<'t>(node: &'t tree::Node<'_>, pointer: &Pointer, texts: &mut Vec<(String, &'t str)>) {
    texts.extend(node.as_str().map(|text| (pointer.to_string(), text)));
    for member in node.members() {
        texts.push((pointer.to_string(), &member.key));
        add_texts(&member.value, &pointer.join(&member.key), texts);
    }
    for (index, element) in node.elements().iter().enumerate() {
        add_texts(element, &pointer.join(index), texts);
    }
}

impl Reviewed {
    /// Makes the submission.
    ///
    /// # Errors
    /// All findings, when one of them is an error.
    pub fn pack(self, owner: Owner, visibility: Visibility) -> Result<Packed, Findings> {
        let Some((artifact, report)) = self.parts else { return Err(self.findings) };
        match Submission::pack(&self.rules, owner, visibility, artifact, report) {
            Ok(submission) => Ok(Packed { submission, findings: self.findings }),
            Err(more) => {
                let mut all = self.findings;
                all.append(more);
                Err(all)
            }
        }
    }
}
