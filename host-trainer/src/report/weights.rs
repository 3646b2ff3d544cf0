//! A network and the picture of its first layer.

use std::path::Path;

use anyhow::{Context, bail};
use base64::{Engine, engine::general_purpose::STANDARD};
use engine_core::net::features::INPUTS;
use maud::{Markup, html};
use quantize::{
    blob::Blob,
    integer_net::IntegerNet,
    picture,
    settings::Overrides,
    source::{self, Net},
};

use super::chart::number;

/// A network, as the engine computes it.
#[derive(Clone, Debug)]
pub struct Network {
    /// Its blob.
    pub blob: Blob,
    /// Where it came from, for people.
    pub origin: String,
}

/// Reads a blob, or makes one of float weights.
///
/// # Errors
/// If the file is neither, or the engine could not use it.
pub fn read(path: &Path) -> anyhow::Result<Network> {
    let name = path.display();
    if source::is_blob(path)? {
        return Ok(Network { blob: Blob::read(path)?, origin: name.to_string() });
    }
    let Net::Value(net, settings) = source::read_net(path, &Overrides::default())? else {
        bail!("{name} is a policy net: only those that judge positions are drawn");
    };
    let (integers, _) = IntegerNet::quantise(&net, &settings, false).with_context(|| name.to_string())?;
    let blob = integers.to_blob().with_context(|| name.to_string())?;
    Ok(Network { blob, origin: format!("{name}, rounded to integers") })
}

/// What the network says of itself, and its first layer.
///
/// # Errors
/// If the picture cannot be made.
pub fn section(network: &Network) -> anyhow::Result<Markup> {
    let net = IntegerNet::from_blob(&network.blob)?;
    let shape = &net.shape;
    let later: Vec<String> = shape.later_layers().map(|(_, units)| units.to_string()).collect();
    let facts = [
        ("name", net.name.clone()),
        ("from", network.origin.clone()),
        ("how it was made", net.record.clone()),
        ("layers", format!("2 × ({INPUTS} → {}) → {}", shape.width, later.join(" → "))),
        ("bytes", number(network.blob.bytes().len() as f64)),
        ("checksum", format!("{:08x}", network.blob.checksum())),
    ];
    let weights = net.dequantise().features.weights;
    let picture = format!("data:image/png;base64,{}", STANDARD.encode(picture::png(&weights)?));
    Ok(html! {
        dl class="settings" {
            @for (name, value) in &facts { div { dt { (name) } dd { (value) } } }
        }
        figure class="weights" {
            figcaption {
                "The first layer. Each unit is twelve boards: own pieces above, the opponent's below, from pawn to king. \
                 Red: the unit likes the piece there; blue: it does not."
            }
            img src=(picture) alt="Weights of the first layer, a board for each piece and unit";
        }
    })
}

#[cfg(test)]
mod tests {
    use engine_core::nets;

    use super::*;

    #[test]
    fn a_network_is_described_with_its_picture_inside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.net");
        std::fs::write(&path, nets::VALUE_32).unwrap();
        let html = section(&read(&path).unwrap()).unwrap().into_string();
        assert!(html.contains("2 × (704 → 32)"), "{html}");
        let png = html.split("base64,").nth(1).and_then(|rest| rest.split('"').next()).expect("a picture");
        assert_eq!(&STANDARD.decode(png).unwrap()[..4], b"\x89PNG");
        std::fs::write(&path, b"nonsense").unwrap();
        read(&path).expect_err("no network");
    }
}
