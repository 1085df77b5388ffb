//! `endtable plan`: a long job as shards for many machines.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{self, Game, Use};
use endtable::job::{Cut, Plan};
use endtable::table::{Options, Recipe};
use indicatif::HumanBytes;

use super::args::{Bytes, examples, for_each_game, game_of, given, options_of, with_options};
use super::output::{say, write_file};
use super::planned::{MOST_CORES, Planned, Work, is_name};
use super::progress::Spoken;
use super::simulate::Cluster;
use super::{Failure, hyperqueue, play};

pub fn command() -> Command {
    let generate = Command::new("generate")
        .about("A table, as `endtable generate` makes it")
        .subcommand_required(true);
    let generate = for_each_game(generate, |game, command| {
        with_plan_args(with_options(command, &options_of(game, &[Use::Generate])))
    });
    let verify = Command::new("verify")
        .about("A full check of tables, as `endtable verify --full` does it")
        .arg(
            Arg::new("tables")
                .value_name("TABLE")
                .required(true)
                .num_args(1..)
                .value_parser(clap::value_parser!(PathBuf))
                .help("The tables, or folders of tables"),
        );
    Command::new("plan")
        .about("Cut a long job into shards, for many machines")
        .long_about(
            "Cut a long job into shards, for many machines\n\n\
             Writes DIR/plan.json: stages, one after the other, and the shards of each, with the command, \
             the memory and the time that each takes. All machines see the folder. `endtable run` works on \
             the shards on one machine, tools/cluster hands them to HyperQueue; each is a command, \
             `endtable shard PLAN ID`, that may run anywhere, twice, or again after a kill. The last one \
             makes the table in DIR, byte for byte what `generate` makes.",
        )
        .after_help(examples("plan", &games::ALL))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("WORK")
        .subcommand_help_heading("Work")
        .disable_help_subcommand(true)
        .subcommand(generate)
        .subcommand(play::plan_command(with_plan_args))
        .subcommand(with_plan_args(verify))
}

