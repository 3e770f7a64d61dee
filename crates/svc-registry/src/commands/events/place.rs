//! Which log the endpoints belong to, which of them is meant, and which receivers inside the service may speak to: the same
//! settings as the service's, from flags, the environment and its file.

use std::sync::Arc;

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments::{self, text},
    failure::Failure,
    output::format,
};
use svc_client::allowed_receivers::AllowedReceivers;
use svc_core::journal::delivery::EndpointName;
use svc_journal::{
    endpoint::{CountedLog, EventEndpoint},
    endpoint_store::{EndpointList, EndpointStore, change},
    endpoints,
    open::Location,
    store::log_start,
};
use svc_proof::{fault::JournalFault, minimum_index::LogStart};
use svc_server::config::{Given, SETTINGS, SettingOrigin, allowed_receivers};

use super::endpoint_fault::EndpointFault;
use crate::commands::{
    journal::location::{given, location_of, with_location},
    serve::settings::add_file,
};

const ALLOW: &str = "events-allow";

/// A command with the flags that tell where the endpoints are.
pub(super) fn with_place(command: Command) -> Command {
    with_location(command).arg(format::of_result_argument()).arg(
        arguments::path("config", "FILE")
            .long("config")
            .help("The service's file with settings, for those that are not given as flags or in the environment"),
    )
}

/// The same for a command that looks at addresses of receivers.
pub(super) fn with_allowed(command: Command) -> Command {
    let setting = SETTINGS.iter().find(|setting| setting.name == ALLOW);
    let argument = setting.map(|setting| {
        let help = format!("{} [env: {}]", setting.help, setting.variable);
        Arg::new(setting.name).long(setting.name).value_name("VALUE").help(help)
    });
    with_place(command).args(argument)
}

pub(super) fn name_argument() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("The name of the endpoint")
}

/// Where the endpoints are.
pub(super) struct Place {
    location: Location,
    given: Given,
}

/// What an endpoint is told of the log: how many records it has, where it begins, and which log it is.
pub(super) struct LogNow {
    pub(super) size: u64,
    start: LogStart,
    pub(super) counted: CountedLog,
}

impl Place {
    pub(super) fn from_arguments(arguments: &ArgMatches) -> Result<Self, Failure> {
        let mut given = given(arguments);
        if let Some(path) = arguments::given_path(arguments, "config") {
            add_file(&mut given, &path)?;
        }
        Ok(Self { location: location_of(&given)?, given })
    }

    /// The receivers inside that may be spoken to.
    pub(super) fn allowed(&self, arguments: &ArgMatches) -> Result<AllowedReceivers, Failure> {
        let mut given = self.given.clone();
        let variable = SETTINGS.iter().find(|setting| setting.name == ALLOW).map(|setting| setting.variable);
        if let Some(value) = variable.and_then(|variable| std::env::var(variable).ok()) {
            given.set(ALLOW, value, SettingOrigin::Environment);
        }
        if let Some(value) = text(arguments, ALLOW) {
            given.set(ALLOW, value.to_owned(), SettingOrigin::Flag);
        }
        allowed_receivers(&given).map_err(|error| Failure::usage(error.message, error.help))
    }

    /// The log, as it is now.
    pub(super) fn log(&self) -> Result<LogNow, Failure> {
        let read = || -> Result<LogNow, JournalFault> {
            let reader = self.location.read()?;
            let head = reader.store.head()?;
            Ok(LogNow {
                size: head.tree.size(),
                start: log_start(reader.store.as_ref())?,
                counted: CountedLog::new(head.tree.size(), &head.root),
            })
        };
        read().map_err(|fault| Failure::journal(&fault))
    }

    /// The store, made when it is missing.
    pub(super) fn store_to_add(&self) -> Result<Arc<dyn EndpointStore>, Failure> {
        endpoints::open_or_create(&self.location).map_err(|fault| Failure::journal(&fault))
    }

    /// Every endpoint, by name.
    pub(super) fn all(&self) -> Result<EndpointList, Failure> {
        let read = || -> Result<EndpointList, JournalFault> {
            endpoints::find(&self.location)?.map_or_else(|| Ok(EndpointList::default()), |store| store.list())
        };
        read().map_err(|fault| Failure::journal(&fault))
    }

