//! `endtable stats`: what a table's answers look like together.

use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;
use endtable::table::Options;

use super::Failure;
use super::args::examples;
use super::chart::svg;
use super::output::{check_new, say, write_file};

/// Count a table's answers: results, plies to the end, values
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders with tables, counted together
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// Draw bar charts into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "svg")]
    force: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("stats")).after_help(examples("stats", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    if let Some(path) = &args.svg {
        check_new(path, args.force)?;
    }
    let statistics = games::open(&args.files, &Options::default())?.statistics()?;
    // The picture first: standard output may be closed before all of it is written.
    if let Some(path) = &args.svg {
        let picture = svg(&statistics.charts, statistics.columns);
        write_file(path, |out| Ok(out.write_all(picture.as_bytes())?))?;
    }
    say(statistics.text.trim_end())
}
