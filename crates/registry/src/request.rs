//! A request: its head, and the name that answers and logs give it.

use std::{cell::RefCell, net::IpAddr};

use http::HeaderMap;

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub struct RequestHead<'a> {
    pub method: &'a str,
    /// The path, as it came.
    pub path: &'a str,
    /// Whether the address had a query.
    pub has_query: bool,
    pub headers: &'a HeaderMap,
    /// The address of the client.
    pub address: Option<IpAddr>,
}

/// How a request is named in answers and logs.
#[derive(Clone, Debug)]
pub struct RequestName {
    /// The id that the server gave it.
    pub id: String,
    /// Its path, cut to what can be read.
    pub path: String,
}

impl RequestName {
    /// A fresh name for a request.
    #[must_use]
    pub fn new(path: &str) -> Self {
        let end = path.char_indices().nth(256).map_or(path.len(), |(at, _)| at);
        Self { id: data_encoding::HEXLOWER.encode(&random_id()), path: path.get(..end).unwrap_or_default().to_owned() }
    }

    /// The same request, for an answer that must not repeat its path: nobody but the client chose those words.
    #[must_use]
    pub fn without_path(&self) -> Self {
        Self { id: self.id.clone(), path: "/".to_owned() }
    }
}

/// Sixteen random bytes. The system is asked for many at a time.
fn random_id() -> [u8; 16] {
    thread_local! {
        static READY: RefCell<Vec<[u8; 16]>> = const { RefCell::new(Vec::new()) };
    }
    READY.with_borrow_mut(|ready| {
        if ready.is_empty() {
            let mut fresh = [0; 16 * 64];
            // Without randomness ids repeat, which only makes logs harder to read.
            let _ = getrandom::fill(&mut fresh);
            ready.extend_from_slice(fresh.as_chunks().0);
        }
        ready.pop().unwrap_or_default()
    })
}
