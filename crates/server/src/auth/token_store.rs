//! A token file that is read again when it changes: revoking a token needs no restart.
//!
//! Requests do not wait for the file: one of them looks at it when the time has come, or whoever looks after the service
//! does, and the others go by what was read last. When that one does not come back for long, nobody is let in.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use svc_json::digest::Digest;
use svc_registry_api::scope::{AuthError, TokenScope};

use super::tokens::{TokenFile, TokenRecord};
use crate::{clock, file_watch::FileWatch, log};

/// After how long a request looks at the file itself. A service that is looked after does so more often, and beside them.
const RELOAD_INTERVAL: Duration = Duration::from_secs(2);

/// For how long tokens are good while a look at the file does not come to its end, because the file system hangs.
const MAX_LOOK: Duration = Duration::from_secs(30);

/// Of how many tokens the metrics tell the end.
const MAX_ENDS: usize = 20;

/// The tokens of a file, shared by all who hold a copy.
#[derive(Clone, Debug)]
pub struct TokenStore(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    current: RwLock<CurrentTokens>,
    /// Held by the one who looks at the file.
    look: Mutex<Look>,
    /// Whether it was told that a look does not come to its end.
    is_hang_told: AtomicBool,
}

#[derive(Clone, Debug)]
struct CurrentTokens {
    file: Arc<TokenFile>,
    looked: Instant,
    looking_since: Option<Instant>,
}

#[derive(Debug)]
struct Look {
    watch: FileWatch,
    /// Why the file could not be used, as it was told.
    fault: Option<String>,
}

impl TokenStore {
    /// Reads the file.
    ///
    /// # Errors
    /// When it cannot be read or is not a token file.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        let watch = FileWatch::new(path);
        let file = Arc::new(TokenFile::read(watch.path())?);
        let current = RwLock::new(CurrentTokens { file, looked: Instant::now(), looking_since: None });
        let look = Mutex::new(Look { watch, fault: None });
        Ok(Self(Arc::new(Shared { current, look, is_hang_told: AtomicBool::new(false) })))
    }

    /// How many tokens the file holds.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.current().file.tokens.len()
    }

    /// Reads the file again if it has changed. A file that cannot be used lets nobody in, which is told once.
    pub fn refresh(&self) {
        // Whoever else looks at this moment sees the same.
        if let Ok(mut look) = self.0.look.try_lock() {
            self.0.refresh(&mut look);
        }
    }

    /// The tokens that end first, each with its end. Few, so that a file of thousands does not make thousands of metrics.
    pub(crate) fn next_ends(&self) -> Vec<(String, u64)> {
        let (now, tokens) = (clock::seconds_now(), self.0.current().file);
        let current =
            |record: &TokenRecord| record.expires.filter(|end| *end > now).map(|end| (end, record.id.clone()));
        let mut ends: Vec<(u64, String)> = tokens.tokens.iter().filter_map(current).collect();
        ends.sort();
        ends.into_iter().take(MAX_ENDS).map(|(end, id)| (id, end)).collect()
    }

    /// The name of the token of a request, when it allows the scope.
    ///
    /// # Errors
    /// When there is none, also when the file has become unreadable: a store that is gone refuses.
    pub fn authorize(&self, authorization: Option<&str>, scope: TokenScope) -> Result<String, AuthError> {
        self.with_current(|file| file.authorize(authorization, scope).map(|record| record.id.clone()))
    }

    /// The token of a request, for whoever has to know later whether it is still good.
    pub(crate) fn hold(&self, authorization: Option<&str>, scope: TokenScope) -> Result<HeldToken, AuthError> {
        self.with_current(|file| {
            let record = file.authorize(authorization, scope)?;
            Ok(HeldToken { store: self.clone(), sha256: record.sha256, scope })
        })
    }

    /// Looks something up in the file as it is now. Nobody is let in by a file that cannot be looked at.
    fn with_current<T>(&self, look_up: impl FnOnce(&TokenFile) -> Result<T, AuthError>) -> Result<T, AuthError> {
        if self.0.current().looked.elapsed() >= RELOAD_INTERVAL {
            self.refresh();
        }
        let current = self.0.current();
        if current.looking_since.is_some_and(|since| since.elapsed() >= MAX_LOOK) {
            if !self.0.is_hang_told.swap(true, Ordering::Relaxed) {
                log::warn("the token file cannot be looked at, so nobody is let in", "its file system does not answer");
            }
            return Err(AuthError::Unauthenticated);
        }
        look_up(&current.file)
    }
}

/// A token that was let in, without its secret.
#[derive(Clone, Debug)]
pub(crate) struct HeldToken {
    store: TokenStore,
    sha256: Digest,
    scope: TokenScope,
}

