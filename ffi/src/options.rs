//! Options from a text: `NAME=VALUE`, or `NAME` for a switch, parted by semicolons.

use endtable::games::{Game, OptionSpec, Use};
use endtable::table::Options;

use super::border::Failure;

/// An option that names a position. Here positions have a place of their own.
const SEED: &str = "seed";

/// Reads the options that a game has for some uses, and adds what holds for those that are not given.
pub fn parse(game: &dyn Game, uses: &[Use], text: &str) -> Result<Options, Failure> {
    let mut specs: Vec<&OptionSpec> = Vec::new();
    for spec in uses.iter().flat_map(|&of| game.options(of)) {
        if spec.name != SEED && specs.iter().all(|there| there.name != spec.name) {
            specs.push(spec);
        }
    }
    let mut options = Options::default();
    for entry in text.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
        options = add(options, entry, &specs, game)?;
    }
    specs.iter().try_for_each(|spec| check_company(spec, &options))?;
    let absent = specs.into_iter().filter(|spec| !options.has(spec.name)).collect::<Vec<_>>();
    Ok(absent.iter().fold(options, |options, spec| options.with_some(spec.name, spec.default)))
}

fn add(
    options: Options,
    entry: &str,
    specs: &[&OptionSpec],
    game: &dyn Game,
) -> Result<Options, Failure> {
    let (name, value) = match entry.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (entry, None),
    };
    let spec = specs.iter().find(|spec| spec.name == name).ok_or_else(|| {
        let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
        let (game, names) = (game.name(), names.join(", "));
        Failure::input(format!("{name}: not an option of {game} here; those are: {names}"))
    })?;
    if options.has(name) {
        return Err(Failure::input(format!("{name}: given twice")));
    }
    match (spec.value, value) {
        (None, None) => Ok(options.with_switch(name)),
        (None, Some(_)) => Err(Failure::input(format!("{name}: a switch, which takes no value"))),
        (Some(kind), None) => {
            Err(Failure::input(format!("{name}: takes a value, as in {name}={kind}")))
        }
        (Some(_), Some(value)) => match (spec.check)(value) {
            Ok(()) => Ok(options.with(name, value)),
            Err(reason) => Err(Failure::input(format!("{name}={value}: {reason}"))),
        },
    }
}

/// Checks that an option has beside it what it needs, and not what it does not go with.
fn check_company(spec: &OptionSpec, options: &Options) -> Result<(), Failure> {
    let name = spec.name;
    if !options.has(name) {
        let missing = spec.required
            || !spec.unless.is_empty() && spec.unless.iter().all(|other| !options.has(other));
        return if missing { Err(Failure::input(format!("{name}: not given"))) } else { Ok(()) };
    }
    if let Some(other) = spec.conflicts.iter().find(|other| options.has(other)) {
        return Err(Failure::input(format!("{name}: does not go with {other}")));
    }
    if let Some(other) = spec.requires.iter().find(|other| !options.has(other)) {
        return Err(Failure::input(format!("{name}: needs {other} beside it")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::Status;
    use endtable::games;

    fn read(uses: &[Use], text: &str) -> Result<String, String> {
        let options = parse(games::by_name("collapsi").unwrap(), uses, text);
        options.map(|options| options.to_string()).map_err(|failure| {
            assert_eq!(failure.status, Status::BadInput);
            failure.message.into_owned()
        })
    }

    #[test]
    fn options_are_parted_by_semicolons() {
        let position = |text| read(&[Use::Position, Use::Probe], text).unwrap();
        assert_eq!(position(""), "");
        assert_eq!(position(" ; ;"), "");
        assert_eq!(position("rules=wild"), "--rules wild");
        assert_eq!(position("fold64 ; rules = wild;"), "--fold64 --rules wild");
        assert_eq!(read(&[Use::Solve], "tables=a=b c").unwrap(), "--tables \"a=b c\"");
    }

    #[test]
    fn what_is_no_option_is_refused() {
        let refused = |text| read(&[Use::Position], text).unwrap_err();
        let names = "not an option of collapsi here; those are: rules, fold64";
        assert_eq!(refused("wild"), format!("wild: {names}"));
        assert_eq!(refused("--rules=wild"), format!("--rules: {names}"));
        assert_eq!(refused("seed=1"), format!("seed: {names}"));
        assert_eq!(refused("=wild"), format!(": {names}"));
        assert_eq!(refused("rules"), "rules: takes a value, as in rules=RULES");
        assert_eq!(refused("fold64=yes"), "fold64: a switch, which takes no value");
        assert_eq!(refused("rules=one;rules=one"), "rules: given twice");
        assert!(refused("rules=some").starts_with("rules=some: "));
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        let refused = |text| read(&[Use::Generate], text).unwrap_err();
        assert_eq!(refused("complete;rules=one"), "rules: does not go with complete");
        assert_eq!(refused("seeds=0..1;cards=5"), "cards: needs complete beside it");
        assert_eq!(refused("exact"), "seeds: not given");
        assert!(read(&[Use::Generate], "complete;cards=5").is_ok());
    }
}
