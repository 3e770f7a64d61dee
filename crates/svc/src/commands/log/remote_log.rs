//! What a remote log answered in one round, kept as it came, so that a fault can be shown.

use std::{cell::RefCell, collections::VecDeque};

use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    source::LogFiles,
    tiles::{self, TilePath},
};

use super::stop_flag::StopFlag;

/// How many of the newest bytes are kept: the records that are still being read word for word are among it.
const MAX_KEPT_BYTES: usize = 64 * 1024 * 1024;
const MAX_KEPT_PATHS: usize = 1000;

/// A log, and what it served.
pub(super) struct RemoteLog<'f> {
    files: &'f dyn LogFiles,
    stop: &'f StopFlag,
    served: RefCell<ServedFiles>,
}

#[derive(Default)]
struct ServedFiles {
    paths: VecDeque<String>,
    files: VecDeque<(String, Vec<u8>)>,
    bytes: usize,
}

impl<'f> RemoteLog<'f> {
    pub(super) fn new(files: &'f dyn LogFiles, stop: &'f StopFlag) -> Self {
        Self { files, stop, served: RefCell::default() }
    }

    /// The paths that were asked for last, in order.
    pub(super) fn paths(&self) -> Vec<String> {
        self.served.borrow().paths.iter().cloned().collect()
    }

    /// The path that was asked for last.
    pub(super) fn last_path(&self) -> Option<String> {
        self.served.borrow().paths.back().cloned()
    }

    /// The state that was served last.
    pub(super) fn checkpoint(&self) -> Option<Vec<u8>> {
        self.find(tiles::CHECKPOINT)
    }

    /// The bytes of the file that was asked for last, if any came.
    pub(super) fn last(&self) -> Option<Vec<u8>> {
        let path = self.last_path()?;
        let served = self.served.borrow();
        served.files.back().filter(|(last, _)| *last == path).map(|(_, bytes)| bytes.clone())
    }

    pub(super) fn bundles(&self) -> Vec<(String, Vec<u8>)> {
        let is_bundle = |path: &str| TilePath::parse(path).is_some_and(|tile| tile.is_entries());
        self.served.borrow().files.iter().filter(|(path, _)| is_bundle(path)).cloned().collect()
    }

    /// What was said to a path at first: whatever was said later was compared with it.
    fn find(&self, path: &str) -> Option<Vec<u8>> {
        self.served.borrow().files.iter().find(|(known, _)| known == path).map(|(_, bytes)| bytes.clone())
    }
}

impl LogFiles for RemoteLog<'_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        if self.stop.is_set() {
            return Err(JournalFault::new(JournalFaultKind::Busy, "the reading was stopped"));
        }
        let mut served = self.served.borrow_mut();
        served.paths.push_back(path.to_owned());
        if served.paths.len() > MAX_KEPT_PATHS {
            served.paths.pop_front();
        }
        drop(served);
        let bytes = self.files.get(path)?;
        let mut served = self.served.borrow_mut();
        served.bytes += bytes.len();
        served.files.push_back((path.to_owned(), bytes.clone()));
        while served.bytes > MAX_KEPT_BYTES {
            // The state is small and says what all the rest must be.
            let oldest = served.files.iter().position(|(path, _)| path != tiles::CHECKPOINT);
            let Some((_, gone)) = oldest.and_then(|at| served.files.remove(at)) else { break };
            served.bytes -= gone.len();
        }
        Ok(bytes)
    }
}

/// The same log as it was read: a file that was served once is not asked for again.
pub(super) struct Repeated<'h, 'f>(pub(super) &'h RemoteLog<'f>);

impl LogFiles for Repeated<'_, '_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        self.0.find(path).map_or_else(|| self.0.files.get(path), Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(RefCell<u8>);

    impl LogFiles for Counting {
        fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
            *self.0.borrow_mut() += 1;
            Ok(if path == tiles::CHECKPOINT { vec![*self.0.borrow()] } else { vec![0; MAX_KEPT_BYTES / 3 + 1] })
        }
    }

    #[test]
    fn what_was_said_is_kept_within_bounds_and_the_state_always() {
        let (files, stop) = (Counting(RefCell::new(0)), StopFlag::default());
        let log = RemoteLog::new(&files, &stop);
        for path in [tiles::CHECKPOINT, "tile/entries/000", "tile/entries/001", "tile/entries/002"] {
            log.get(path).unwrap();
        }
        assert_eq!(log.checkpoint(), Some(vec![1]));
        assert_eq!(log.bundles().len(), 2, "the oldest went");
        assert_eq!(Repeated(&log).get(tiles::CHECKPOINT).unwrap(), [1], "not asked again");
        assert_eq!(*files.0.borrow(), 4);
        stop.set();
        assert!(log.get(tiles::CHECKPOINT).is_err());
    }
}
