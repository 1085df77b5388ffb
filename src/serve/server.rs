//! Connections: accepted up to a number, given up when they are slow, ended when the program is to end.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::patient::Patient;
use super::safety::Hosts;
use super::{Site, router};

/// How many connections there may be. More wait until one of them ends.
const CONNECTIONS: usize = 512;

/// How long a connection may take to send a request's head, or be silent between two.
const PATIENCE: Duration = Duration::from_secs(15);

/// How often the flag is looked at that ends the server.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long requests have to be answered once the server is to end.
const GRACE: Duration = Duration::from_millis(1_500);

/// Where a server listens.
#[derive(Clone, Debug)]
pub struct Address {
    /// The address and the port.
    pub socket: SocketAddr,
    /// The name that it was given as, if it was a name.
    name: Option<String>,
}

impl Address {
    /// The hosts that requests may name.
    pub(super) fn hosts(&self) -> Hosts {
        Hosts { loopback: self.socket.ip().is_loopback(), name: self.name.clone() }
    }
}

/// Listens at `HOST:PORT`.
///
/// # Errors
/// When there is no such address, or somebody else listens there.
pub fn listen(text: &str) -> io::Result<(TcpListener, Address)> {
    let sockets: Vec<SocketAddr> = text.to_socket_addrs()?.collect();
    let listener = TcpListener::bind(&sockets[..])?;
    listener.set_nonblocking(true)?;
    let is_name = text.parse::<SocketAddr>().is_err();
    let name = text.rsplit_once(':').map(|(name, _)| name.to_owned()).filter(|_| is_name);
    let socket = listener.local_addr()?;
    Ok((listener, Address { socket, name }))
}

/// Answers requests until the flag is set. Those that are being answered then have a moment.
///
/// # Errors
/// When there are no threads to be had.
pub fn serve(
    site: Arc<Site>,
    listener: TcpListener,
    address: &Address,
    stop: &AtomicBool,
) -> io::Result<()> {
    let routes = router(site, address);
    let runtime = Runtime::new()?;
    let done = runtime.block_on(accept_until_stopped(listener, routes, stop));
    runtime.shutdown_background();
    done
}

async fn accept_until_stopped(
    listener: TcpListener,
    routes: Router,
    stop: &AtomicBool,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (ending, ended) = watch::channel(());
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let accept = async {
        loop {
            // Nobody closes the semaphore.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
            match listener.accept().await {
                Ok((stream, _)) => {
                    _ = stream.set_nodelay(true);
                    let connection = answer(stream, routes.clone(), ended.clone());
                    tokio::spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                // Too many files are open, say: it passes.
                Err(_) => sleep(LOOK_EVERY).await,
            }
        }
    };
    let stopped = async {
        while !stop.load(Ordering::Relaxed) {
            sleep(LOOK_EVERY).await;
        }
    };
    tokio::select! {
        () = accept => {}
        () = stopped => {}
    }
    drop(ended);
    drop(listener);
    // Whoever is still there ends with what it answers.
    _ = ending.send(());
    _ = timeout(GRACE, ending.closed()).await;
    Ok(())
}

/// Answers the requests of one connection.
async fn answer(stream: tokio::net::TcpStream, routes: Router, mut ended: watch::Receiver<()>) {
    let service = TowerToHyperService::new(routes);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(Patient::new(stream)), service);
    let mut connection = pin!(connection);
    // What goes wrong with a connection concerns only whoever had it.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = ended.changed() => connection.as_mut().graceful_shutdown(),
    }
    _ = connection.await;
}
