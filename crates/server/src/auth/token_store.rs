//! A token file that is read again when it changes: revoking a token needs no restart.

use std::{
    fs, io,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use super::tokens::{AuthError, Scope, TokenFile, TokenRecord};
use crate::{clock, log};

/// How long a change may go unnoticed.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// Of how many tokens the metrics tell the end.
const MAX_ENDS: usize = 20;

/// The tokens of a file.
#[derive(Debug)]
pub struct TokenStore {
    path: PathBuf,
    state: Mutex<LoadedTokens>,
}

#[derive(Debug)]
struct LoadedTokens {
    file: TokenFile,
    changed: Option<SystemTime>,
    looked: Instant,
    is_readable: bool,
}

impl TokenStore {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read or is not a token file.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let changed = fs::metadata(&path)?.modified().ok();
        let file = TokenFile::read(&path)?;
        Ok(Self { path, state: Mutex::new(LoadedTokens { file, changed, looked: Instant::now(), is_readable: true }) })
    }

    /// Whether the file holds any token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).file.tokens.is_empty()
    }

    /// The tokens that end first, each with its end. Few, so that a file of thousands does not make thousands of metrics.
    pub(crate) fn next_ends(&self) -> Vec<(String, u64)> {
        let (now, state) = (clock::seconds_now(), self.state.lock().unwrap_or_else(PoisonError::into_inner));
        let current =
            |record: &TokenRecord| record.expires.filter(|end| *end > now).map(|end| (end, record.id.clone()));
        let mut ends: Vec<(u64, String)> = state.file.tokens.iter().filter_map(current).collect();
        ends.sort();
        ends.into_iter().take(MAX_ENDS).map(|(end, id)| (id, end)).collect()
    }

    /// The name of the token of a request, when it allows the scope.
    ///
    /// # Errors
    /// When there is none, also when the file has become unreadable: a store that is gone refuses.
    pub fn authorize(&self, authorization: Option<&str>, scope: Scope) -> Result<String, AuthError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= RELOAD_INTERVAL {
            state.looked = Instant::now();
            let changed = fs::metadata(&self.path).and_then(|found| found.modified()).ok();
            if changed.is_none() || changed != state.changed {
                let named = |error| io::Error::other(format!("{}: {error}", self.path.display()));
                state.take(TokenFile::read(&self.path).map_err(named));
                state.changed = changed;
            }
        }
        state.file.authorize(authorization, scope).map(|record| record.id.clone())
    }
}

impl LoadedTokens {
    /// Goes on with what was read, or with no token at all. Somebody must learn why nobody is let in any more.
    fn take(&mut self, read: io::Result<TokenFile>) {
        match &read {
            Err(error) if self.is_readable => {
                log::warn("the token file cannot be read, so nobody is let in", &error.to_string());
            }
            Ok(file) if !self.is_readable => {
                log::note("the token file can be read again", &format!("{} tokens", file.tokens.len()));
            }
            Ok(_) | Err(_) => {}
        }
        self.is_readable = read.is_ok();
        self.file = read.unwrap_or_default();
    }
}
