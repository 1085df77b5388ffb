//! What ships with tables: `manifest.json`, which says what each of them is, and `SHA256SUMS`, as
//! `sha256sum -c` reads it. How they are made, and how a folder is held against them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::mem;
use std::path::{Path, PathBuf};

use endtable::games::Watch;
use endtable::table::{DENSE_EXTENSION, EXTENSION, Header, read_header};
use rayon::prelude::*;
use serde_json::Value;

use super::Failure;
use super::files::{tables_in, whole_header};
use crate::checksum::sha256;
use crate::json::{self, Object};

pub const MANIFEST: &str = "manifest.json";
pub const SUMS: &str = "SHA256SUMS";

/// By this a manifest is known to be ours.
const MARK: (&str, &str) = ("manifest", "endtable");

/// No list of tables is longer, which is some five thousand of them: what it takes in memory is many
/// times as much.
const LONGEST: u64 = 1 << 21;

/// The two files for a folder's tables, as bytes: the same for the same tables.
pub fn make(folder: &Path, watch: &Watch<'_>) -> Result<[String; 2], Failure> {
    let files = tables_in(folder)?;
    let names = files.iter().map(|file| plain_name(file)).collect::<Result<Vec<_>, _>>()?;
    let headers = files.iter().map(|file| whole_header(file)).collect::<Result<Vec<_>, _>>()?;
    let total = headers.iter().map(|header| header.file_length).sum();
    watch.progress.begin("sums", total, 0);
    let hash_one = |(file, header): (&PathBuf, &Header)| {
        let hash = sha256(file, watch)?;
        watch.progress.advance(0, header.records);
        Ok(hash)
    };
    let hashes: Vec<Result<String, Failure>> =
        files.par_iter().zip(&headers).map(hash_one).collect();
    watch.progress.end();
    let (mut tables, mut sums) = (Vec::new(), String::new());
    for ((name, header), hash) in names.iter().zip(&headers).zip(hashes) {
        let hash = hash?;
        _ = writeln!(sums, "{hash}  {name}");
        tables.push(Value::Object(entry(name, header, &hash)));
    }
    let mut manifest = Object::new();
    manifest.insert(MARK.0.into(), MARK.1.into());
    manifest.insert("tables".into(), tables.into());
    let text = serde_json::to_string_pretty(&manifest).map_err(io::Error::from)?;
    Ok([text + "\n", sums])
}

/// What a manifest says of a table.
fn entry(name: &str, header: &Header, hash: &str) -> Object {
    let mut object = json::table(name, header);
    object.insert("sha256".into(), hash.into());
    object
}

/// The name of a file in its folder, which both lists must be able to hold.
fn plain_name(file: &Path) -> Result<&str, Failure> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| !name.contains(|c: char| c.is_control() || c == '\\'));
    name.ok_or_else(|| {
        Failure::input(format!("{}: a list of files cannot hold this name", file.display()))
    })
}

/// Refuses to replace lists that are about something else.
pub fn check_replaceable(folder: &Path) -> Result<(), Failure> {
    let refuse = |name: &str, why: &str| {
        let path = folder.join(name);
        Err(Failure::input(format!("{}: {why}; --force replaces it", path.display())))
    };
    if let Some(text) = read(folder, MANIFEST)?
        && parse_manifest(&text).is_none()
    {
        return refuse(MANIFEST, "not a manifest of endtable's");
    }
    let is_table = |name: &str| {
        let ending = Path::new(name).extension();
        ending.is_some_and(|ending| ending == EXTENSION || ending == DENSE_EXTENSION)
    };
    if let Some(text) = read(folder, SUMS)?
        && !text.lines().all(|line| parse_sum(line).is_some_and(|(_, name)| is_table(name)))
    {
        return refuse(SUMS, "it lists more than tables");
    }
    Ok(())
}

