//! Scene → trees → image: what `siliray build` does.

use crate::documents::build::{BuildDocument, ImageFigures, TreeFigures};
use crate::input::{Origin, format_options};
use build::{BuildError, Options, Preset, ProgressFn, build};
use machine::registry::{SettingError, WidthError};
use machine::{EncodeError, Encoded, FormatEntry, Settings};
use scene::Scene;

/// The setting of formats that can choose how many children a node has.
const NODE_WIDTH: &str = "node_width";

/// Which trees, and what the last of them is laid out as.
#[derive(Debug, Clone)]
pub struct BuildPlan {
    presets: Vec<Preset>,
    format: Option<&'static FormatEntry>,
    settings: Settings,
    width: Option<usize>,
    max_leaf: Option<usize>,
}

/// What came of it.
#[derive(Debug)]
pub struct BuiltImage {
    /// All figures.
    pub document: BuildDocument,
    /// The image as the bytes of a file, if a format was asked for.
    pub file: Option<Vec<u8>>,
}

/// Why there is no tree or no image.
#[derive(Debug, thiserror::Error)]
pub enum MakeImageError {
    /// An image holds one tree.
    #[error("{0} presets and a format, expected one preset: an image holds one tree")]
    ManyPresets(usize),
    /// The format has no such setting.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The format has no nodes of that width.
    #[error(transparent)]
    Width(#[from] WidthError),
    /// The scene has no tree.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree has no image.
    #[error("{0}")]
    Encode(EncodeError),
}

impl BuildPlan {
    /// Trees of these presets (without any, those that have a use everywhere), with nodes and
    /// leaves of such sizes (or as the format holds them best), and the image of the one tree.
    ///
    /// # Errors
    /// When there is a format and more than one preset, or the format has no such setting or no
    /// nodes as wide.
    pub fn new(
        presets: &[Preset],
        format: Option<(&'static FormatEntry, Settings)>,
        [width, max_leaf]: [Option<usize>; 2],
    ) -> Result<Self, MakeImageError> {
        let presets = match (&format, presets) {
            (None, []) => Preset::BVHS.to_vec(),
            (Some(_), []) => vec![Preset::Balanced],
            (Some(_), [_, _, ..]) => return Err(MakeImageError::ManyPresets(presets.len())),
            _ => presets.to_vec(),
        };
        let Some((format, settings)) = format else {
            let (format, settings) = (None, Settings::default());
            return Ok(Self { presets, format, settings, width, max_leaf });
        };
        format.accepts(&settings)?;
        let settings = with_width(format, settings, width);
        width.map_or(Ok(()), |width| format.accepts_width(&settings, width))?;
        Ok(Self { presets, format: Some(format), settings, width, max_leaf })
    }

    /// Builds and encodes. `ending` is that of the file: some formats have several containers.
    ///
    /// # Errors
    /// When the scene has no tree, or the tree no image.
    pub fn run(
        &self,
        scene: &Scene,
        origin: Origin,
        ending: Option<&str>,
        watch: &ProgressFn<'_>,
    ) -> Result<BuiltImage, MakeImageError> {
        let mut presets = Vec::new();
        let mut made = None;
        for &preset in &self.presets {
            let built = build(scene, &self.options(preset), watch)?;
            presets.push(TreeFigures::from(&built.report));
            made = Some(built.tree);
        }
        let image = match (self.format, made) {
            (Some(format), Some(tree)) => {
                let failed = MakeImageError::Encode;
                let none = || failed(format!("{} holds no trees", format.name).into());
                let trees = format.trees.as_ref().ok_or_else(none)?;
                let encoded: Encoded = (trees.encode)(&tree, &self.settings).map_err(failed)?;
                let bytes = (trees.write)(&encoded.image, ending).map_err(failed)?;
                let (triangles, length) = (tree.triangle_count(), bytes.len());
                let figures =
                    ImageFigures::new(&encoded, format, &self.settings, triangles, length);
                figures.map(|figures| (figures, bytes))
            }
            _ => None,
        };
        let (image, file) = image.unzip();
        let Options { width, max_leaf, .. } = self.options(Preset::Balanced);
        let document = BuildDocument {
            scene: scene.name.clone(),
            source: origin.name(),
            triangles: scene.triangle_count(),
            placed_triangles: scene.placed_triangle_count(),
            instances: scene.instances.len(),
            width,
            max_leaf,
            presets,
            image,
        };
        Ok(BuiltImage { document, file })
    }

    fn options(&self, preset: Preset) -> Options {
        let usual = match self.format {
            Some(format) => format_options(format, &self.settings, preset),
            None => Options::preset(preset),
        };
        let width = self.width.unwrap_or(usual.width);
        Options { width, max_leaf: self.max_leaf.unwrap_or(usual.max_leaf), ..usual }
    }
}

/// Settings for a tree of this width: the nodes of a format that can choose become as wide.
fn with_width(format: &FormatEntry, settings: Settings, width: Option<usize>) -> Settings {
    let known = format.trees.as_ref().map_or(&[][..], |trees| trees.settings);
    let choice = known.iter().find(|setting| setting.key == NODE_WIDTH);
    match (width, choice, settings.get(NODE_WIDTH)) {
        (Some(width), Some(choice), None) => {
            let holds = |value: &&&str| value.parse().is_ok_and(|most: usize| most >= width);
            match choice.values.iter().find(holds) {
                Some(value) => settings.with(NODE_WIDTH, *value),
                None => settings,
            }
        }
        _ => settings,
    }
}
