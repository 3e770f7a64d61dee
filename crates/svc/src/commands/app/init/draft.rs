//! The manifest that is drafted. Unlike the model, it may hold marks of what is still to be written.

use serde::Serialize;

/// Stands where only the author can write. No rule lets it pass as a licence, and as a purpose it is too short.
pub(super) const TO_DO: &str = "TODO";

/// A purpose that is still to be written: P003 reports it.
pub(super) const PURPOSE_TO_DO: &str = "TODO: why?";

/// A summary that is still to be written: M017 reports it.
pub(super) const SUMMARY_TO_DO: &str = "TODO: say in one sentence what it does.";

/// The manifest, its members in the order that people read them in.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DraftManifest {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) manifest_version: u8,
    pub(super) id: String,
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) short_name: Option<String>,
    pub(super) version: String,
    pub(super) summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'static str>,
    pub(super) publisher: DraftPublisher,
    pub(super) license: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) categories: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) keywords: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repository: Option<DraftRepository>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) support: Option<DraftSupport>,
    pub(super) engines: DraftEngines,
    pub(super) entry: DraftEntry,
    pub(super) permissions: Vec<DraftPermission>,
    pub(super) network: DraftNetwork,
    pub(super) data_collection: Vec<String>,
    pub(super) icons: Vec<DraftIcon>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) screenshots: Vec<DraftScreenshot>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) locales: Option<DraftLocales>,
    pub(super) files: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftPublisher {
    pub(super) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftRepository {
    pub(super) url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subfolder: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftSupport {
    pub(super) url: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftEngines {
    pub(super) host: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftEntry {
    pub(super) renderer: String,
    pub(super) isolation: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftPermission {
    pub(super) permission: String,
    pub(super) purpose: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftNetwork {
    pub(super) allow: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) purpose: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftIcon {
    pub(super) src: String,
    pub(super) sizes: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftScreenshot {
    pub(super) src: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alt: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct DraftLocales {
    pub(super) default: &'static str,
    pub(super) dir: &'static str,
}

impl DraftManifest {
    /// The text of the file.
    pub(super) fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Asks for these permissions and origins too, each with a purpose that is still to be written.
    pub(super) fn ask<'w>(
        &mut self,
        permissions: impl Iterator<Item = &'w str>,
        origins: impl Iterator<Item = &'w str>,
    ) {
        for origin in origins {
            if !self.network.allow.iter().any(|there| there == origin) {
                self.network.allow.push(origin.to_owned());
            }
        }
        self.network.allow.sort();
        let network = (!self.network.allow.is_empty()).then_some("network.fetch");
        self.network.purpose = network.map(|_| PURPOSE_TO_DO);
        for permission in permissions.chain(network) {
            if self.permissions.iter().all(|there| there.permission != permission) {
                self.permissions.push(DraftPermission { permission: permission.to_owned(), purpose: PURPOSE_TO_DO });
            }
        }
    }
}
