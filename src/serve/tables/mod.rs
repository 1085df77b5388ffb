//! The pages of the tables: what is here, what it looks like, and the files themselves.

mod download;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use endtable::games::{Example, GameError, Statistics};
use endtable::table::{Header, Kind};
use serde_json::Value;

use super::background::{Now, Sums};
use super::html::{json, render};
use super::opened::Opened;
use super::page::address;
use super::{Problem, Site};
use crate::chart::svg;
use crate::json::{Object, table};

/// Where they are found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/tables", get(list))
        .route("/tables/{number}", get(one))
        .route("/tables/{number}/chart.svg", get(chart))
        .route("/tables/{number}/SHA256SUMS", get(sums))
        .route("/tables/{number}/files/{file}", get(download::file))
        .route("/api/v1/tables", get(objects))
}

/// The tables of a number, as long as their files are what they were.
fn numbered<'a>(site: &'a Site, number: &str) -> Result<&'a Arc<Opened>, Problem> {
    let missing = || Problem::not_found(format!("there are no tables {number:?} here"));
    let opened = site.numbered(number).ok_or_else(missing)?;
    opened.watched().check().map_err(GameError::from)?;
    Ok(opened)
}

#[derive(Template)]
#[template(path = "tables.html")]
struct TablesPage<'a> {
    tables: &'a [Arc<Opened>],
}

/// All tables.
async fn list(State(site): State<Arc<Site>>) -> Result<Html<String>, Problem> {
    render(&TablesPage { tables: site.tables() })
}

#[derive(Template)]
#[template(path = "table.html")]
struct TablePage<'a> {
    opened: &'a Opened,
    statistics: Now<Statistics>,
    sums: Now<Sums>,
}

impl TablePage<'_> {
    /// The files with their names, headers and checksums.
    fn files(&self) -> Vec<(String, &Header, Option<&str>)> {
        let sums = match &self.sums {
            Now::Done(Ok(sums)) => Some(sums),
            _ => None,
        };
        let sum = |number: usize| sums.and_then(|sums| sums.get(number)).map(String::as_str);
        let files = self.opened.files().into_iter().enumerate();
        files.map(|(number, file)| (name_of(file.path()), file.header(), sum(number))).collect()
    }

    /// The address of an example's page.
    fn address(&self, example: &Example) -> Option<String> {
        let position = self.opened.position(&example.position, &example.options).ok()?;
        Some(address::of(&address::explorer(self.opened.game()), &*position))
    }

    /// Whether there will be more to see.
    fn unfinished(&self) -> bool {
        matches!(self.statistics, Now::Percent(_)) || matches!(self.sums, Now::Percent(_))
    }
}

/// The name of a file without its folders.
fn name_of(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What some tables are, and what they look like.
async fn one(
    State(site): State<Arc<Site>>,
    Path(number): Path<String>,
) -> Result<Html<String>, Problem> {
    let opened = numbered(&site, &number)?;
    let statistics = site.background().statistics(opened);
    let sums = site.background().sums(opened);
    render(&TablePage { opened, statistics, sums })
}

/// The charts bring their style along, which may be nothing but style.
const CHART_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// What tables look like, as a picture.
async fn chart(
    State(site): State<Arc<Site>>,
    Path(number): Path<String>,
) -> Result<Response, Problem> {
    let opened = numbered(&site, &number)?;
    let Now::Done(done) = site.background().statistics(opened) else {
        return Err(Problem::not_found("these tables are still being counted"));
    };
    let statistics = done.map_err(Problem::not_found)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CHART_POLICY)),
    ];
    Ok((headers, svg(std::iter::once(&*statistics))).into_response())
}

/// The checksums of the files, as `sha256sum -c` reads them.
async fn sums(
    State(site): State<Arc<Site>>,
    Path(number): Path<String>,
) -> Result<Response, Problem> {
    let opened = numbered(&site, &number)?;
    let Now::Done(done) = site.background().sums(opened) else {
        return Err(Problem::not_found("the checksums are still being computed"));
    };
    let sums = done.map_err(Problem::not_found)?;
    let files = opened.files();
    let lines = files.iter().zip(&*sums);
    let lines = lines.map(|(file, sum)| format!("{sum}  {}\n", name_of(file.path())));
    Ok(lines.collect::<String>().into_response())
}

/// All tables as objects: what a manifest says of each file, and where to get it.
async fn objects(State(site): State<Arc<Site>>) -> Response {
    let tables = site.tables().iter().map(|opened| Value::Object(object(&site, opened)));
    let mut object = Object::new();
    object.insert("tables".into(), tables.collect());
    json(Value::Object(object).to_string())
}

fn object(site: &Site, opened: &Arc<Opened>) -> Object {
    let sums = match site.background().sums(opened) {
        Now::Done(Ok(sums)) => Some(sums),
        _ => None,
    };
    let file = |(number, file): (usize, &&endtable::table::OpenFile)| {
        let mut object = table(&name_of(file.path()), file.header());
        if let Some(sum) = sums.as_ref().and_then(|sums| sums.get(number)) {
            object.insert("sha256".into(), sum.clone().into());
        }
        let address = format!("/tables/{}/files/{number}", opened.number);
        object.insert("download".into(), address.into());
        Value::Object(object)
    };
    let mut object = Object::new();
    object.insert("number".into(), opened.number.into());
    object.insert("name".into(), opened.name.clone().into());
    object.insert("game".into(), opened.game().name().into());
    object.insert("rules".into(), opened.rules().into());
    object.insert("records".into(), opened.contents().records.into());
    object.insert("bytes".into(), opened.bytes().into());
    object.insert("files".into(), opened.files().iter().enumerate().map(file).collect());
    object
}
