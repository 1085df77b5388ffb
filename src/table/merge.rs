//! Merging: several sorted tables become one.

use std::collections::VecDeque;
use std::iter;
use std::vec::IntoIter;

use rayon::prelude::*;

use super::format::BLOCK_RECORDS;
use super::reader::Table;
use super::record::Record;
use super::{Description, TableError};

/// The records of several tables in ascending order, each code once, up to the first error.
///
/// The codes are cut into parts, which are merged in parallel, a few at a time; a part with an
/// error gives no records.
pub fn merge(tables: &[Table]) -> Merged<'_> {
    merge_between(tables, 0, None)
}

/// The same for the codes from `start` on, up to `end`.
pub(crate) fn merge_between(tables: &[Table], start: u64, end: Option<u64>) -> Merged<'_> {
    let inside = |&code: &u64| code > start && end.is_none_or(|end| code < end);
    let firsts = tables.iter().flat_map(|table| table.first_codes()).copied().filter(inside);
    let mut firsts: Vec<u64> = iter::once(start).chain(firsts).collect();
    firsts.sort_unstable();
    // A block that two parts share is read twice, so parts are larger where there are many tables.
    let part = (2 * tables.len()).clamp(LEAST_PART, MOST_PART);
    let largest = tables.iter().map(|table| table.block_len()).max().unwrap_or(1);
    let part = part.min(MOST_PART * USUAL_BLOCK / largest).max(1);
    let bounds = firsts.iter().copied().step_by(part).collect();
    let (ready, at_hand) = (VecDeque::new(), Vec::new().into_iter());
    Merged { tables, bounds, end, next: 0, ready, at_hand }
}

/// How many blocks begin in a part: a few parts are in memory at once.
const LEAST_PART: usize = 128;
const MOST_PART: usize = 1024;
/// The records of a block, as tables are written; of larger ones a part has fewer.
const USUAL_BLOCK: usize = BLOCK_RECORDS as usize;

/// The iterator of [`merge`].
#[derive(Debug)]
pub struct Merged<'a> {
    tables: &'a [Table],
    /// The code that each part begins with.
    bounds: Vec<u64>,
    /// The code that the last one ends before.
    end: Option<u64>,
    /// The part that comes next.
    next: usize,
    /// Parts that have been merged.
    ready: VecDeque<Result<Vec<Record>, TableError>>,
    /// What is left of the part before them.
    at_hand: IntoIter<Record>,
}

impl Merged<'_> {
    /// Merges the next parts.
    fn advance(&mut self) {
        let end = self.bounds.len().min(self.next + rayon::current_num_threads());
        let parts = (self.next..end).into_par_iter().map(|part| {
            let end = self.bounds.get(part + 1).copied().or(self.end);
            self.part(self.bounds[part], end)
        });
        let parts: Vec<_> = parts.collect();
        self.ready.extend(parts);
        self.next = end;
    }

    /// The records with codes from one on, up to another.
    fn part(&self, start: u64, end: Option<u64>) -> Result<Vec<Record>, TableError> {
        let mut records = Vec::new();
        for table in self.tables {
            table.records_between(start, end, &mut records)?;
        }
        // Stable, because that finds and joins what is in order already.
        records.sort_by_key(|record| record.code);
        let mut twice = records.windows(2).filter(|two| two[0].code == two[1].code);
        twice.try_for_each(|two| check_same(two[0], two[1]))?;
        records.dedup();
        Ok(records)
    }
}

impl<'a> Merged<'a> {
    /// The same, many records at a time.
    pub fn parts(mut self) -> impl Iterator<Item = Result<Vec<Record>, TableError>> + 'a {
        std::iter::from_fn(move || self.next_part())
    }

    fn next_part(&mut self) -> Option<Result<Vec<Record>, TableError>> {
        if self.ready.is_empty() && self.next < self.bounds.len() {
            self.advance();
        }
        let part = self.ready.pop_front()?;
        if part.is_err() {
            // Nothing comes behind an error.
            self.next = self.bounds.len();
            self.ready.clear();
        }
        Some(part)
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Record, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.at_hand.next() {
                return Some(Ok(record));
            }
            match self.next_part()? {
                Ok(part) => self.at_hand = part.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Checks that two records of one code say the same.
pub(crate) fn check_same(one: Record, other: Record) -> Result<(), TableError> {
    if one == other {
        return Ok(());
    }
    Err(TableError::Conflict { one, other })
}

/// Checks that tables can be joined or searched as one: the same game, rules, codec and value.
///
/// # Errors
/// Names the first two that differ, and in what.
pub(super) fn check_alike<'a>(
    tables: impl IntoIterator<Item = &'a Table>,
) -> Result<(), TableError> {
    let mut tables = tables.into_iter();
    let Some(one) = tables.next() else { return Ok(()) };
    let parts = |description: &Description| {
        [
            ("game", description.game().to_owned()),
            ("rules", description.rules.clone()),
            ("codec", description.codec.to_string()),
            ("bytes of meta", description.layout.bytes().to_string()),
            ("value column", description.value.to_string()),
        ]
    };
    for other in tables {
        let pairs =
            parts(&one.header().description).into_iter().zip(parts(&other.header().description));
        for ((what, first), (_, second)) in pairs {
            if first != second {
                let paths = (one.path().into(), other.path().into());
                return Err(TableError::Mixed { paths, what, first, second });
            }
        }
    }
    Ok(())
}