    /// Whether there is an endpoint of the name, readable or not.
    pub(super) fn has(&self, name: &EndpointName) -> Result<bool, Failure> {
        let EndpointList { readable, unreadable } = self.all()?;
        Ok(readable.iter().any(|stored| stored.endpoint.name == *name)
            || unreadable.iter().any(|shown| shown == name.as_str()))
    }

    /// The store, where there is one.
    pub(super) fn store(&self, name: &EndpointName) -> Result<Arc<dyn EndpointStore>, Failure> {
        endpoints::find(&self.location).map_err(|fault| Failure::journal(&fault))?.ok_or_else(|| self.unknown(name))
    }

    /// The store that holds an endpoint, and the endpoint.
    pub(super) fn one(&self, name: &EndpointName) -> Result<(Arc<dyn EndpointStore>, EventEndpoint), Failure> {
        let store = self.store(name)?;
        let endpoint =
            store.get(name).map_err(|fault| Failure::journal(&fault))?.ok_or_else(|| self.unknown(name))?.endpoint;
        Ok((store, endpoint))
    }

    /// Deletes an endpoint whose name is none. Whether there was one.
    pub(super) fn remove_unreadable(&self, shown: &str) -> Result<bool, Failure> {
        let store = endpoints::find(&self.location).map_err(|fault| Failure::journal(&fault))?;
        let removed = store.map_or(Ok(false), |store| store.remove_unreadable(shown));
        removed.map_err(|fault| Failure::journal(&fault))
    }

    /// Changes an endpoint. A step that does not apply is the failure that it gives.
    pub(super) fn change<T>(
        &self,
        name: &EndpointName,
        mut step: impl FnMut(&mut EventEndpoint, u64) -> Result<T, Failure>,
    ) -> Result<(EventEndpoint, T), Failure> {
        let failed = |fault: JournalFault| Failure::journal(&fault);
        let (store, _) = self.one(name)?;
        let now = store.now().map_err(failed)?;
        let mut refused = None;
        let changed = change(store.as_ref(), name, |endpoint| match step(endpoint, now) {
            Ok(told) => Some(told),
            Err(failure) => {
                refused = Some(failure);
                None
            }
        });
        match (changed.map_err(failed)?, refused) {
            (Some(changed), _) => Ok(changed),
            (None, Some(refused)) => Err(refused),
            (None, None) => Err(self.unknown(name)),
        }
    }

    pub(super) fn unknown(&self, name: &EndpointName) -> Failure {
        let all = self.all().unwrap_or_default().readable;
        let known: Vec<String> = all.into_iter().map(|stored| stored.endpoint.name.to_string()).collect();
        let help = if known.is_empty() {
            "`svc-registry events add NAME URL` adds one".to_owned()
        } else {
            format!("there are: {}", known.join(", "))
        };
        EndpointFault::Unknown.failure(format!("there is no endpoint `{name}`"), help)
    }
}

/// The name that was given.
pub(super) fn given_name(arguments: &ArgMatches) -> Result<EndpointName, Failure> {
    EndpointName::parse(text(arguments, "name").unwrap_or_default()).ok_or_else(|| {
        EndpointFault::Name.failure(
            "`NAME` must be 1 to 64 lowercase letters, digits and hyphens, with no hyphen at either end",
            "give another name, such as `audit`",
        )
    })
}

/// Refuses an index that nothing can be delivered from.
pub(super) fn check_from(from: u64, LogNow { size, start, .. }: &LogNow) -> Result<(), Failure> {
    if from > *size {
        let message = format!("`--from` must be at most {size}, the number of records of the log");
        return Err(EndpointFault::From.failure(message, format!("give --from {size} for what comes next")));
    }
    if from < start.index() {
        let first = start.index();
        let message = format!("`--from` must be at least {first}: the records before it were pruned");
        return Err(EndpointFault::From.failure(message, format!("give --from {first} for all that are kept")));
    }
    Ok(())
}
