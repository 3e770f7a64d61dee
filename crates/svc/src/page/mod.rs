//! The report on a bundle: one model, made of what was checked, and the two forms that people read it in.
//!
//! Everything foreign passes `text.rs` on its way into the model. Absent on purpose: a word of the page that is decided by
//! its script. The script puts the model into elements, and no more.

pub(crate) mod build;
mod chain;
pub(crate) mod changes;
mod file_list;
mod findings;
pub(crate) mod html;
mod listing;
pub(crate) mod markdown;
pub(crate) mod model;
pub(crate) mod package_files;
mod package_status;
mod picture;
mod text;
mod use_rows;