/// The text of a list, `None` if there is none.
fn read(folder: &Path, name: &str) -> Result<Option<String>, Failure> {
    let path = folder.join(name);
    let about = |error: io::Error| Failure::about(&path, &error);
    match fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(about(error)),
        Ok(data) if !data.is_file() => {
            return Err(Failure::input(format!("{}: not a file", path.display())));
        }
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(about)?;
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(about)?;
    if bytes.len() as u64 > LONGEST {
        let message = format!("{}: too long for a list of tables", path.display());
        return Err(Failure::Io(io::Error::other(message)));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The tables of a manifest of ours.
fn parse_manifest(text: &str) -> Option<Vec<Object>> {
    let Ok(Value::Object(mut manifest)) = serde_json::from_str(text) else { return None };
    if manifest.get(MARK.0)?.as_str()? != MARK.1 {
        return None;
    }
    let Value::Array(tables) = manifest.remove("tables")? else { return None };
    let objects = tables.into_iter().map(|table| match table {
        Value::Object(object) => Some(object),
        _ => None,
    });
    objects.collect()
}

/// Hash and name of a line of `SHA256SUMS`.
fn parse_sum(line: &str) -> Option<(&str, &str)> {
    let (hash, name) = line.split_once(' ')?;
    let name = name.strip_prefix([' ', '*'])?;
    let legible = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (legible && !name.is_empty()).then_some((hash, name))
}

/// What the lists of a folder say of a file.
#[derive(Default)]
struct Listed {
    manifest: Option<Object>,
    sum: Option<String>,
}

/// What hears of a file, and whether it is as listed.
pub type Report<'a> = &'a mut dyn FnMut(&Path, Result<String, Failure>);

/// Holds a folder against the lists that are in it, if there are any: every difference is reported.
///
/// # Errors
/// When it was stopped, or a list cannot be read.
pub fn check(folder: &Path, watch: &Watch<'_>, report: Report<'_>) -> Result<(), Failure> {
    let mut listed: BTreeMap<String, Listed> = BTreeMap::new();
    let complete = Cell::new(true);
    let report = &mut |file: &Path, found: Result<String, Failure>| {
        complete.set(complete.get() && found.is_ok());
        report(file, found);
    };
    let manifest = read_manifest(folder, &mut listed, report)?;
    let sums = read_sums(folder, &mut listed, report)?;
    if !manifest && !sums {
        return Ok(());
    }
    let total = listed.keys().map(|name| size(&folder.join(name)).unwrap_or(0)).sum();
    watch.progress.begin("sums", total, 0);
    let check_one = |(name, listed): (&String, &Listed)| check_file(folder, name, listed, watch);
    let differences: Vec<Result<(), Failure>> = listed.par_iter().map(check_one).collect();
    watch.progress.end();
    let mut right = 0;
    for (name, difference) in listed.keys().zip(differences) {
        match difference {
            Ok(()) => right += 1,
            Err(failure @ Failure::Stopped(_)) => return Err(failure),
            Err(failure) => report(&folder.join(name), Err(failure)),
        }
    }
    for file in tables_in(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let listed = listed.get(name);
        for (list, there) in [(MANIFEST, manifest), (SUMS, sums)] {
            let named = listed.is_some_and(|listed| match list {
                MANIFEST => listed.manifest.is_some(),
                _ => listed.sum.is_some(),
            });
            if there && !named {
                let message = format!("{}: a table that {list} does not list", file.display());
                report(&file, Err(Failure::Check(message)));
            }
        }
    }
    if complete.get() {
        let lists = [(MANIFEST, manifest), (SUMS, sums)].into_iter().filter(|(_, there)| *there);
        for path in lists.map(|(list, _)| folder.join(list)) {
            report(&path, Ok(format!("{}: {right} files are as listed", path.display())));
        }
    }
    Ok(())
}

/// Takes in the manifest; answers whether there is one of ours.
fn read_manifest(
    folder: &Path,
    listed: &mut BTreeMap<String, Listed>,
    report: Report<'_>,
) -> Result<bool, Failure> {
    let Some(text) = read(folder, MANIFEST)? else { return Ok(false) };
    let path = folder.join(MANIFEST);
    let damaged = |what: &str| {
        let message =
            format!("{}: {what}; `endtable manifest --force` makes it anew", path.display());
        Err(Failure::Io(io::Error::other(message)))
    };
    let Some(tables) = parse_manifest(&text) else {
        // Somebody else's file may have the name.
        let ours = serde_json::from_str::<Value>(&text)
            .map_or(true, |value| value.get(MARK.0).is_some_and(|mark| mark == MARK.1));
        if ours {
            report(&path, damaged("not a list of tables"));
        }
        return Ok(false);
    };
    for table in tables {
        let name = table.get("file").and_then(Value::as_str).filter(|name| is_plain(name));
        let Some(name) = name.map(str::to_owned) else {
            report(&path, damaged("a table without a name of a file beside it"));
            continue;
        };
        if listed.entry(name).or_default().manifest.replace(table).is_some() {
            report(&path, damaged("a table is listed twice"));
        }
    }
    Ok(true)
}

/// Takes in the sums; answers whether there are any.
fn read_sums(
    folder: &Path,
    listed: &mut BTreeMap<String, Listed>,
    report: Report<'_>,
) -> Result<bool, Failure> {
    let Some(text) = read(folder, SUMS)? else { return Ok(false) };
    let path = folder.join(SUMS);
    let wrong = |number: u32, what: &str| {
        let message = format!("{}: line {number}: {what}", path.display());
        Err(Failure::Io(io::Error::other(message)))
    };
    for (number, line) in (1..).zip(text.lines()) {
        match parse_sum(line).filter(|(_, name)| is_plain(name)) {
            Some((hash, name)) => {
                let sum = Some(hash.to_ascii_lowercase());
                let before = mem::replace(&mut listed.entry(name.into()).or_default().sum, sum);
                if before.is_some() {
                    report(&path, wrong(number, "a file is listed twice"));
                }
            }
            None => {
                let what = "expected 64 hex digits, two blanks and the name of a file beside it";
                report(&path, wrong(number, what));
            }
        }
    }
    Ok(true)
}

/// Whether a name is that of a file in the same folder: a list leads nowhere else.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
}

fn size(path: &Path) -> Option<u64> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|data| data.len())
}

