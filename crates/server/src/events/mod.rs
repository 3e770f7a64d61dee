//! Webhooks: new records of the log go to the endpoints that an operator has added, by Standard Webhooks 1.0.
//!
//! The log is the outbox. For each endpoint one range of it is on its way at a time, in order, and its cursor moves when the
//! receiver has answered 2xx. What is sent next, and since when it is tried, is in the store beside the log, so that a
//! service that was killed goes on with the very same bytes.
//!
//! | question | place |
//! |---|---|
//! | where may a delivery go, and how is it sent? | [`svc_client::webhook_client`], signed by [`signature`] |
//! | what is in it? | `next_range` |
//! | when is it tried again? | [`retries`] |
//! | who sends it? | `worker`, started by [`threads`] |
//!
//! There is no route that adds an endpoint, and none that shows one.

mod next_range;
pub mod retries;
pub mod signature;
mod state;
pub mod threads;
mod worker;

pub use state::{Deliveries, EndpointSample, TryOutcome};
