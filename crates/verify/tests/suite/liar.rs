//! A registry on loopback that answers as the honest one does, except where it lies.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use svc_client::exchange::{Body, Identity, Reply, Request, Transport as _};
use svc_core::words::{kind, problem_code::ProblemCode};
use svc_json::digest::Digest;
use svc_registry_api::{answer::Answer, request::RequestName};
use svc_testkit::lies::proxy::write_answer;
pub(crate) use svc_testkit::lies::proxy::{Manner, Said};
use svc_verify::in_process::InProcess;

/// Every method that the verifier asks by.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// What was asked.
pub(crate) struct RequestHead {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    /// How many requests came before.
    pub(crate) number: usize,
    pub(crate) body: Vec<u8>,
}

/// Bends an answer.
pub(crate) type Bend = fn(&RequestHead, &mut Said);

/// A running liar. It ends with the process: its threads hold nothing.
pub(crate) struct Liar {
    pub(crate) address: SocketAddr,
    requests: Arc<AtomicUsize>,
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Liar {
    pub(crate) fn start(bend: Bend) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, tokens) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (count, seen) = (Arc::clone(&requests), Arc::clone(&tokens));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (count, seen) = (Arc::clone(&count), Arc::clone(&seen));
                thread::spawn(move || answer(stream, bend, &count, &seen));
            }
        });
        Self { address, requests, tokens }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// The credentials that it was shown.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.tokens.lock().unwrap().clone()
    }
}

fn answer(stream: TcpStream, bend: Bend, count: &AtomicUsize, tokens: &Mutex<Vec<String>>) {
    let Some(mut asked) = read(&stream) else { return };
    asked.number = count.fetch_add(1, Ordering::SeqCst);
    let shown = asked.headers.iter().filter(|(name, _)| name == "authorization");
    tokens.lock().unwrap().extend(shown.map(|(_, value)| value.clone()));
    let honest = honest(&asked, asked.body.clone());
    let mut said = Said { status: honest.status, headers: honest.headers, body: honest.body, manner: Manner::Plain };
    if asked.method == "HEAD" {
        said.manner = Manner::Head;
    }
    bend(&asked, &mut said);
    // A client that has heard enough closes the connection.
    let _ = write_answer(stream, &said);
}

fn read(stream: &TcpStream) -> Option<RequestHead> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(RequestHead { method, path, headers, number: 0, body })
}

/// What the registry of this build would say. Evaluations are remembered, as many liars get the same requests; the
/// request's id is new each time.
fn honest(asked: &RequestHead, body: Vec<u8>) -> Reply {
    static KNOWN: LazyLock<Mutex<HashMap<String, Reply>>> = LazyLock::new(Mutex::default);
    let sent = ["content-type", "content-encoding", "accept"].map(|name| {
        let value = asked.headers.iter().find(|(other, _)| other == name);
        value.map_or("", |(_, value)| value.as_str())
    });
    let key = format!(
        "{} {} {sent:?} {} {}",
        asked.method,
        asked.path,
        body.len(),
        Digest::of(&body[..body.len().min(65536)])
    );
    let known = KNOWN.lock().unwrap().get(&key).cloned();
    let reply = known.unwrap_or_else(|| {
        let reply = evaluated(asked, body, sent);
        KNOWN.lock().unwrap().insert(key, reply.clone());
        reply
    });
    with_rim(reply)
}

fn evaluated(asked: &RequestHead, body: Vec<u8>, [media_type, encoding, accepted]: [&str; 3]) -> Reply {
    let most = kind::ALL.iter().filter(|spec| spec.endpoint.is_some_and(|at| asked.path.ends_with(at.path)));
    if most.map(|spec| spec.most_bytes).max().is_some_and(|most| body.len() > most) {
        let refusal = Answer::problem(ProblemCode::BodyTooLarge, "too large", &RequestName::new(&asked.path));
        let headers = refusal.headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect();
        return Reply { status: refusal.status, headers, body: refusal.body.to_vec(), ..Reply::default() };
    }
    let given = |value: &str| (!value.is_empty()).then(|| value.to_owned());
    let headers =
        [("content-type", given(media_type)), ("content-encoding", given(encoding)), ("accept", given(accepted))];
    let request = Request {
        method: METHODS.into_iter().find(|method| *method == asked.method).unwrap(),
        path: asked.path.clone(),
        headers: headers.into_iter().filter_map(|(name, value)| Some((name, value?.into()))).collect(),
        body: Body::Bytes(body.into()),
        identity: Identity::Own,
    };
    static OWN: LazyLock<InProcess> = LazyLock::new(InProcess::default);
    OWN.send(&request).unwrap()
}

/// The headers that the wire adds, and an id of its own for each answer.
fn with_rim(mut reply: Reply) -> Reply {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let id = format!("{:032x}", NUMBER.fetch_add(1, Ordering::SeqCst));
    let text = String::from_utf8(reply.body).unwrap();
    reply.body = match text.split_once("\"requestId\":\"") {
        Some((before, after)) => format!("{before}\"requestId\":\"{id}{}", &after[32..]).into_bytes(),
        None => text.into_bytes(),
    };
    let own = [("svc-registry-api", "1"), ("svc-request-id", &id), ("x-content-type-options", "nosniff")];
    reply.headers.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    reply
}
