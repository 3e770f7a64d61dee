//! The witnesses of the log, from the settings to the threads that ask them.

use std::{sync::Arc, time::Duration};

use svc_cli::{failure::Failure, output::escape::Safe, policy_file};
use svc_client::{
    address::Address,
    client::{Client, Timeouts},
    exchange::{Body, Identity, Request, Transport as _},
};
use svc_core::words::exit_code::ExitCode;
use svc_journal::{add_checkpoint, witness::HAND_OVERS_PATH, writer::Journal};
use svc_proof::policy::Policy;
use svc_server::{
    config::witness::{QuorumMode, WitnessConfig},
    witnessing::{
        WitnessThreads, Witnessing,
        link::{LinkReply, WitnessLink},
    },
};

/// How long a witness may take. Nobody waits for it.
const TIMEOUTS: Timeouts = Timeouts { connect: Duration::from_secs(5), exchange: Duration::from_secs(10) };

/// How long a start waits for what the witnesses have seen. One that is away holds up no start for longer.
const FIRST_ROUND: Duration = Duration::from_secs(3);

/// A policy that can be asked for, and how to ask.
pub(super) struct WitnessPlan {
    policy: Policy,
    mode: QuorumMode,
    links: Vec<(usize, Box<dyn WitnessLink>)>,
}

impl WitnessPlan {
    /// Reads the policy that the settings name. Nobody is asked yet.
    pub(super) fn read(config: &WitnessConfig) -> Result<Self, Failure> {
        let policy = policy_file::read(&config.policy)?;
        if !policy.can_be_met_by(|witness| witness.url.is_some()) {
            return Err(Failure::usage(
                "the policy of `witness-policy` must have addresses for as many witnesses as its quorum needs, and has too few",
                "add the address to the lines of the witnesses: `witness NAME KEY URL`",
            ));
        }
        let mut links: Vec<(usize, Box<dyn WitnessLink>)> = Vec::new();
        for (at, witness) in policy.witnesses().iter().enumerate() {
            if let Some(url) = &witness.url {
                links.push((at, Box::new(Link::new(&witness.name, url)?)));
            }
        }
        Ok(Self { policy, mode: config.mode, links })
    }

    /// How many witnesses are to be asked.
    pub(super) fn count(&self) -> usize {
        self.links.len()
    }

    /// Begins to ask.
    pub(super) fn start(self, journal: &Arc<Journal>) -> Result<(Arc<Witnessing>, WitnessThreads), Failure> {
        let witnessing = Witnessing::new(self.policy, self.mode, journal);
        let witnessing = Arc::new(witnessing.map_err(|fault| Failure::journal(&fault))?);
        let asked: Vec<usize> = self.links.iter().map(|(at, _)| *at).collect();
        let threads = WitnessThreads::start(&witnessing, self.links).map_err(|error| Failure {
            exit: ExitCode::InputOutput,
            message: format!("cannot start threads: {error}"),
            help: Some("raise the limits of the process".to_owned()),
        })?;
        witnessing.first_round(&asked, FIRST_ROUND).map_err(|fault| Failure::journal(&fault))?;
        Ok((witnessing, threads))
    }
}

/// A witness behind an address: the careful client of the verifier, without a token.
struct Link(Client);

impl Link {
    fn new(name: &str, url: &str) -> Result<Self, Failure> {
        let of_witness = |message: &str| format!("the address of witness `{}` cannot be used: {message}", Safe(name));
        let address = Address::parse(url).map_err(|error| Failure::usage(of_witness(error.message), error.help))?;
        let client = Client::new(address, None, None, TIMEOUTS);
        client.map(Self).map_err(|error| Failure::usage(of_witness(&error), "correct the address in the policy"))
    }
}

impl WitnessLink for Link {
    fn add_checkpoint(&self, body: String) -> Result<LinkReply, String> {
        self.post(add_checkpoint::PATH, body)
    }

    fn hand_overs(&self, body: String) -> Result<LinkReply, String> {
        self.post(HAND_OVERS_PATH, body)
    }
}

impl Link {
    fn post(&self, path: &str, body: String) -> Result<LinkReply, String> {
        let request = Request {
            method: "POST",
            path: path.to_owned(),
            headers: vec![("content-type", "text/plain; charset=utf-8".into())],
            body: Body::Bytes(body.into_bytes().into()),
            identity: Identity::Stranger,
        };
        let reply = self.0.send(&request).map_err(|lost| lost.message)?;
        let media_type = reply.only("content-type").map(str::to_owned);
        Ok(LinkReply { status: reply.status, media_type, body: reply.body })
    }
}
