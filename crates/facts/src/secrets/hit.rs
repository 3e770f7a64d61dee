//! A place where a secret may stand, and what stands there.

use svc_core::package::fact_table::FactSpec;

/// A place where a secret may stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<'a> {
    pub(super) text: &'a [u8],
    /// Where the mark begins and ends.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> Hit<'a> {
    pub(super) fn before(self) -> &'a [u8] {
        self.text.get(..self.start).unwrap_or_default()
    }

    pub(super) fn after(self) -> &'a [u8] {
        self.text.get(self.end..).unwrap_or_default()
    }

    pub(super) fn mark(self) -> &'a [u8] {
        self.text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A secret, or what a service means to be public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: &'static FactSpec,
}

pub(super) type Shape = fn(Hit<'_>) -> Option<Find>;
