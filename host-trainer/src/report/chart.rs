//! Charts as SVG, for a page whose style sheet knows their classes: nothing in them depends on light or dark.

use std::fmt::Write as _;

/// The size of a chart's coordinates, of which its place on the page makes what it will.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
/// Room for what is written beside the axes.
const LEFT: f64 = 86.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 54.0;
/// Numbers beside an axis, about.
const TICKS: f64 = 6.0;
/// Points of a line, at most; the lines of long runs are thinned.
const MOST_POINTS: usize = 1500;

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is called in the legend.
    pub name: String,
    /// In order of x.
    pub points: Vec<(f64, f64)>,
    /// Drawn as dots, and a line between them.
    pub dots: bool,
}

/// What numbers an axis has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal factors. All numbers must be above zero.
    Logarithmic,
    /// From 0 to 1, written in per cent.
    Share,
}

/// A chart of lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows, for those who do not see it.
    pub title: String,
    /// What is below it.
    pub x_name: String,
    /// The x axis.
    pub x_scale: Scale,
    /// The y axis.
    pub y_scale: Scale,
    /// The lines.
    pub series: Vec<Series>,
    /// A thin line from corner to corner.
    pub diagonal: bool,
}

/// One axis: which numbers it has, and where.
struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(scale: Scale, numbers: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let (mut low, mut high) = match scale {
            Scale::Share => (0.0, 1.0),
            _ => (numbers.clone().fold(f64::INFINITY, f64::min), numbers.fold(f64::NEG_INFINITY, f64::max)),
        };
        if scale == Scale::Logarithmic {
            (low, high) = (low * 0.97, high * 1.03);
        } else if low == high {
            (low, high) = (low - 0.5, high + 0.5);
        }
        Axis { low, high, scale, from, to }
    }

    fn place(&self, number: f64) -> f64 {
        let share = match self.scale {
            Scale::Logarithmic => (number / self.low).ln() / (self.high / self.low).ln(),
            _ => (number - self.low) / (self.high - self.low),
        };
        self.from + share * (self.to - self.from)
    }

    /// Round numbers along the axis.
    fn ticks(&self) -> Vec<f64> {
        // Over few factors a logarithm is nearly straight, and equal steps are easier to read.
        if self.scale == Scale::Logarithmic && self.high / self.low > 20.0 {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let all = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade)));
            return all.filter(|tick| (self.low..=self.high).contains(tick)).collect();
        }
        let rough = (self.high - self.low) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|&step| step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|count| count as f64 * step).collect()
    }

    fn label(&self, tick: f64) -> String {
        match self.scale {
            Scale::Share => format!("{:.0} %", tick * 100.0),
            _ => number(tick),
        }
    }
}

/// A number in few digits: `12,000`, `0.0625`, `2.4e-6`.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size >= 1000.0 && value.fract() == 0.0 {
        let digits = format!("{size:.0}");
        let mut text = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        return if value < 0.0 { format!("-{text}") } else { text };
    }
    if size != 0.0 && size < 1e-4 {
        return format!("{value:e}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Chart {
    /// The chart as an `svg` element; `None` if there is no point to draw.
    #[must_use]
    pub fn svg(&self) -> Option<String> {
        let points = self.series.iter().flat_map(|series| series.points.iter().copied());
        points.clone().next()?;
        let x = Axis::new(self.x_scale, points.clone().map(|point| point.0), LEFT, WIDTH - RIGHT);
        let y = Axis::new(self.y_scale, points.map(|point| point.1), HEIGHT - BOTTOM, TOP);
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
            escape(&self.title)
        );
        // Writing to a string cannot fail.
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = write!(svg, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>", x.to);
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 6.0,
                y.label(tick)
            );
        }
        for tick in x.ticks() {
            let at = x.place(tick);
            let _ = write!(svg, "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{}\"/>", y.from);
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                y.from + 22.0,
                x.label(tick)
            );
        }
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(x.from, x.to),
            HEIGHT - 6.0,
            escape(&self.x_name)
        );
        if self.diagonal {
            let _ = write!(
                svg,
                "<line class=\"diagonal\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
                x.from, y.from, x.to, y.to
            );
        }
        for (index, series) in self.series.iter().enumerate() {
            draw(&mut svg, series, index, &x, &y);
        }
        Some(svg + "</svg>")
    }

    /// The names of the lines in their colours, as HTML.
    #[must_use]
    pub fn legend(&self) -> String {
        let mut html = String::from("<p class=\"legend\">");
        for (index, series) in self.series.iter().enumerate() {
            let _ = write!(html, "<span class=\"key line-{index}\"></span>{} ", escape(&series.name));
        }
        html + "</p>"
    }
}

