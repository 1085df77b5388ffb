//! Options from a text: `NAME=VALUE`, or `NAME` for a switch, parted by semicolons.

use endtable::games::{Game, Use, read_options};
use endtable::table::Options;

use super::border::Failure;

/// Reads the options that a game has for some uses, and adds what holds for those that are not given.
pub fn parse(game: &dyn Game, uses: &[Use], text: &str) -> Result<Options, Failure> {
    let entries = text.split(';').map(str::trim).filter(|entry| !entry.is_empty());
    let entries = entries.map(|entry| match entry.split_once('=') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (entry, None),
    });
    Ok(read_options(game, uses, entries)?)
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
