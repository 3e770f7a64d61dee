//! Something that was seen in a file.

use svc_json::position::Position;

use crate::{package::fact_table::FactSpec, scalar::subject::Subject};

/// All that was seen in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub sightings: Vec<Sighting>,
    pub references: Vec<Reference>,
}

/// A relative address in a file, which names another file of the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// What it is when no such file is there.
    pub what: &'static FactSpec,
    /// The address as it is written, without what tells hosts apart.
    pub address: String,
    /// Where it stands.
    pub position: Option<Position>,
}

/// Something seen in a file, once or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub what: &'static FactSpec,
    /// What it is about.
    pub subject: Option<Subject>,
    /// Where it was seen first, in a text.
    pub position: Option<Position>,
    /// How often it was seen.
    pub count: u64,
}

impl Sighting {
    /// Something that the file is as a whole.
    #[must_use]
    pub fn of_file(what: &'static FactSpec) -> Self {
        Self { what, subject: None, position: None, count: 1 }
    }

    /// The sighting with what it is about.
    #[must_use]
    pub fn about(self, subject: Subject) -> Self {
        Self { subject: Some(subject), ..self }
    }
}
