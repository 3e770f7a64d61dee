//! The manifest as types, members in RFC 8785 order.
//!
//! Reading and writing loses nothing: what the author left out stays out, so the digest of this model is the digest of
//! the author's document.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    manifest::{
        scalars::{
            Csp, DisplayName, Glob, HostRange, IconSizes, Identifier, Label, LanguageTag, License, ManifestVersion,
            Meta, PublisherName, Purpose, Summary, Text,
        },
        vocabulary::{DataCollection, ExceptedRule, Isolation, Permission, SettingType},
    },
    scalar::{
        ident::{PackageId, PublisherId, Version},
        path::PackagePath,
        url::{HttpsUrl, Origin},
    },
    wire_struct,
};

/// A package manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "app-manifest")]
pub struct Manifest {
    /// Where editors find the schema.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<Text>,
    /// Free strings for other tools. No decision ever reads them.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
    /// Up to three categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<Label>>,
    /// Settings that the host asks the user for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<Vec<Setting>>,
    /// What the package adds to the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contributes: Option<Contributes>,
    /// What it collects; `none` alone when it collects nothing.
    pub data_collection: Vec<DataCollection>,
    /// A longer text, or the name of a file that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Text>,
    /// The hosts it is made for.
    pub engines: Engines,
    /// Where it starts.
    pub entry: Entry,
    /// Findings that a reviewer is asked to look at, and why they stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub exceptions: Option<Vec<ExceptionRequest>>,
    /// Globs of the files that belong to the package.
    pub files: Vec<Glob>,
    /// Icons.
    pub icons: Vec<Icon>,
    /// The package's name in reverse DNS form.
    pub id: PackageId,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keywords: Option<Vec<Label>>,
    /// An SPDX licence expression.
    pub license: License,
    /// Translations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locales: Option<Locales>,
    /// The version of this format: 1.
    pub manifest_version: ManifestVersion,
    /// The name for people.
    pub name: DisplayName,
    /// What it may talk to.
    pub network: Network,
    /// What it asks for, and why.
    pub permissions: Vec<PermissionRequest>,
    /// The privacy policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy_policy: Option<HttpsUrl>,
    /// Who publishes it.
    pub publisher: Publisher,
    /// Where its source is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Repository>,
    /// Pictures of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshots: Option<Vec<Screenshot>>,
    /// A name for narrow places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_name: Option<DisplayName>,
    /// One sentence.
    pub summary: Summary,
    /// Where users find help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<Support>,
    /// The semantic version.
    pub version: Version,
}

wire_struct! {
    /// One setting.
    Setting "setting" {
        /// The words to choose from.
        #[serde(skip_serializing_if = "Option::is_none")]
        choices: Option<Vec<Label>>,
        /// The value before the user chose.
        #[serde(skip_serializing_if = "Option::is_none")]
        default: Option<Text>,
        /// The name in code.
        key: Identifier,
        /// Whether the package needs it.
        #[serde(skip_serializing_if = "Option::is_none")]
        required: Option<bool>,
        /// The name for people.
        title: Label,
        /// How it is entered.
        r#type: SettingType,
    }
    /// What the package adds to the host.
    Contributes "contributes" {
        /// Commands.
        #[serde(skip_serializing_if = "Option::is_none")]
        commands: Option<Vec<Command>>,
        /// Views.
        #[serde(skip_serializing_if = "Option::is_none")]
        views: Option<Vec<View>>,
    }
    /// A command.
    Command "command" {
        /// The name in code.
        id: Identifier,
        /// The name for people.
        title: Label,
    }
    /// A view.
    View "view" {
        /// The name in code.
        id: Identifier,
        /// The place in the host.
        slot: Identifier,
        /// The name for people.
        title: Label,
    }
    /// The hosts it is made for.
    Engines "engines" {
        /// A range of host versions.
        host: HostRange,
    }
    /// Where it starts.
    Entry "entry" {
        /// The content security policy it asks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        csp: Option<Csp>,
        /// How it asks to be kept apart.
        isolation: Isolation,
        /// The page to show.
        renderer: PackagePath,
    }
    /// A finding that a reviewer is asked to look at.
    ExceptionRequest "exception-request" {
        /// The file.
        path: PackagePath,
        /// Why it stands.
        reason: Purpose,
        /// The rule.
        rule: ExceptedRule,
    }
    /// An icon.
    Icon "icon" {
        /// Its size, such as `512x512`.
        sizes: IconSizes,
        /// The file.
        src: PackagePath,
    }
    /// Translations.
    Locales "locales" {
        /// The language to fall back to.
        default: LanguageTag,
        /// The folder with one file for each language.
        dir: PackagePath,
    }
    /// What it may talk to.
    Network "network" {
        /// Origins.
        allow: Vec<Origin>,
        /// Why.
        #[serde(skip_serializing_if = "Option::is_none")]
        purpose: Option<Purpose>,
    }
    /// A permission and why it is needed.
    PermissionRequest "permission-request" {
        /// The permission.
        permission: Permission,
        /// Why.
        purpose: Purpose,
    }
    /// Who publishes it, as declared.
    Publisher "publisher" {
        /// The publisher's id.
        id: PublisherId,
        /// The name for people.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<PublisherName>,
        /// The publisher's page.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<HttpsUrl>,
    }
    /// Where the source is.
    Repository "repository" {
        /// The folder inside it.
        #[serde(skip_serializing_if = "Option::is_none")]
        subfolder: Option<PackagePath>,
        /// Its address.
        url: HttpsUrl,
    }
    /// A picture of the package.
    Screenshot "screenshot" {
        /// What it shows, for those who do not see it.
        #[serde(skip_serializing_if = "Option::is_none")]
        alt: Option<Label>,
        /// The file.
        src: PackagePath,
    }
    /// Where users find help.
    Support "support" {
        /// The address.
        url: HttpsUrl,
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.id, self.version)
    }
}
