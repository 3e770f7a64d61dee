//! Reports in words for people and for machines.

pub(crate) mod author_tasks;
pub(crate) mod concise;
pub(crate) mod cut;
pub(crate) mod excerpt;
mod fingerprints;
pub(crate) mod github;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod place;
pub(crate) mod remarks;
pub(crate) mod sarif;
pub(crate) mod show;
pub(crate) mod show_verification;
pub(crate) mod uses;
pub(crate) mod verification;
