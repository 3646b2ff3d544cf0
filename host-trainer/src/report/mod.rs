//! One HTML page about a training run, a network and matches: what people would rather look at than read.
//!
//! Each section is a module that reads what it is about and draws it; [`page`] puts them together. Everything is in the
//! page: pictures, style, script. It opens without a network.

pub mod calibration;
pub mod chart;
pub mod games;
pub mod matches;
pub mod openings;
pub mod page;
pub mod run;
pub mod viewer;
pub mod weights;

use std::{num::NonZeroU64, path::PathBuf, process::ExitCode};

use anyhow::{Context, bail, ensure};
use quantize::whole;
use time::OffsetDateTime;

use self::{
    games::Game,
    page::{Page, Section},
    run::Run,
    weights::Network,
};

/// Draw a run, a network and matches on one HTML page.
///
/// The page has everything in it and opens without a network. What is not given is left out, and the page says so.
///
///   trainer report --run run --pgn match.pgn -o report.html
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Folder of a training run: settings, curves, and its best network
    #[arg(long, value_name = "FOLDER")]
    run: Option<PathBuf>,

    /// Games: matches, openings and boards; may be given several times
    #[arg(long, value_name = "FILE")]
    pgn: Vec<PathBuf>,

    /// A network (.net, or weights) [default: the run's best]
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,

    /// Positions in bulletformat that the network has not learnt from, to calibrate by [default: the run's validation
    /// file]
    #[arg(long, value_name = "FILE")]
    validation: Option<PathBuf>,

    /// Positions of that file to judge, at most
    #[arg(long, value_name = "N", default_value = "100000")]
    positions: NonZeroU64,

    /// Games to show on boards, at most
    #[arg(long, value_name = "N", default_value = "6")]
    boards: usize,

    /// The page's heading [default: the network's name, or the players']
    #[arg(long)]
    title: Option<String>,

    /// The page to write
    #[arg(short, long, value_name = "FILE.html")]
    out: PathBuf,

    /// Write over a page that is there
    #[arg(long)]
    force: bool,
}