/// Adds what all plans have.
fn with_plan_args(command: Command) -> Command {
    let path =
        |name: &'static str| Arg::new(name).long(name).value_parser(clap::value_parser!(PathBuf));
    let number = |name: &'static str| {
        let within = clap::value_parser!(u32).range(1..=1_000_000);
        Arg::new(name).long(name).value_name("N").value_parser(within)
    };
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    command
        .arg(
            number("shards")
                .required(true)
                .help("The most shards of a stage: so many can be worked on at a time"),
        )
        .arg(path("dir").value_name("DIR").required_unless_present("simulate").help(
            "The folder that all machines see: the plan, unfinished work and the table go there",
        ))
        .arg(
            number("cores")
                .default_value("1")
                .value_parser(clap::value_parser!(u32).range(1..=MOST_CORES.into()))
                .help("The cores of a shard"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("What the table is called in DIR"),
        )
        .arg(flag("hq").help("Write DIR/plan.toml as well, for `hq job submit-file`"))
        .arg(
            flag("hq-memory").requires("hq").help(
                "Let shards ask for memory there, as the resource mem; workers must offer it",
            ),
        )
        .arg(number("simulate").value_name("CORES").help(
            "Say how long it would take on so many cores, as far as the estimates tell, instead of \
             writing the plan",
        ))
        .arg(
            Arg::new("bandwidth")
                .long("bandwidth")
                .value_name("SIZE")
                .default_value("1G")
                .requires("simulate")
                .value_parser(clap::value_parser!(Bytes))
                .help(
                    "Bytes a second that all machines together read from and write to the folder",
                ),
        )
        .arg(flag("json").help("Print the plan as an object"))
        .arg(flag("force").help("Replace another plan that is there"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (work, matches) = match matches.subcommand() {
        Some(("generate", matches)) => {
            let (game, matches) = game_of(matches)?;
            let given = given(matches, &options_of(game, &[Use::Generate]));
            let options = absolute(&given, game)?;
            let options = spelled_out(&options, game.job(&options)?.recipe(), game);
            (Work::Generate { game: game.name().into(), options }, matches)
        }
        Some(("play", matches)) => {
            let (game, options, matches) = play::planned(matches)?;
            let options = match games::by_name(&game) {
                Some(game) => absolute(&options, game)?,
                None => options,
            };
            (Work::Play { game, options }, matches)
        }
        Some(("verify", matches)) => {
            let tables = matches.get_many::<PathBuf>("tables").unwrap_or_default();
            let whole =
                |path: &PathBuf| path.canonicalize().map_err(|error| Failure::about(path, &error));
            (Work::Verify { tables: tables.map(whole).collect::<Result<_, _>>()? }, matches)
        }
        _ => return Err(Failure::input("name what is to be planned")),
    };
    let number = |name: &str| matches.get_one::<u32>(name).copied();
    let cut =
        Cut { shards: number("shards").unwrap_or(1).into(), cores: number("cores").unwrap_or(1) };
    let shards = work.shards()?;
    let mut plan = shards.plan(cut)?;
    if let Some(name) = matches.get_one::<String>("name") {
        if !is_name(name) {
            let expected = "expected a name without a folder, and not that of the plan";
            return Err(Failure::input(format!("--name {name}: {expected}")));
        }
        plan.file.clone_from(name);
    }
    let planned = Planned { work, cut, plan };
    if let Some(cores) = number("simulate") {
        let bandwidth = matches.get_one::<Bytes>("bandwidth").map_or(1 << 30, |bytes| bytes.0);
        let cluster = Cluster { cores: cores.into(), bandwidth: bandwidth.max(1) as f64 };
        return simulate(&planned, &cluster, matches.get_flag("json"));
    }
    let folder = matches.get_one::<PathBuf>("dir").map_or(Path::new("."), PathBuf::as_path);
    let place = planned.write(folder, &*shards, matches.get_flag("force"))?;
    if matches.get_flag("hq") {
        let text = hyperqueue::job_file(&planned, &place, matches.get_flag("hq-memory"))?;
        write_file(&place.path.with_extension("toml"), |out| Ok(out.write_all(text.as_bytes())?))?;
    }
    if matches.get_flag("json") {
        return say(planned.object(&place.path));
    }
    say(table(&planned.plan).trim_end())?;
    say(format_args!("{}: {}", place.path.display(), summary(&planned.plan)))
}

/// Options whose values are paths name them as a whole: shards run anywhere.
fn absolute(options: &Options, game: &dyn Game) -> Result<Options, Failure> {
    let mut all = Options::default();
    for (name, value) in options.iter() {
        all = match value {
            None => all.with_switch(name),
            Some(value) if is_path(name, game) => {
                let path = Path::new(value);
                let path = path.canonicalize().map_err(|error| Failure::about(path, &error))?;
                all.with(name, path.display())
            }
            Some(value) => all.with(name, value),
        };
    }
    Ok(all)
}

/// Options with the values that the recipe has, which names no file of this machine: a pattern's own text, say.
fn spelled_out(options: &Options, recipe: &Recipe, game: &dyn Game) -> Options {
    options.iter().fold(Options::default(), |all, (name, value)| match value {
        None => all.with_switch(name),
        Some(value) if is_path(name, game) => all.with(name, value),
        Some(value) => all.with(name, recipe.options.get(name).unwrap_or(value)),
    })
}

/// Whether an option names a file.
fn is_path(name: &str, game: &dyn Game) -> bool {
    let mut specs = options_of(game, &[Use::Generate, Use::Solve]).into_iter();
    specs.any(|spec| spec.name == name && spec.path)
}

/// The stages, a line each.
fn table(plan: &Plan) -> String {
    let mut text = format!(
        "{:<20} {:>6} {:>6} {:>11} {:>13}\n",
        "stage", "shards", "cores", "memory", "core seconds"
    );
    for stage in &plan.stages {
        text += &format!(
            "{:<20} {:>6} {:>6} {:>11} {:>13.1}\n",
            stage.name,
            stage.shards,
            stage.cores,
            HumanBytes(stage.memory).to_string(),
            stage.seconds
        );
    }
    text
}

fn summary(plan: &Plan) -> String {
    let shards: u64 = plan.stages.iter().map(|stage| stage.shards).sum();
    format!("{shards} shards, {} of one core", Spoken(plan.core_seconds()))
}

/// Says how long a plan takes on a cluster.
fn simulate(planned: &Planned, cluster: &Cluster, json: bool) -> Result<(), Failure> {
    let found = cluster.run(&planned.plan);
    if json {
        return say(found.object(&planned.plan, cluster));
    }
    say(found.text(&planned.plan).trim_end())
}
