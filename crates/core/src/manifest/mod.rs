//! The package manifest, `svc-app.json`.

pub mod license;
pub mod model;
pub mod namespace;
pub mod scalars;
pub mod vocabulary;

/// The manifest's file name.
pub const FILE_NAME: &str = "svc-app.json";

/// The file beside the manifest that names what is left out, in the syntax of gitignore.
pub const IGNORE_FILE_NAME: &str = ".svcignore";
