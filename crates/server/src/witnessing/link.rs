//! The way to a witness. Whoever starts the service brings it: this crate asks nobody by itself.

/// A way to one witness, which takes one request at a time.
pub trait WitnessLink: Send {
    /// Posts a request of C2SP tlog-witness, within bounds of time and size.
    ///
    /// # Errors
    /// Why no whole answer came, in words.
    fn add_checkpoint(&self, body: String) -> Result<LinkReply, String>;

    /// Posts the notes of the log from key to key. Not every witness takes them.
    ///
    /// # Errors
    /// Why no whole answer came, in words.
    fn hand_overs(&self, body: String) -> Result<LinkReply, String>;
}

/// What a witness answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkReply {
    pub status: u16,
    /// The value of Content-Type, where there is one.
    pub media_type: Option<String>,
    pub body: Vec<u8>,
}
