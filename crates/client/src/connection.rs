//! A connection to one server, which is read while it is written: TCP, with TLS where the address says so.
//!
//! A server may refuse a request by its head, answer and close without reading the body. So whatever came is read before more
//! is sent, and a write that fails ends the writing alone.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use rustls::{ClientConfig, ClientConnection, pki_types::ServerName};

use crate::{
    answer_reader::{AnswerFault, AnswerReader},
    deadline::{Deadline, Interruption},
    exchange::{PartlySent, Reply},
    request_head::RequestBytes,
};

const READ_BYTES: usize = 16 * 1024;

/// The most that is written before looking for an answer again.
const WRITE_BYTES: usize = 64 * 1024;

pub(crate) struct Connection {
    socket: TcpStream,
    tls: Option<ClientConnection>,
}

/// Why there is no whole answer.
#[derive(Debug)]
pub(crate) enum ExchangeFault {
    TimedOut,
    Stopped,
    /// The connection ended too early, for this reason.
    Broken(String),
    Answer(AnswerFault),
}

impl From<Interruption> for ExchangeFault {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::TimedOut => Self::TimedOut,
            Interruption::Stopped => Self::Stopped,
            Interruption::Failed(error) => Self::Broken(error.to_string()),
        }
    }
}

/// How far a request was written.
#[derive(Default)]
struct Progress {
    written: usize,
    /// Why the rest cannot be written.
    failure: Option<io::Error>,
}