impl HeldToken {
    /// Whether it would be let in now: it was not revoked, has not ended, and the file can be read.
    pub(crate) fn is_good(&self) -> bool {
        self.store
            .with_current(
                |file| if file.allows(&self.sha256, self.scope) { Ok(()) } else { Err(AuthError::Unauthenticated) },
            )
            .is_ok()
    }
}

impl Shared {
    fn current(&self) -> CurrentTokens {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn refresh(&self, look: &mut Look) {
        let looked = Instant::now();
        let before = self.current().file;
        self.current.write().unwrap_or_else(PoisonError::into_inner).looking_since = Some(looked);
        let file = if look.watch.has_changed() { Arc::new(read_again(look, &before)) } else { before };
        let current = CurrentTokens { file, looked, looking_since: None };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        self.is_hang_told.store(false, Ordering::Relaxed);
    }
}

fn read_again(look: &mut Look, before: &TokenFile) -> TokenFile {
    let path = look.watch.path().display();
    match TokenFile::read(look.watch.path()) {
        Ok(file) => {
            if look.fault.is_some() || file != *before {
                log::note("the token file was read again", &format!("{path}: tokens: {}", file.tokens.len()));
            }
            look.fault = None;
            file
        }
        Err(error) => {
            let fault = format!("{path}: {error}");
            if look.fault.as_ref() != Some(&fault) {
                log::warn("the token file cannot be used, so nobody is let in", &fault);
            }
            look.fault = Some(fault);
            TokenFile::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::auth::tokens;

    fn token(path: &Path) -> String {
        let (token, record) = tokens::create("ci".to_owned(), vec![TokenScope::Read], None).unwrap();
        fs::write(path, serde_json::to_vec(&TokenFile { tokens: vec![record] }).unwrap()).unwrap();
        format!("Bearer {token}")
    }

    fn opens(store: &TokenStore, token: &str) -> bool {
        store.refresh();
        store.authorize(Some(token), TokenScope::Read).is_ok()
    }

    #[test]
    #[cfg(unix)]
    fn whatever_takes_the_place_of_the_file_lets_nobody_in_at_once_and_holds_up_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let first = token(&path);
        let store = TokenStore::open(path.clone()).unwrap();
        assert!(opens(&store, &first));
        let second = token(&path);
        assert!(opens(&store, &second) && !opens(&store, &first), "within one tick of the clock");
        let begun = Instant::now();
        let put: [&dyn Fn(); 4] = [
            &|| {},
            &|| rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap(),
            &|| std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            &|| fs::File::create(&path).unwrap().set_len(1 << 40).unwrap(),
        ];
        for put in put {
            fs::remove_file(&path).unwrap();
            put();
            assert!(!opens(&store, &second) && store.count() == 0);
            fs::remove_file(&path).unwrap_or_default();
            let good = token(&path);
            assert!(opens(&store, &good));
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn a_held_token_is_good_until_it_is_revoked_or_loses_its_scope_or_the_file_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let (token, record) = tokens::create("ci".to_owned(), vec![TokenScope::Read], Some(60)).unwrap();
        let put = |records: &[TokenRecord]| {
            fs::write(&path, serde_json::to_vec(&TokenFile { tokens: records.to_vec() }).unwrap()).unwrap();
        };
        put(std::slice::from_ref(&record));
        let store = TokenStore::open(path.clone()).unwrap();
        let held = store.hold(Some(&format!("Bearer {token}")), TokenScope::Read).unwrap();
        let is_good = || {
            store.refresh();
            held.is_good()
        };
        assert!(is_good());
        let (_, other) = tokens::create("ci".to_owned(), vec![TokenScope::Read], None).unwrap();
        for records in [
            vec![],
            vec![other],
            vec![TokenRecord { scopes: vec![TokenScope::Preflight], ..record.clone() }],
            vec![TokenRecord { expires: Some(1), ..record.clone() }],
        ] {
            put(&records);
            assert!(!is_good(), "{records:?}");
            put(std::slice::from_ref(&record));
            assert!(is_good());
        }
        fs::remove_file(&path).unwrap();
        assert!(!is_good());
    }

    #[test]
    fn tokens_are_good_no_more_when_a_look_at_the_file_hangs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let token = token(&path);
        let store = TokenStore::open(path).unwrap();
        // Somebody looks, and the file system does not answer.
        let hung = store.0.look.lock().unwrap();
        assert!(store.authorize(Some(&token), TokenScope::Read).is_ok());
        let long_ago = Instant::now().checked_sub(MAX_LOOK);
        assert!(long_ago.is_some());
        store.0.current.write().unwrap().looking_since = long_ago;
        assert_eq!(store.authorize(Some(&token), TokenScope::Read), Err(AuthError::Unauthenticated));
        assert!(store.0.is_hang_told.load(Ordering::Relaxed), "it is told");
        drop(hung);
        store.refresh();
        assert!(store.authorize(Some(&token), TokenScope::Read).is_ok());
    }
}
