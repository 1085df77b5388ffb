//! Merging: several sorted tables become one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::reader::Table;
use super::record::Record;
use super::{Description, TableError};

/// The records of several tables in ascending order, each code once, up to the first error.
pub fn merge(tables: &[Table]) -> Merged<'_> {
    Merged {
        sources: tables.iter().map(|table| Box::new(table.records()) as Source<'_>).collect(),
        heads: BinaryHeap::new(),
        started: false,
    }
}

type Source<'a> = Box<dyn Iterator<Item = Result<Record, TableError>> + 'a>;

/// The iterator of [`merge`].
pub struct Merged<'a> {
    sources: Vec<Source<'a>>,
    /// The next record of each source, smallest first.
    heads: BinaryHeap<Reverse<(Record, usize)>>,
    started: bool,
}

impl Merged<'_> {
    /// Takes the smallest record, and its source's next one in its place.
    fn pop(&mut self) -> Result<Option<Record>, TableError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Reverse((record, source)) = *head;
        match self.sources[source].next() {
            Some(next) => *head = Reverse((next?, source)),
            None => _ = PeekMut::pop(head),
        }
        Ok(Some(record))
    }

    fn next_or_error(&mut self) -> Result<Option<Record>, TableError> {
        if !self.started {
            self.started = true;
            for (number, source) in self.sources.iter_mut().enumerate() {
                if let Some(record) = source.next() {
                    self.heads.push(Reverse((record?, number)));
                }
            }
        }
        let Some(record) = self.pop()? else { return Ok(None) };
        while let Some(&Reverse((same, _))) = self.heads.peek()
            && same.code == record.code
        {
            check_same(record, same)?;
            self.pop()?;
        }
        Ok(Some(record))
    }
}

impl Iterator for Merged<'_> {
    type Item = Result<Record, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_or_error();
        if next.is_err() {
            self.heads.clear();
        }
        next.transpose()
    }
}

/// Checks that two records of one code say the same.
pub(super) fn check_same(one: Record, other: Record) -> Result<(), TableError> {
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
            ("game", description.game.to_string()),
            ("rules", description.rules.to_string()),
            ("codec", description.codec.to_string()),
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
