//! The page: one HTML document with everything in it.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::viewer::PIECES;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A part of the page.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name within the page's address.
    pub anchor: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What is in it.
    pub body: Markup,
}

/// All that the page says.
#[derive(Clone, Debug)]
pub struct Page {
    /// The heading.
    pub title: String,
    /// A line below it: what was read.
    pub sources: String,
    /// What there is.
    pub sections: Vec<Section>,
    /// What is not there, and what would bring it.
    pub notes: Vec<String>,
    /// When the page was made.
    pub date: String,
}

/// Puts the page together.
#[must_use]
pub fn html(page: &Page) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (page.title) }
                // An icon of its own, or browsers would ask for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                (PreEscaped(PIECES))
                header {
                    h1 { (page.title) }
                    p class="note" { (page.sources) }
                    nav { @for section in &page.sections { a href={ "#" (section.anchor) } { (section.title) } } }
                }
                main {
                    @for section in &page.sections {
                        section id=(section.anchor) { h2 { (section.title) } (section.body) }
                    }
                    @if !page.notes.is_empty() {
                        section id="missing" {
                            h2 { "What is not here" }
                            ul { @for note in &page.notes { li { (note) } } }
                        }
                    }
                }
                footer { p { "Made by trainer report " (env!("CARGO_PKG_VERSION")) ", " (page.date) "." } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}
