//! `endtable dump`: a position in all its forms, or the records of a table.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{self, Game, NumberRange, Position, Records, Row, Use};
use endtable::table::{Layout, Options, ValueKind};

use super::args::{check_options, examples, given, options_of_all, with_options};
use super::export::value_text;
use super::input::{Questions, Reply, named, one_by_one, with_positions};
use super::rows::{Selection, layer_arg, records_arg, with_progress};
use super::signals::stop_flag;
use super::{Failure, colour};
use crate::json;

pub fn command() -> Command {
    let command = Command::new("dump")
        .about("Show a position in all its forms, or the records of a table")
        .long_about(
            "Show a position in all its forms, or the records of a table\n\n\
             A game and positions: text, boards, keys, canonical form, picture. A table, or a folder \
             of tables: one record a line, in the table's order: the line that `solve` prints for its \
             position, then the plies to the end, or the value if the table has one. Complete tables \
             store no moves: -- stands in their place. A draw has = for a win bit.",
        )
        .after_help(examples("dump", &games::ALL))
        .arg(Arg::new("of").value_name("GAME|TABLE").required(true).help("A game, or a table to list"))
        .arg(layer_arg())
        .arg(records_arg())
        .arg(
            Arg::new("prefix")
                .long("prefix")
                .value_name("HEX")
                .value_parser(parse_prefix)
                .help("Of a table: only the records whose key begins with these hex digits"),
        );
    let command = with_positions(command).arg(picture_arg().conflicts_with("stdin"));
    with_options(command, &options_of_all(&[Use::Position]))
}

/// Asks for no more than a drawing.
pub fn picture_arg() -> Arg {
    Arg::new("picture")
        .long("picture")
        .action(ArgAction::SetTrue)
        .conflicts_with("json")
        .help("Only draw the board, and say if the game is over")
}

/// Hex digits, with the colon of a 128-bit key where it belongs.
fn parse_prefix(text: &str) -> Result<String, String> {
    let fits = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    fits.then(|| text.to_ascii_lowercase()).ok_or_else(|| "expected hex digits".into())
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let of = matches.get_one::<String>("of").map_or("", String::as_str);
    let options = given(matches, &options_of_all(&[Use::Position]));
    let named = named(matches)?;
    match games::by_name(of) {
        Some(game) => {
            check_options(&options, game, &[Use::Position])?;
            for option in ["layer", "records", "prefix"] {
                if matches.contains_id(option) {
                    return Err(Failure::input(format!("--{option}: for tables, not positions")));
                }
            }
            show(game, &options, named, matches)
        }
        None if !Path::new(of).exists() => {
            let games = games::ALL.map(Game::name).join(", ");
            Err(Failure::input(format!("{of}: neither a game ({games}) nor a file")))
        }
        None if !named.is_empty() || matches.get_flag("stdin") => {
            Err(Failure::input("positions are dumped behind the name of a game"))
        }
        None if matches.get_flag("json") => Err(Failure::input(
            "--json: for positions; the records of a table are exported as --csv",
        )),
        None if matches.get_flag("picture") => {
            Err(Failure::input("--picture: for positions, not tables"))
        }
        None if options.iter().next().is_some() => {
            let name = options.iter().next().map_or("", |(name, _)| name);
            Err(Failure::input(format!("--{name}: for positions, not tables")))
        }
        None => list(matches, Path::new(of)),
    }
}

fn show(
    game: &'static dyn Game,
    options: &Options,
    named: Vec<String>,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let form = Form::of(matches);
    let json = form == Form::Object;
    let stdin = matches.get_flag("stdin");
    if stdin && !json {
        return Err(Failure::input("--stdin prints one line a position: add --json"));
    }
    let questions = Questions {
        named,
        stdin,
        json,
        stop: None,
        parse: &|text| game.position(text, options),
        answer: &one_by_one(
            || Ok(()),
            |(), position| Ok(Reply::found(shown(game, position, form))),
        )?,
    };
    questions.answer_all()
}

/// How much of a position is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// All its forms, one below the other.
    All,
    /// A drawing.
    Picture,
    /// An object.
    Object,
}

impl Form {
    /// What the arguments ask for.
    pub fn of(matches: &ArgMatches) -> Self {
        match (matches.get_flag("json"), matches.get_flag("picture")) {
            (true, _) => Self::Object,
            (false, true) => Self::Picture,
            (false, false) => Self::All,
        }
    }
}

/// A position as it was asked for, without the last line feed.
pub fn shown(game: &dyn Game, position: &dyn Position, form: Form) -> String {
    if form == Form::Object {
        return json::forms(game, position);
    }
    let mut text = String::new();
    if form == Form::All {
        let forms = position.forms();
        let width = forms.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, form) in &forms {
            _ = writeln!(text, "{name:<width$} {form}");
        }
        text += &position.bitboards();
    }
    text += &colour::text(&position.picture(None));
    if let Some(over) = position.over() {
        _ = writeln!(text, "over: {over}");
    }
    text.trim_end().to_owned()
}

/// Lists the records of a table, or of the tables in a folder.
fn list(matches: &ArgMatches, path: &Path) -> Result<(), Failure> {
    let layer = matches.get_one::<u8>("layer").copied();
    let numbers = matches.get_one::<NumberRange>("records");
    let selection = Selection::open(&[path.into()], layer, numbers)?;
    let prefix = matches.get_one::<String>("prefix").map_or("", String::as_str);
    let list_row = |table: &Records, row: &Row, lines: &mut Vec<u8>| {
        let key = row.key.to_string();
        if !key.starts_with(prefix) {
            return Ok(());
        }
        match (table.columns().best_move, table.header().description.layout) {
            (true, _) => write!(lines, "{key} {} ", row.meta)?,
            (false, Layout::Bare) => write!(lines, "{key} ")?,
            // Whether there is a move the table does not say.
            (false, _) => {
                let bits = row.meta.to_string();
                write!(lines, "{key} {}-- ", &bits[..2])?;
            }
        }
        match table.header().description.value {
            ValueKind::None => writeln!(lines, "{}", row.meta.value().plies())?,
            kind => writeln!(lines, "{}", value_text(row.value, kind))?,
        }
        Ok(())
    };
    let stop = stop_flag()?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    with_progress(&stop, true, |watch| selection.write(&mut out, watch, list_row))
}