impl Connection {
    /// Connects to the first of these addresses that accepts, with this timeout for each.
    pub(crate) fn open(
        addresses: Vec<SocketAddr>,
        each: Duration,
        deadline: Deadline<'_>,
    ) -> Result<Self, Interruption> {
        let socket = deadline.wait_for(move || {
            let mut last = io::Error::other("the host name has no IP address");
            for address in addresses {
                match TcpStream::connect_timeout(&address, each) {
                    Ok(socket) => return Ok(socket),
                    Err(error) => last = io::Error::other(format!("{address}: {error}")),
                }
            }
            Err(last)
        })?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, tls: None })
    }

    /// Starts TLS on it. Where TLS itself refuses, the failure holds a [`rustls::Error`].
    pub(crate) fn secure(
        &mut self,
        config: &Arc<ClientConfig>,
        name: ServerName<'static>,
        deadline: Deadline<'_>,
    ) -> Result<(), Interruption> {
        let tls = ClientConnection::new(Arc::clone(config), name).map_err(invalid)?;
        let tls = self.tls.insert(tls);
        loop {
            flush(tls, &self.socket)?;
            if !tls.is_handshaking() {
                return Ok(());
            }
            match or_later(tls.read_tls(&mut &self.socket))? {
                Some(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Some(_) => process(tls, &self.socket)?,
                None => wait(&self.socket, tls.wants_write(), deadline)?,
            }
        }
    }

    /// Sends a request and reads the answer into the reply, which has what came even where the answer is not whole.
    pub(crate) fn exchange(
        &mut self,
        request: &RequestBytes,
        mut reader: AnswerReader,
        mut deadline: Deadline<'_>,
        reply: &mut Reply,
    ) -> Result<(), ExchangeFault> {
        let mut progress = Progress::default();
        let ended = loop {
            let had_head = reply.status != 0;
            match self.step(&request.bytes, &mut progress, &mut reader, deadline, reply) {
                Ok(true) => break Ok(()),
                Ok(false) if !had_head && reply.status != 0 => deadline = deadline.sooner(reader.time_after_head()),
                Ok(false) => {}
                Err(fault) => break Err(fault),
            }
        };
        let of = request.body_bytes;
        let sent = (progress.written + of).saturating_sub(request.bytes.len());
        reply.partly_sent = (sent < of).then_some(PartlySent { sent, of });
        ended.map_err(|fault| match fault {
            ExchangeFault::Broken(why) if sent < of && reply.status == 0 => {
                let why = progress.failure.map_or(why, |failure| failure.to_string());
                ExchangeFault::Broken(format!(
                    "the connection was closed after {sent} of {of} bytes of the request body, and no answer came: {why}"
                ))
            }
            fault @ (ExchangeFault::Broken(_)
            | ExchangeFault::Answer(_)
            | ExchangeFault::TimedOut
            | ExchangeFault::Stopped) => fault,
        })
    }

    /// Reads what came, or else writes more, or else waits for either. Whether the answer is whole.
    fn step(
        &mut self,
        request: &[u8],
        progress: &mut Progress,
        reader: &mut AnswerReader,
        deadline: Deadline<'_>,
        reply: &mut Reply,
    ) -> Result<bool, ExchangeFault> {
        deadline.slice()?;
        let mut buffer = [0; READ_BYTES];
        let read = match self.read(&mut buffer) {
            // A server that closes with a part of the request unread resets the connection behind its answer.
            Err(error) if reader.has_begun() && is_end(&error, progress.failure.is_some()) => Some(0),
            read => read.map_err(|error| ExchangeFault::Broken(error.to_string()))?,
        };
        if let Some(count) = read {
            let came = buffer.get(..count).unwrap_or_default();
            if !came.is_empty() {
                return reader.take(came, reply).map_err(ExchangeFault::Answer);
            }
            let why = || ExchangeFault::Broken("the connection was closed before the answer was complete".to_owned());
            return if reader.is_whole_at_the_end() { Ok(true) } else { Err(why()) };
        }
        if progress.failure.is_some() {
            wait(&self.socket, false, deadline)?;
            return Ok(false);
        }
        let rest = request.get(progress.written..).unwrap_or_default();
        match self.write(rest.get(..WRITE_BYTES).unwrap_or(rest)) {
            Ok(0) => {
                let is_pending = self.tls.as_ref().is_some_and(|tls| tls.wants_write());
                wait(&self.socket, is_pending || !rest.is_empty(), deadline)?;
            }
            Ok(count) => progress.written += count,
            Err(error) => progress.failure = Some(error),
        }
        Ok(false)
    }

    /// What has come, as far as it fits; nothing where it has to be waited for, and no bytes at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let Some(tls) = &mut self.tls else { return or_later(self.socket.read(buffer)) };
        loop {
            if let Some(count) = or_later(tls.reader().read(buffer))? {
                return Ok(Some(count));
            }
            // At the end of the stream the reader says next whether TLS was ended too.
            if or_later(tls.read_tls(&mut &self.socket))?.is_none() {
                return Ok(None);
            }
            process(tls, &self.socket)?;
        }
    }

    /// How much was taken of it: nothing while the system takes no more.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else {
            return if bytes.is_empty() {
                Ok(0)
            } else {
                or_later(self.socket.write(bytes)).map(Option::unwrap_or_default)
            };
        };
        let taken = tls.writer().write(bytes)?;
        flush(tls, &self.socket)?;
        Ok(taken)
    }
}

fn flush(tls: &mut ClientConnection, mut socket: &TcpStream) -> io::Result<()> {
    while tls.wants_write() && or_later(tls.write_tls(&mut socket))?.is_some() {}
    Ok(())
}

fn process(tls: &mut ClientConnection, socket: &TcpStream) -> io::Result<()> {
    tls.process_new_packets().map(drop).map_err(|error| {
        // The other side is told why, if it still listens.
        let _ = flush(tls, socket);
        invalid(error)
    })
}

fn invalid(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Waits a moment until the socket can be read, or also written.
fn wait(socket: &TcpStream, for_writing: bool, deadline: Deadline<'_>) -> Result<(), Interruption> {
    let time = Timespec::try_from(deadline.slice()?).map_err(io::Error::other)?;
    let events = if for_writing { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    match poll(&mut [PollFd::new(socket, events)], Some(&time)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// Nothing where it has to be waited for.
fn or_later(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an error only says that the other side has closed. TLS tells a cut answer from a whole one, so its own error is
/// accepted only where the request was cut too.
fn is_end(error: &io::Error, is_cut: bool) -> bool {
    let kind = error.kind();
    matches!(kind, io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted)
        || (is_cut && kind == io::ErrorKind::UnexpectedEof)
}
