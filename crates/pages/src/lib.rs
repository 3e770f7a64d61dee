//! What pages are made of: the files that are built from `web/`, and the one writer of HTML.

pub mod bundle;
pub mod html;
