//! Values that one function reads and one rule guards.

pub mod any_problem_code;
pub mod any_rule_code;
pub mod ident;
pub mod json_pointer;
pub mod media_type;
pub mod path;
pub(crate) mod path_parts;
mod quick_path;
pub mod ruleset_ref;
pub mod size;
pub mod subject;
pub mod url;
