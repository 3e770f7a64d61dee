//! A submission that failed: one error that says what came back, and one help.

use std::path::Path;

use svc_cli::{failure::Failure, output::escape::shell_word};
use svc_core::{contract::contracts::BASE_PATH, verification::FaultCode, words::exit_code::ExitCode};
use svc_verify::hand_over::{Answered, CertificateFault, Fate, HandedOver, LogKeys, Stop, Unanswered};

/// What was handed over to whom, as far as an error says it.
pub(super) struct Submission<'s> {
    pub(super) registry: &'s str,
    pub(super) bundle: &'s Path,
    pub(super) keys: LogKeys<'s>,
    /// Whether --ca-certificate was given.
    pub(super) has_authority: bool,
    /// How many answers are kept, those of earlier runs included.
    pub(super) kept: usize,
    /// Of how many artifacts.
    pub(super) of: usize,
}

/// An error and what to do.
type Reason = (ExitCode, String, String);

impl Submission<'_> {
    /// Why the submission failed, if it did. A lie weighs more than an answer that did not come.
    pub(super) fn failure(&self, handed: &HandedOver) -> Option<Failure> {
        let (exit, why, help) = match &handed.stop {
            Some(stop) if handed.is_only_cut_short() => self.stopped(stop, &handed.answers),
            Some(_) | None => self.fault(handed)?,
        };
        let kept = match self.kept {
            0 if handed.is_only_cut_short() => "no artifact was answered".to_owned(),
            0 => "nothing of this run was kept".to_owned(),
            kept => format!("{kept} of {} artifacts are answered and kept", self.of),
        };
        Some(Failure { exit, message: format!("{} {why}; {kept}", self.registry), help: Some(help) })
    }

    /// The fault that weighs most. A key of another log comes before what it makes of the receipts.
    fn fault(&self, handed: &HandedOver) -> Option<Reason> {
        let exit = handed.verification.exit_code();
        let heaviest: Vec<_> = handed.verification.counting().filter(|(_, fault)| fault.code.exit() == exit).collect();
        let other_key = heaviest.iter().find(|(_, fault)| fault.code == FaultCode::KeyDiffers);
        let (check, fault) = other_key.or_else(|| heaviest.first())?;
        if fault.code == FaultCode::KeyDiffers {
            let why = format!("and the key do not belong together: {}", fault.message);
            return Some((exit, why, self.about_key()));
        }
        let why =
            format!("failed the check of `{}`: {}: {}", check.area, fault.code.title().to_lowercase(), fault.message);
        let bundle = shell_word(self.bundle);
        let more = format!("`svc verify hosted {} --artifact-dir {bundle}` shows every check", self.registry);
        Some((exit, why, format!("{} {more}", fault.code.help())))
    }

    fn about_key(&self) -> String {
        match self.keys {
            LogKeys::Given(_) => {
                "check that --public-key is the key of this registry's log, and not of another one; if it is the key that the \
                 operator publishes for it, tell the operator that the log is signed with another key"
            }
            LogKeys::Served => {
                "the registry signs with another key than the one that it serves: ask its operator which key is right, and give \
                 it with --public-key FILE"
            }
            LogKeys::Earlier(_) => {
                "the registry has another key than in an earlier run: ask its operator which key is right, and give it with \
                 --public-key FILE"
            }
        }
        .to_owned()
    }

    fn stopped(&self, stop: &Stop, answers: &[Answered]) -> Reason {
        let (exit, why, help) = match stop {
            Stop::Unreachable(why) => (
                ExitCode::Registry,
                format!("cannot be reached: {why}"),
                "check the address, and that the registry runs",
            ),
            Stop::Certificate(fault, why) => return self.certificate(fault, why),
            Stop::Handshake(why) => (
                ExitCode::Registry,
                format!("does not complete a TLS handshake: {why}"),
                "check the address and the port: is it https there?",
            ),
            Stop::NotHttp => (
                ExitCode::Registry,
                "does not speak HTTP: what came back is something else".to_owned(),
                "check the address and the port; where TLS is spoken, the address begins with https://",
            ),
            Stop::NoAnswer(why) => (
                ExitCode::Registry,
                format!("does not answer: {why}"),
                "try again later; what was answered is kept, and only the rest is sent",
            ),
            Stop::TokenMissing => (
                ExitCode::Usage,
                "requires a token, and none was given".to_owned(),
                "give --token-file FILE, or set SVC_TOKEN; its operator makes one with `svc-registry token create`",
            ),
            Stop::TokenRefused(status) => (
                ExitCode::Usage,
                format!("does not take the token (status {status})"),
                "ask its operator for a token with the scopes preflight and read that has not expired",
            ),
            Stop::Unanswered(unanswered) => return self.unanswered(unanswered, answers),
        };
        (exit, why, help.to_owned())
    }

    /// A certificate that is refused, with what helps against that very refusal.
    fn certificate(&self, fault: &CertificateFault, why: &str) -> Reason {
        let renew = "ask its operator to renew the certificate, and check the clock of this machine".to_owned();
        let (why, help) = match fault {
            CertificateFault::UnknownIssuer if self.has_authority => (
                "has a certificate that neither this machine nor --ca-certificate trusts".to_owned(),
                "give --ca-certificate the certificate that signed the one of this server, in PEM".to_owned(),
            ),
            CertificateFault::UnknownIssuer => (
                "has a certificate that this machine does not trust: no issuer that is known signed it".to_owned(),
                "give --ca-certificate FILE with the certificate of its issuer, in PEM".to_owned(),
            ),
            CertificateFault::IsAuthority => (
                "uses the certificate of an authority (CA:TRUE) as its own, which no client accepts".to_owned(),
                "give the server a certificate with CA:FALSE that this authority has signed, and the authority's to \
                 --ca-certificate"
                    .to_owned(),
            ),
            CertificateFault::OtherName { asked, has } => (
                format!("was asked for as `{asked}`, and its certificate is for `{}`", has.join("`, `")),
                format!("use a name of the certificate in --registry, or give the server a certificate for `{asked}`"),
            ),
            CertificateFault::Expired => ("has a certificate that has expired".to_owned(), renew),
            CertificateFault::NotYetValid => ("has a certificate that is not valid yet".to_owned(), renew),
            CertificateFault::Revoked => ("has a certificate that was revoked".to_owned(), renew),
            CertificateFault::Unusable => (
                format!("has a certificate that cannot be used: {why}"),
                "ask its operator for a certificate that is valid for a server".to_owned(),
            ),
        };
        (ExitCode::Registry, why, help)
    }

    /// An HTTP answer that no registry gives.
    fn unanswered(&self, unanswered: &Unanswered, answers: &[Answered]) -> Reason {
        let Unanswered { status, location, begins } = unanswered;
        let sent = answers.iter().rev().find(|answered| matches!(answered.fate, Fate::Answered(_)));
        let sent = sent.map_or("a payload", |answered| answered.spec.file);
        let with = match begins.as_str() {
            "" => "an empty body".to_owned(),
            begins => format!("a body that begins `{begins}`"),
        };
        let exit = if matches!(status, 429 | 500..=599) { ExitCode::Registry } else { ExitCode::Findings };
        let why = format!("returned status {status} with {with} for {sent}, which is no decision of a registry");
        let help = match status {
            200..=299 => "a web server, a login page or a proxy is at this address: check the address and its path".to_owned(),
            300..=399 => {
                let to = location.as_ref().map(|to| format!(" to `{to}`")).unwrap_or_default();
                format!("it redirects{to}, and redirects are not followed: give --registry the address of the registry itself")
            }
            404 | 405 | 410 => format!(
                "no registry is at this address: check the host, the port and the path before {BASE_PATH}, as in https://HOST/PREFIX"
            ),
            413 => "the registry, or a proxy in front of it, takes no request as large as this one: its operator can raise the \
                    limit (in nginx, client_max_body_size)"
                .to_owned(),
            429 => "it takes no more requests for now: wait, and run the command again; only the rest is sent".to_owned(),
            502..=504 => "a proxy in front of the registry cannot reach it, or it is overloaded: ask its operator, then run \
                          the command again; only the rest is sent"
                .to_owned(),
            500..=599 => "the registry, or a proxy in front of it, failed: its operator finds the reason in its log; then run \
                          the command again, and only the rest is sent"
                .to_owned(),
            _ => "it refuses a payload that this build of svc finds valid: compare its version with `svc --version`, and check \
                  for a proxy in front of it"
                .to_owned(),
        };
        (exit, why, help)
    }
}
