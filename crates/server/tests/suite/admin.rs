//! The admin address answers whatever the API is busy with.

use std::{
    io,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use svc_server::{
    door::{Door, Setup},
    http::serve::{self, ServeOptions},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
    task::JoinHandle,
};

use crate::wire::{Client, Reply, request};

/// The one thread that serves the API is held up for this long.
const BUSY: Duration = Duration::from_secs(3);

/// A service with one thread for the API and an admin address.
struct Administered {
    runtime: Runtime,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<io::Result<u64>>>,
}

impl Administered {
    fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let listen = || serve::listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let (listener, admin) = runtime.block_on(async { (listen(), listen()) });
        let address = admin.local_addr().unwrap();
        let wire = ServeOptions { admin: Some(admin), ..ServeOptions::default() };
        let registry = Door::new(Setup { has_console: true, ..Setup::default() });
        let served = runtime.spawn(serve::run(registry, listener, wire, async move {
            let _ = stopped.await;
        }));
        Self { runtime, address, stop: Some(stop), served: Some(served) }
    }

    fn status(&self, path: &str) -> u16 {
        self.reply(path).status
    }

    fn reply(&self, path: &str) -> Reply {
        Client::connect(self.address).send(&request("GET", path, &[], b"")).reply().unwrap()
    }
}

impl Drop for Administered {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(served) = self.served.take() {
            self.runtime.block_on(served).unwrap().unwrap();
        }
    }
}

#[test]
fn a_service_whose_threads_are_all_busy_is_still_known_to_live() {
    let service = Administered::start();
    assert_eq!(service.status("/livez"), 200);
    service.runtime.spawn(async { thread::sleep(BUSY) });
    thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(service.status(path), 200, "{path}");
    }
    assert!(started.elapsed() < BUSY / 2, "{:?}", started.elapsed());
}

/// The page of the service is here and nowhere else, and the pages that ask the API are not here.
#[test]
fn the_page_of_the_service_is_at_the_admin_address_alone() {
    let service = Administered::start();
    for path in [
        "/console/decisions",
        "/console/log",
        "/console/gates",
        "/console/rules",
        "/console/rules/SVC-B001",
        "/console/problems",
        "/console/api",
        "/console/service/",
        "/console/service?a",
        "/console/metrics",
    ] {
        let reply = service.reply(path);
        assert_eq!(reply.status, 404, "{path}");
        assert!(reply.header("content-security-policy").unwrap().contains("trusted-types 'none'"), "{path}");
    }
    for (path, to) in [("/console", "console/service"), ("/console/", "service")] {
        let reply = service.reply(path);
        assert_eq!((reply.status, reply.header("location")), (308, Some(to)), "{path}");
    }
    for (path, kind) in [
        ("/console/service", "text/html; charset=utf-8"),
        ("/console/console.js", "text/javascript; charset=utf-8"),
        ("/console/console.css", "text/css; charset=utf-8"),
    ] {
        let reply = service.reply(path);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(kind)), "{path}");
        assert!(reply.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"), "{path}");
        assert_eq!((reply.header("svc-registry-api"), reply.header("set-cookie")), (None, None), "{path}");
    }
    assert_eq!(
        service.reply("/metrics").header("content-security-policy"),
        Some("default-src 'none'; frame-ancestors 'none'")
    );
}

#[test]
fn silent_connections_keep_no_probe_out() {
    let service = Administered::start();
    let silent: Vec<Client> = (0..200).map(|_| Client::connect(service.address)).collect();
    let started = Instant::now();
    assert_eq!(service.status("/livez"), 200);
    assert!(started.elapsed() < BUSY, "{:?}", started.elapsed());
    drop(silent);
}
