//! The forms of leaves and the lists they go by, as data for other implementations.
//!
//! A reader in another language that walks the schemas beside a document still needs to know which rule a wrong leaf
//! breaks, and the lists that no pattern can hold: licences, media types, risks. Here they are, from the same tables that
//! this crate reads by.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_json::tree::Value;

use crate::{
    explain::scalars::all as all_scalars,
    manifest::vocabulary::{Permission, Risk},
    package::descriptor::DescriptorName,
    scalar::media_type,
    words::{
        kind::{self, ArtifactSpec, Source},
        rule_code::RuleCode,
        wire::ScalarSpec,
    },
};

/// The document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Forms {
    artifacts: Vec<ArtifactRow>,
    descriptor_media_types: BTreeMap<&'static str, String>,
    forms: Vec<FormRow>,
    licenses: Licenses,
    media_types: BTreeMap<&'static str, &'static str>,
    other_media_type: &'static str,
    permission_risks: BTreeMap<&'static str, Risk>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactRow {
    file: &'static str,
    kind: &'static str,
    most_bytes: usize,
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'static str>,
    schema: &'static str,
    source: &'static str,
    status: &'static str,
}

#[derive(Serialize)]
struct FormRow {
    expected: String,
    name: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    pattern: &'static str,
    rule: RuleCode,
    #[serde(skip_serializing_if = "<[&str]>::is_empty")]
    words: &'static [&'static str],
}

/// Identifiers of the SPDX list that are not deprecated; those of GNU licences take no `+`.
#[derive(Serialize)]
struct Licenses {
    exceptions: Vec<&'static str>,
    gnu: Vec<&'static str>,
    others: Vec<&'static str>,
    version: &'static str,
}

impl Forms {
    pub(crate) fn now() -> Self {
        let mut forms: Vec<FormRow> = all_scalars().map(FormRow::new).collect();
        forms.sort_by_key(|form| form.name);
        let names = DescriptorName::ALL.iter();
        Self {
            artifacts: kind::ALL.iter().map(|spec| ArtifactRow::new(spec)).collect(),
            descriptor_media_types: names.map(|name| (name.as_str(), name.media_type().to_string())).collect(),
            forms,
            licenses: Licenses::now(),
            media_types: media_type::BY_EXTENSION.iter().copied().collect(),
            other_media_type: media_type::OTHER,
            permission_risks: Permission::ALL.iter().map(|word| (word.as_str(), word.risk())).collect(),
        }
    }
}

impl ArtifactRow {
    fn new(spec: &'static ArtifactSpec) -> Self {
        let (source, parent) = match spec.source {
            Source::Package => ("package", None),
            Source::Submissions => ("submissions", None),
            Source::Artifact { parent, .. } => ("artifact", Some(parent.kind)),
        };
        Self {
            file: spec.file,
            kind: spec.kind,
            most_bytes: spec.most_bytes,
            name: spec.name,
            parent,
            schema: spec.schema,
            source,
            status: spec.status,
        }
    }
}

impl FormRow {
    fn new(leaf: &'static ScalarSpec) -> Self {
        // A version chooses between two rules by what it looks like; the one for anything else is its rule here.
        let rule = (leaf.rule)(&Value::Null);
        Self { expected: leaf.expectation(), name: leaf.name, pattern: leaf.pattern, rule, words: leaf.words }
    }
}

impl Licenses {
    fn now() -> Self {
        let ids = spdx::identifiers::LICENSES.iter().filter_map(|license| spdx::license_id(license.name));
        let (gnu, others): (Vec<_>, Vec<_>) = ids.filter(|id| !id.is_deprecated()).partition(|id| id.is_gnu());
        Self {
            exceptions: spdx::identifiers::EXCEPTIONS.iter().map(|exception| exception.name).collect(),
            gnu: gnu.iter().map(|id| id.name).collect(),
            others: others.iter().map(|id| id.name).collect(),
            version: spdx::identifiers::VERSION,
        }
    }
}