fn draw(svg: &mut String, series: &Series, index: usize, x: &Axis, y: &Axis) {
    let thin = series.points.len().div_ceil(MOST_POINTS).max(1);
    let last = series.points.len().saturating_sub(1);
    let mut path = String::new();
    for (number, &(px, py)) in series.points.iter().enumerate() {
        if number.is_multiple_of(thin) || number == last {
            let _ = write!(path, "{}{:.1} {:.1}", if path.is_empty() { "M" } else { "L" }, x.place(px), y.place(py));
        }
    }
    let _ = write!(svg, "<path class=\"line line-{index}\" d=\"{path}\"/>");
    if series.dots {
        for &(px, py) in &series.points {
            let _ = write!(
                svg,
                "<circle class=\"dot line-{index}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}: {}</title></circle>",
                x.place(px),
                y.place(py),
                x.label(px),
                number(py)
            );
        }
    }
}

/// Text that may stand in HTML, between tags or in a quoted attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, y_scale: Scale) -> Chart {
        Chart {
            title: "a \"<title>\"".to_owned(),
            x_name: "steps".to_owned(),
            x_scale: Scale::Linear,
            y_scale,
            series: vec![Series { name: "one".to_owned(), points, dots: true }],
            diagonal: false,
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(12_000.0, "12,000"), (-1_234_567.0, "-1,234,567"), (0.0625, "0.0625"), (0.0, "0"), (2.4e-6, "2.4e-6")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn points_lie_within_the_axes_and_ticks_are_round() {
        let axis = Axis::new(Scale::Linear, [0.0, 730.0].into_iter(), 0.0, 100.0);
        assert_eq!(axis.ticks(), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!((axis.place(0.0), axis.place(730.0)), (0.0, 100.0));
        let axis = Axis::new(Scale::Logarithmic, [0.001, 0.1].into_iter(), 100.0, 0.0);
        assert_eq!(axis.ticks(), [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]);
        assert!((axis.place(0.01) - 50.0).abs() < 0.1);
        let axis = Axis::new(Scale::Share, std::iter::empty(), 0.0, 1.0);
        assert_eq!(axis.label(axis.ticks()[1]), "20 %");
    }

    #[test]
    fn a_chart_has_its_points_and_no_number_that_is_none() {
        assert_eq!(chart(Vec::new(), Scale::Linear).svg(), None);
        for points in [vec![(0.0, 1.0)], vec![(0.0, 1.0), (1.0, 1.0)], vec![(1.0, 0.1), (2.0, 0.01)]] {
            let dots = points.len();
            for scale in [Scale::Linear, Scale::Logarithmic] {
                let svg = chart(points.clone(), scale).svg().expect("points");
                assert_eq!(svg.matches("<circle").count(), dots);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                assert!(svg.contains("aria-label=\"a &quot;&lt;title&gt;&quot;\""));
            }
        }
    }

    #[test]
    fn long_lines_are_thinned_and_keep_their_end() {
        let svg = chart((0..10_000).map(|x| (f64::from(x), 1.0 + f64::from(x))).collect(), Scale::Linear);
        let svg = Chart { series: vec![Series { dots: false, ..svg.series[0].clone() }], ..svg }.svg().unwrap();
        assert!(svg.matches('L').count() <= MOST_POINTS + 1);
        assert!(svg.contains(&format!("L{:.1} {TOP:.1}\"", WIDTH - RIGHT)), "the last point is in the corner");
    }
}
