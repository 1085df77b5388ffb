//! What stands before every route: foreign hosts are refused, what went wrong is said in a sentence, and
//! every answer carries the headers that keep a browser from doing more than it has to.

use std::any::Any;
use std::future::poll_fn;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};

use super::Problem;

/// The hosts that requests may name.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Whether only this machine is listened to.
    pub loopback: bool,
    /// The name that was listened for, if it was a name.
    pub name: Option<String>,
}

impl Hosts {
    /// Whether a request may name this host, with or without a port. Pages of other sites reach this
    /// server only under a name that they made point here: an address or our own name is none of
    /// theirs.
    fn allow(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        match bare.unwrap_or(name).parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => {
                let is = |own: &str| name.eq_ignore_ascii_case(own);
                is("localhost") || self.name.as_deref().is_some_and(is)
            }
        }
    }
}

/// A host without its port; `None` if what stands there is no port.
fn without_port(host: &str) -> Option<&str> {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        _ if host.starts_with('[') && host.ends_with(']') => Some(host),
        Some((name, port)) => is_port(port).then_some(name),
        None => Some(host),
    }
}

/// The only host that a request names.
fn host_of<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut named = headers.get_all(header::HOST).iter();
    let host = named.next()?.to_str().ok()?;
    let agrees = uri.authority().is_none_or(|authority| authority.as_str() == host);
    (agrees && named.next().is_none()).then_some(host)
}

/// What a page may do: show itself, its own pictures, scripts and styles, and ask its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // What is asked for again is made again, or found unchanged by its ETag.
    (header::CACHE_CONTROL, "no-cache"),
];

/// Routes behind all this.
pub fn guarded(routes: Router, hosts: Hosts) -> Router {
    let hosts = Arc::new(hosts);
    routes.layer(middleware::from_fn(move |request, next| guard(Arc::clone(&hosts), request, next)))
}

async fn guard(hosts: Arc<Hosts>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = match host_of(request.uri(), request.headers()) {
        Some(host) if hosts.allow(host) => unless_it_panics(next.run(request)).await,
        Some(host) => {
            let sentence =
                format!("{host} is not a name of this server: ask for it by its address");
            Problem::new(StatusCode::MISDIRECTED_REQUEST, sentence).into_response()
        }
        None => Problem::bad("expected one Host header, which names this server").into_response(),
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        response = problem.answer(&path);
    }
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// An answer, or a sentence in its place: a mistake of ours ends no connection, and no server.
async fn unless_it_panics(answer: impl Future<Output = Response>) -> Response {
    let mut answer = pin!(answer);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context)));
        polled.unwrap_or_else(|panicked| Poll::Ready(broken(&*panicked)))
    })
    .await
}

fn broken(panicked: &(dyn Any + Send)) -> Response {
    let text = panicked.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panicked.downcast_ref::<String>().map(String::as_str));
    let sentence = format!("a mistake of this program: {}", text.unwrap_or("it panicked"));
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, sentence).into_response()
}
