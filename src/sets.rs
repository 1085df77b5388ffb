//! Which tables belong together: those that are asked, or counted, as one.

use std::path::{Path, PathBuf};

use endtable::table::{DENSE_EXTENSION, Description, EXTENSION, TableError, files_in, read_header};

/// Tables that belong together.
pub struct Set {
    /// Their files, or the folder that holds them.
    pub paths: Vec<PathBuf>,
    of: Belonging,
}

impl std::fmt::Display for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        match &names[..] {
            [first, .., last] if names.len() > 3 => write!(f, "{first} to {last}"),
            names => f.write_str(&names.join(", ")),
        }
    }
}

/// What makes tables belong together.
#[derive(PartialEq)]
enum Belonging {
    /// A folder of dense tables.
    Folder(PathBuf),
    /// Dense tables of one job in one folder, named one by one.
    Dense(PathBuf, String),
    /// Keyed tables that are alike.
    Keyed(Vec<String>),
}

/// The sets that files and folders hold, in the order of their first files.
///
/// # Errors
/// When one cannot be read, or a folder has none.
pub fn sets(paths: &[PathBuf]) -> Result<Vec<Set>, TableError> {
    let mut sets: Vec<Set> = Vec::new();
    let mut add = |path: PathBuf, of: Belonging| match sets.iter_mut().find(|set| set.of == of) {
        Some(set) if set.paths.contains(&path) => {}
        Some(set) => set.paths.push(path),
        None => sets.push(Set { paths: vec![path], of }),
    };
    for path in paths {
        if !path.is_dir() {
            let of = belonging(path)?;
            add(path.clone(), of);
            continue;
        }
        let (dense, keyed) = (files_in(path, DENSE_EXTENSION)?, files_in(path, EXTENSION)?);
        if dense.is_empty() && keyed.is_empty() {
            let name = format!("{}/*.{EXTENSION}, *.{DENSE_EXTENSION}", path.display());
            return Err(TableError::MissingTable { name });
        }
        if !dense.is_empty() {
            add(path.clone(), Belonging::Folder(path.clone()));
        }
        for file in keyed {
            let of = belonging(&file)?;
            add(file, of);
        }
    }
    Ok(sets)
}

fn belonging(file: &Path) -> Result<Belonging, TableError> {
    let description = read_header(file)?.description;
    if file.extension().is_some_and(|extension| extension == DENSE_EXTENSION) {
        let folder = file.parent().unwrap_or(Path::new("")).into();
        return Ok(Belonging::Dense(folder, description.recipe.to_string()));
    }
    let Description { rules, codec, layout, value, .. } = &description;
    let game = description.game().to_owned();
    let alike = [game, rules.clone(), codec.to_string(), value.to_string()];
    let alike = alike.into_iter().chain([layout.bytes().to_string()]);
    // The proof of a position stands by itself.
    let proof = description.recipe.position.as_ref().map(|_| file.display().to_string());
    let alike = alike.chain(proof);
    Ok(Belonging::Keyed(alike.collect()))
}
