//! The vectors of a whole catalog, which may be of several layers.

use std::sync::Arc;

use super::layer::LayerVectors;
use crate::{
    catalog::{CatalogEntry, view::CatalogView},
    path::Layer,
    words::{NUMBERS_PER_STEP, QuantizedVector, SearchIndex, Similarity},
};

/// A vector for each skill of a catalog.
#[derive(Debug)]
pub struct CatalogVectors {
    view: Arc<CatalogView>,
    layers: Vec<Arc<LayerVectors>>,
    /// For each entry of the view, the layer and the place of its vector there.
    places: Vec<(usize, usize)>,
}

impl CatalogVectors {
    /// The vectors of `view`, from its layers; `None` if a skill lacks a vector.
    pub(in crate::catalog) fn from_layers(
        view: &Arc<CatalogView>,
        layers: &[(Layer, Arc<LayerVectors>)],
    ) -> Option<Self> {
        let place = |entry: &Arc<CatalogEntry>| {
            let at = layers.iter().position(|(layer, _)| *layer == entry.layer)?;
            Some((at, layers.get(at)?.1.place(entry)?))
        };
        let places = view.entries.iter().map(place).collect::<Option<_>>()?;
        Some(Self { view: view.clone(), layers: layers.iter().map(|(_, layer)| layer.clone()).collect(), places })
    }

    /// Whether it is of this catalog and these vectors.
    pub(in crate::catalog) fn is_of(&self, view: &Arc<CatalogView>, layers: &[(Layer, Arc<LayerVectors>)]) -> bool {
        let same = |(one, (_, other)): (&Arc<LayerVectors>, &(Layer, Arc<LayerVectors>))| Arc::ptr_eq(one, other);
        Arc::ptr_eq(&self.view, view) && self.layers.len() == layers.len() && self.layers.iter().zip(layers).all(same)
    }

    /// The steps that it takes to compare each skill with the parts of a question, which have these vectors.
    pub(in crate::catalog) fn steps(&self, question: &[Vec<f32>]) -> u64 {
        let numbers: usize = question.iter().map(Vec::len).sum();
        (self.places.len() * numbers.div_ceil(NUMBERS_PER_STEP)) as u64
    }

    /// How near each skill of `index` is to the nearest of the parts of a question, which have these vectors; `None` if one of
    /// them is of another kind.
    pub(in crate::catalog) fn nearness(&self, index: &SearchIndex, question: &[Vec<f32>]) -> Option<Similarity> {
        let parts = question.iter().map(|part| QuantizedVector::quantize(part)).collect::<Option<Vec<_>>>()?;
        let background = self.layers.first()?.background;
        let is_alike = |layer: &Arc<LayerVectors>| parts.iter().all(|part| layer.dimensions == part.numbers.len());
        if !self.layers.iter().all(is_alike) {
            return None;
        }
        let cosine = |(at, place): &(usize, usize)| {
            let layer = self.layers.get(*at)?;
            parts.iter().map(|part| layer.cosine(*place, part)).reduce(f32::max)
        };
        let skills = self.view.entries.iter().map(|entry| &entry.skill).zip(self.places.iter().map(cosine));
        let cosines = skills.filter_map(|(skill, cosine)| Some((skill, cosine?)));
        Some(Similarity::new(index, background, cosines).after(self.steps(question)))
    }

    /// The bytes that it takes without the layers.
    pub(in crate::catalog) fn memory_bytes(&self) -> usize {
        self.places.capacity() * size_of::<(usize, usize)>()
    }
}
