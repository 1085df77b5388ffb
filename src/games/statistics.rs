//! What tables look like together, as text and as data for charts.

/// Statistics of tables.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// To be read.
    pub text: String,
    /// To be drawn.
    pub charts: Vec<Chart>,
    /// How many charts stand side by side.
    pub columns: usize,
}

/// A bar chart: a title and its bars.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What is counted.
    pub title: String,
    /// The bars, from left to right.
    pub bars: Vec<Bar>,
}

/// A bar with what stands below it.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// In a second line, in grey.
    pub note: String,
    /// How high it is.
    pub count: u64,
    /// Whether it is drawn in a light colour.
    pub light: bool,
}