/// Holds a file against what is said of it.
fn check_file(
    folder: &Path,
    name: &str,
    listed: &Listed,
    watch: &Watch<'_>,
) -> Result<(), Failure> {
    let path = folder.join(name);
    let at = path.display();
    let list = if listed.manifest.is_some() { MANIFEST } else { SUMS };
    let Some(bytes) = size(&path) else {
        return Err(Failure::NotFound(format!("{at}: {list} lists it, but it is not there")));
    };
    let differs = |list: &str, field: &str, found: &str, said: &str| {
        Err(Failure::Check(format!("{at}: {field} {found}, but {list} says {said}")))
    };
    let says = |field: &str| listed.manifest.as_ref().and_then(|table| table.get(field));
    if let Some(said) = says("bytes")
        && said.as_u64() != Some(bytes)
    {
        return differs(MANIFEST, "bytes", &bytes.to_string(), &said.to_string());
    }
    let hash = sha256(&path, watch)?;
    if let Some(said) = &listed.sum
        && *said != hash
    {
        return differs(SUMS, "sha256", &hash, said);
    }
    let Some(table) = &listed.manifest else { return Ok(()) };
    if says("sha256").and_then(Value::as_str) != Some(hash.as_str()) {
        let said = says("sha256").map_or("nothing".into(), Value::to_string);
        return differs(MANIFEST, "sha256", &hash, &said);
    }
    // What cannot be read is named where the table is checked.
    let Ok(header) = read_header(&path) else { return Ok(()) };
    let own = entry(name, &header, &hash);
    let nothing = Value::Null;
    let fields = own.keys().chain(table.keys());
    let values = |field: &String| {
        let [own, said] = [&own, table].map(|it| it.get(field).unwrap_or(&nothing));
        (own != said).then(|| (field.clone(), own.to_string(), said.to_string()))
    };
    match fields.into_iter().find_map(values) {
        Some((field, own, said)) => differs(MANIFEST, &field, &own, &said),
        None => Ok(()),
    }
}
