//! What a client that insists on the journal does, used in the ordinary way.
//!
//! That is: the payloads of a bundle and a tampered one sent twice, and the checkpoint, records, keys, ledger and contract
//! read. The tests of the SDK hold it to this.

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByClient {
    /// It throws an error of this class, with this code.
    Throws(Error, &'static str),
    /// It cannot see the lie, and why.
    Unseen(&'static str),
    /// It gets its answers, each proven.
    Passes,
    /// It gets its answers when it does not insist on receipts, and why it gets none otherwise.
    PassesUnproven(&'static str),
}

/// The classes of the SDK's errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    Client,
    Contract,
    FailOpen,
    Log,
    Proof,
    UnexpectedAnswer,
}

impl Error {
    /// The name of the class.
    pub const fn class(self) -> &'static str {
        match self {
            Self::Client => "RegistryClientError",
            Self::Contract => "ContractError",
            Self::FailOpen => "FailOpenError",
            Self::Log => "LogError",
            Self::Proof => "ProofError",
            Self::UnexpectedAnswer => "UnexpectedAnswerError",
        }
    }
}
