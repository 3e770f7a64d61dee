//! The timeline of a PostgreSQL cluster: it goes up each time that a standby is promoted. A node remembers the newest that it
//! has worked on, so that a primary from before the promotion is recognised when it returns.

use std::fmt;

const FOLLOWED: &str = "followed";

/// A cluster, and how often a standby of it was promoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The identifier that `initdb` gave the cluster; its standbys share it.
    system: u64,
    number: u32,
    /// Whether a standby follows it that could be promoted, or commits wait for one.
    is_followed: bool,
}

impl Timeline {
    #[must_use]
    pub const fn new(system: u64, number: u32) -> Self {
        Self { system, number, is_followed: false }
    }

    /// The same, with whether a standby follows it.
    #[must_use]
    pub const fn followed(self, is_followed: bool) -> Self {
        Self { is_followed, ..self }
    }

    /// Whether a standby was seen that follows it.
    #[must_use]
    pub const fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Whether the other is the same cluster after as many promotions.
    #[must_use]
    pub const fn is_same(&self, other: &Self) -> bool {
        self.system == other.system && self.number == other.number
    }

    /// Whether a cluster on this timeline is from before the promotion that led to the other one. Of two clusters that were
    /// made apart nothing is known.
    #[must_use]
    pub const fn is_before(&self, newer: &Self) -> bool {
        self.system == newer.system && self.number < newer.number
    }

    /// Reads back what [`Timeline::to_file`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.strip_suffix('\n')?.splitn(3, ' ');
        let timeline = Self::new(words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        match words.next() {
            None => Some(timeline),
            Some(FOLLOWED) => Some(timeline.followed(true)),
            Some(_) => None,
        }
    }

    #[must_use]
    pub fn to_file(&self) -> String {
        let end = if self.is_followed { format!(" {FOLLOWED}") } else { String::new() };
        format!("{} {}{end}\n", self.system, self.number)
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "timeline {}", self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeline_comes_back_from_its_file_and_is_compared_within_its_cluster() {
        let (old, new) = (Timeline::new(7, 1), Timeline::new(7, 2));
        for timeline in [new, new.followed(true)] {
            assert_eq!(Timeline::parse(&timeline.to_file()), Some(timeline));
        }
        assert!(new.is_same(&new.followed(true)) && !new.is_same(&old));
        assert!(old.is_before(&new) && !new.is_before(&old) && !new.is_before(&new));
        assert!(!old.is_before(&Timeline::new(8, 2)), "another cluster");
        for text in ["", "7 2", "7\n", "a 2\n", "7 -1\n", "7 2 \n", "7 2 follows\n", "7 2 followed \n"] {
            assert_eq!(Timeline::parse(text), None, "{text:?}");
        }
    }
}
