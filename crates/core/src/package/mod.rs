//! A package: its manifest, its files, and what their bytes tell.

pub mod artifact;
pub mod descriptor;
pub mod fact;
pub mod fact_table;
pub mod folder;
mod references;
pub mod sighting;