/// Writes the page that the command line asks for.
///
/// # Errors
/// If nothing is given, a file cannot be read or is damaged, or the page is there already.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let out = args.out.display();
    if args.run.is_none() && args.pgn.is_empty() && args.net.is_none() {
        bail!("nothing to report on: give --run FOLDER, --pgn FILE or --net FILE");
    }
    ensure!(args.force || !args.out.exists(), "{out} is there already: choose another name, or give --force");
    let page = Material::read(args)?.page(args)?;
    whole::write(&args.out, page::html(&page).as_bytes()).with_context(|| format!("cannot write {out}"))?;
    let names: Vec<&str> = page.sections.iter().map(|section| section.title).collect();
    println!("{out}: {}", names.join(", "));
    for note in &page.notes {
        println!("left out: {note}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What was given, read.
struct Material {
    run: Option<Run>,
    games: Vec<Game>,
    network: Option<Network>,
    /// Why there is no network, if the run has one.
    network_problem: Option<String>,
}

impl Material {
    fn read(args: &Args) -> anyhow::Result<Material> {
        let run = args.run.as_deref().map(run::read).transpose()?;
        let mut games = Vec::new();
        for path in &args.pgn {
            games.extend(games::read(path)?);
        }
        let mut network_problem = None;
        let network = match (&args.net, run.as_ref().and_then(|run| run.best.as_ref())) {
            (Some(path), _) => Some(weights::read(path)?),
            // A run may train another kind of network, which has its curves all the same.
            (None, Some(path)) => match weights::read(path) {
                Ok(network) => Some(network),
                Err(error) => {
                    network_problem = Some(format!("{error:#}"));
                    None
                }
            },
            (None, None) => None,
        };
        Ok(Material { run, games, network, network_problem })
    }

    fn page(&self, args: &Args) -> anyhow::Result<Page> {
        let mut sections = Vec::new();
        let mut notes = Vec::new();
        self.run_sections(&mut sections, &mut notes);
        self.network_sections(args, &mut sections, &mut notes)?;
        self.game_sections(args, &mut sections, &mut notes);
        let paths = args.run.iter().chain(&args.net).chain(&args.pgn).map(|path| path.display().to_string());
        let now = OffsetDateTime::now_utc();
        Ok(Page {
            title: args.title.clone().unwrap_or_else(|| self.title()),
            sources: paths.collect::<Vec<_>>().join(", "),
            sections,
            notes,
            date: format!("{:04}-{:02}-{:02}", now.year(), u8::from(now.month()), now.day()),
        })
    }

    fn title(&self) -> String {
        let setting = |name: &str| {
            let settings = &self.run.as_ref()?.settings;
            settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
        };
        let network = || Some(self.network.as_ref()?.blob.net().ok()?.name().to_owned());
        let players = || self.games.first().map(|game| format!("{} – {}", game.white, game.black));
        setting("name").or_else(network).or_else(players).unwrap_or_else(|| "Report".to_owned())
    }

    fn run_sections(&self, sections: &mut Vec<Section>, notes: &mut Vec<String>) {
        let Some(run) = &self.run else {
            notes.push("Settings and curves: give --run FOLDER.".to_owned());
            return;
        };
        sections.push(Section { anchor: "settings", title: "Settings", body: run::settings_section(run) });
        match &run.curve {
            Some(curve) => {
                sections.push(Section { anchor: "curves", title: "Curves", body: run::curves_section(curve) });
            }
            None => notes.push("Curves: the run has no row in its curves.csv yet.".to_owned()),
        }
    }

    fn network_sections(
        &self,
        args: &Args,
        sections: &mut Vec<Section>,
        notes: &mut Vec<String>,
    ) -> anyhow::Result<()> {
        let Some(network) = &self.network else {
            notes.push(match &self.network_problem {
                Some(problem) => format!("Calibration and weights: {problem}."),
                None => "Calibration and weights: there is no network (--net FILE, or a run with one).".to_owned(),
            });
            return Ok(());
        };
        // The run's own file may have been cleared away since; one that was asked for must be there.
        let of_run = || self.run.as_ref()?.validation.clone().filter(|path| path.exists());
        match args.validation.clone().or_else(of_run) {
            Some(path) => {
                let measured = calibration::measure(&network.blob.net()?, &path, args.positions.get())?;
                let source = format!("{}, judged by {}", path.display(), network.origin);
                let body = calibration::section(&measured, &source);
                sections.push(Section { anchor: "calibration", title: "Calibration", body });
            }
            None => notes.push("Calibration: there is no file of positions (--validation FILE).".to_owned()),
        }
        sections.push(Section { anchor: "network", title: "Network", body: weights::section(network)? });
        Ok(())
    }

    fn game_sections(&self, args: &Args, sections: &mut Vec<Section>, notes: &mut Vec<String>) {
        if self.games.is_empty() {
            notes.push(if args.pgn.is_empty() {
                "Matches, openings and games: give --pgn FILE.".to_owned()
            } else {
                "Matches, openings and games: the PGN files hold none.".to_owned()
            });
            return;
        }
        let matches = matches::matches(&self.games);
        sections.push(Section { anchor: "matches", title: "Matches", body: matches::section(&matches) });
        let tree = openings::tree(&self.games);
        if tree.next.is_empty() {
            notes.push("Openings: no finished game begins at the usual start.".to_owned());
        } else {
            sections.push(Section { anchor: "openings", title: "Openings", body: openings::section(&tree) });
        }
        let chosen = viewer::choose(&self.games, args.boards);
        if !chosen.is_empty() {
            sections.push(Section { anchor: "games", title: "Games", body: viewer::section(&chosen) });
        }
    }
}
