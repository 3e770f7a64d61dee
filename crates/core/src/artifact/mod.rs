//! The seven artifacts: one file each, one table.

pub mod about_package;
pub mod any;
pub mod checked;
mod define;
pub mod derive;
pub mod evaluated;
mod examination;
pub mod head;

pub mod acceptance_request;
pub mod index;
pub mod install_policy;
pub mod publisher_proof;
pub mod publisher_verification;
pub mod review_evidence;
pub mod signing_request;
pub mod submission;
