//! How many connections the system lets a process have.

/// What is kept for files, the database, the log and the admin address.
const RESERVE: u64 = 128;

/// Asks for as many descriptors as the system allows, where it can be asked. A service that may not is held to what it has.
pub fn raise() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let now = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
    }
}

/// How many connections there can be, of so many that are wanted.
pub(super) fn connections(wanted: usize) -> usize {
    wanted.min(usize::try_from(descriptors().saturating_sub(RESERVE)).unwrap_or(usize::MAX)).max(1)
}

#[cfg(unix)]
fn descriptors() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn descriptors() -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_connections_as_wanted_or_as_there_can_be() {
        raise();
        assert_eq!(connections(7), 7);
        assert!(connections(usize::MAX) >= 1);
    }
}
