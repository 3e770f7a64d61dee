//! The readiness verifier: what the project declares, held against what its routes and a hosted registry really answer.
//!
//! | question | place |
//! |---|---|
//! | what does the specification say? | [`seed`], by hand |
//! | what is verified before a deployment? | [`local`] |
//! | what is verified of a running registry? | [`hosted`] |
//! | what is sent, and what must come back? | [`probe`] |
//! | what is sent beyond what the bundle yields? | [`kit`], [`author_words`]; of what a registry says that it serves `described` |
//! | in which order, and under which names? | [`order`], [`samples`] |
//! | when is a reply wrong? | [`judge`], and [`claims`] for what is never allowed |
//! | what does somebody else's answer say? | [`denial`], with [`gates`] and [`vocabulary`] |
//! | does every receipt prove its answer, in one log? | `log_watch` |
//! | how is a registry spoken to? | [`svc_client::client`], or [`in_process`] |
//! | what comes out? | [`check`], [`scorecard`] |
//!
//! Nothing here decides about an artifact, and nothing here can pass by running less: the number of checks is written
//! down, and another number is a failure.

mod author_words;
pub mod check;
mod claims;
mod compare;
mod denial;
mod described;
mod field;
mod gates;
pub mod hand_over;
pub mod hosted;
pub mod in_process;
mod judge;
mod kit;
pub mod local;
mod log_watch;
pub mod order;
pub mod probe;
mod retry;
mod run;
mod samples;
mod scorecard;
mod seed;
mod shell;
mod steady;
mod vocabulary;
