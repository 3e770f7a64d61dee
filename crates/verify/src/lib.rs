//! The readiness verifier: what the project declares, held against what its routes and a hosted registry really answer.
//!
//! | question | place |
//! |---|---|
//! | what does the specification say? | [`seed`], by hand |
//! | what is verified before a deployment? | [`local`] |
//! | what is verified of a running registry? | [`hosted`] |
//! | what is sent, and what must come back? | [`probe`] |
//! | when is a reply wrong? | [`judge`], and [`claims`] for what is never allowed |
//! | does every receipt prove its answer, in one log? | `log_watch` |
//! | how is a registry spoken to? | [`client`], or [`in_process`] |
//! | what comes out? | [`check`], [`scorecard`] |
//!
//! Nothing here decides about an artifact, and nothing here can pass by running less: the number of checks is written
//! down, and another number is a failure.

pub mod check;
mod claims;
pub mod client;
mod compare;
pub mod exchange;
pub mod hand_over;
pub mod hosted;
pub mod in_process;
mod judge;
pub mod local;
mod log_watch;
pub mod probe;
mod retry;
mod run;
mod samples;
mod scorecard;
mod seed;
mod shell;
