//! `endtable serve`: the page on which people look, and its JSON interface.

use std::io;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;

use super::args::examples;
use super::output::say;
use super::signals::stop_flag;
use super::{Failure, remark};
use crate::serve::{Site, listen, serve};

/// Serve tables as pages and as JSON, on this machine
///
/// Prints the address and answers until it is stopped: a page for each game, on which the position is
/// the address and every move a link, what the tables are, and the JSON interface, documented at /api.
/// Positions that no table has are searched. Nothing is asked of another host.
#[derive(clap::Args)]
struct Args {
    /// Tables, or folders with tables, of any games
    #[arg(value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// The address and the port; only this machine reaches the default one. Port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:2048")]
    listen: String,
    /// How many seconds a search may take
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    search_seconds: u64,
    /// Show it in the browser
    #[arg(long)]
    open: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("serve")).after_help(examples("serve", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let stop = stop_flag()?;
    let site = Site::open(&args.tables, Duration::from_secs(args.search_seconds))?;
    let (listener, address) = listen(&args.listen).map_err(|error| cannot_listen(&args, &error))?;
    let url = format!("http://{}/", address.socket);
    say(&url)?;
    if args.open
        && let Err(error) = show(&url)
    {
        remark(format!("no browser could be started ({error}): open {url} in one"));
    }
    serve(Arc::new(site), listener, &address, &stop)?;
    Err(Failure::Stopped("stopped".into()))
}

fn cannot_listen(args: &Args, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => "; --listen 127.0.0.1:0 takes a free port",
        _ => "",
    };
    let message = format!("--listen {}: {error}{hint}", args.listen);
    match error.kind() {
        io::ErrorKind::InvalidInput => Failure::input(message),
        kind => Failure::Io(io::Error::new(kind, message)),
    }
}

/// Shows an address in the browser of whoever is at this machine.
fn show(url: &str) -> io::Result<()> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = Stdio::null;
    let command = &mut Process::new(opener);
    command.arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}
