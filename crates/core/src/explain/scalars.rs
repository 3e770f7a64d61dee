//! The table of scalar types, by the title that each has in the schemas.

use std::{collections::BTreeMap, sync::LazyLock};

use svc_json::digest::Digest;

use crate::{
    artifact::{
        head::Visibility,
        index::ScopeType,
        publisher_proof::{ClaimName, DnsName, ProofMethod, ProofStatus, RepositoryName},
        review_evidence::{StorageKey, StorageStatus},
        signing_request::{Base64, Hex, PayloadType, PredicateType, StatementType},
    },
    closed::False,
    gates::AllGates,
    manifest::{
        scalars::{
            CspSource, DisplayName, Glob, HostRange, IconSizes, Identifier, Label, LanguageTag, License,
            ManifestVersion, Meta, PublisherName, Purpose, Summary, Text,
        },
        vocabulary::{DataCollection, ExceptedRule, Isolation, Permission, Risk, SettingType},
    },
    package::{descriptor::DescriptorName, fact::FactWord},
    review::{blocker::BlockerCode, report::CheckResult},
    scalar::{
        any_problem_code::AnyProblemCode,
        any_rule_code::AnyRuleCode,
        ident::{OwnerId, OwnerName, PackageId, PublisherId, Version},
        json_pointer::JsonPointer,
        media_type::MediaType,
        path::PackagePath,
        size::Size,
        subject::Subject,
        url::{HttpsUrl, Origin},
    },
    words::{
        gate::{Clearer, Gate, GateWord},
        kind::{ArtifactKind, SchemaVersion},
        severity::Severity,
        stage::{Reached, Stage},
        verdict::Verdict,
        wire::{ScalarSpec, WireScalar},
    },
};

/// The scalar type of this title.
#[must_use]
pub fn scalar_of(title: &str) -> Option<&'static ScalarSpec> {
    static BY_TITLE: LazyLock<BTreeMap<&str, &ScalarSpec>> =
        LazyLock::new(|| all().map(|scalar| (scalar.name, scalar)).collect());
    BY_TITLE.get(title).copied()
}

/// Every scalar type.
pub fn all() -> impl Iterator<Item = &'static ScalarSpec> {
    SCALARS.iter()
}

static SCALARS: &[ScalarSpec] = &[
    False::SCALAR,
    AllGates::SCALAR,
    Gate::SCALAR,
    Clearer::SCALAR,
    GateWord::SCALAR,
    Digest::SCALAR,
    PackageId::SCALAR,
    Version::SCALAR,
    OwnerId::SCALAR,
    OwnerName::SCALAR,
    PublisherId::SCALAR,
    PackagePath::SCALAR,
    Size::SCALAR,
    MediaType::SCALAR,
    DescriptorName::SCALAR,
    HttpsUrl::SCALAR,
    Origin::SCALAR,
    DisplayName::SCALAR,
    Summary::SCALAR,
    PublisherName::SCALAR,
    Label::SCALAR,
    CspSource::SCALAR,
    Text::SCALAR,
    Purpose::SCALAR,
    Identifier::SCALAR,
    LanguageTag::SCALAR,
    IconSizes::SCALAR,
    Glob::SCALAR,
    HostRange::SCALAR,
    License::SCALAR,
    ManifestVersion::SCALAR,
    Meta::SCALAR,
    Risk::SCALAR,
    ExceptedRule::SCALAR,
    Permission::SCALAR,
    DataCollection::SCALAR,
    Isolation::SCALAR,
    SettingType::SCALAR,
    Severity::SCALAR,
    Verdict::SCALAR,
    CheckResult::SCALAR,
    AnyRuleCode::SCALAR,
    AnyProblemCode::SCALAR,
    Subject::SCALAR,
    FactWord::SCALAR,
    JsonPointer::SCALAR,
    BlockerCode::SCALAR,
    Visibility::SCALAR,
    SchemaVersion::SCALAR,
    ArtifactKind::SCALAR,
    Stage::SCALAR,
    Reached::SCALAR,
    ScopeType::SCALAR,
    ClaimName::SCALAR,
    DnsName::SCALAR,
    RepositoryName::SCALAR,
    ProofMethod::SCALAR,
    ProofStatus::SCALAR,
    StorageStatus::SCALAR,
    StorageKey::SCALAR,
    StatementType::SCALAR,
    PredicateType::SCALAR,
    PayloadType::SCALAR,
    Hex::SCALAR,
    Base64::SCALAR,
];
