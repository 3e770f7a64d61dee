//! Who else has seen the log: its newest state goes to each witness of a policy (C2SP tlog-witness), and what they cosign is
//! checked, kept and served.
//!
//! All witnesses are asked for the same state: otherwise each would cosign another one while the log grows, and no state would
//! ever have a quorum. A thread chooses that state, once a second at most, and each witness has a thread of its own, so
//! that one which is dead or slow holds up nobody. No answer of the registry waits for any of them.

mod ask;
pub mod link;
mod state;
mod threads;

pub use state::Witnessing;
pub use threads::WitnessThreads;
