//! A catalog prepared for searches: the index of its words and, with an encoder, the meaning of its skills.

use std::sync::{Arc, atomic::Ordering};

use futures_util::future::join_all;

use super::{
    audience_view::{AudienceView, Searchable},
    layer_state::Freshness,
    layers::Audience,
    reading::read_audience,
    registry::Catalogs,
    vectors::{CatalogVectors, EncodingPriority, EncodingProgress, VectorStore},
    view::CatalogView,
};
use crate::{encoder::Encoder, words::Similarity};
use crate::{error::Result, limits::VECTORS_AWAITED};

impl Catalogs {
    /// Adds an encoder, so that skills are also found by meaning. Vectors are read from the bucket. New vectors are
    /// written there while there is access.
    #[must_use]
    pub fn with_encoder(mut self, encoder: Arc<dyn Encoder>) -> Self {
        let (store, workers) = (self.store.clone(), self.index_builder.workers.clone());
        self.meanings = Some(VectorStore::new(encoder, store, self.clock.clone(), workers, self.access.clone()));
        self
    }

    /// Makes the vectors that the skills of `audience` lack and waits for them, [`VECTORS_AWAITED`] at most: for a
    /// process that ends with its answer. `told` is called with how many skills of how many were encoded. A failure is
    /// logged, and the search is lexical. Without an encoder it does nothing.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn encode_skills(&self, audience: impl Into<Audience>, told: &EncodingProgress) -> Result<()> {
        let Some(meanings) = &self.meanings else { return Ok(()) };
        let audience = audience.into();
        let (looked, ()) =
            tokio::join!(read_audience(self, &audience, Freshness::Known), read_vectors(self, &audience));
        looked?;
        let until = self.clock.uptime() + VECTORS_AWAITED;
        for owner in audience.owners(self.layers) {
            let Some(slot) = self.kept.peek(&owner) else { continue };
            if let Some(own) = slot.cached() {
                let key = owner.space(&self.namespace)?.vectors()?;
                let pace = EncodingPriority::Awaited { until, told };
                meanings.make_now(&key, &owner, &slot.vectors, (own.discovery.view(), pace)).await;
            }
        }
        Ok(())
    }

    /// The catalog of `audience` with its search index. Each index is built once, however many callers ask. While a
    /// changed catalog is indexed again, unless it is small, the index is that of the previous catalog.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub async fn searchable(&self, audience: impl Into<Audience>) -> Result<Searchable> {
        let audience = audience.into();
        let (looked, ()) =
            tokio::join!(read_audience(self, &audience, Freshness::Known), read_vectors(self, &audience));
        let (view, audience_view) = looked?;
        let searchable = self.index_builder.searchable(&audience_view, &audience, view).await?;
        let meaning = current_meaning(self, &audience, &audience_view, &searchable.view).await;
        Ok(Searchable { meaning, ..searchable })
    }

    /// The identity of the encoder, if there is one.
    #[must_use]
    pub fn encoder(&self) -> Option<&str> {
        self.meanings.as_ref().map(|meanings| meanings.encoder.identity())
    }

    /// The number of search indexes that this process built.
    #[must_use]
    pub fn indexes_built(&self) -> u64 {
        self.index_builder.builds.load(Ordering::Relaxed)
    }

    /// The likeness in meaning of the skills of `catalog` to the nearest part of a question.
    /// [`telling_parts`](crate::words::SearchIndex::telling_parts) gives these parts. `None` if the likeness is not
    /// known now: then only words count. Many skills are compared by a worker, as work of `owner`.
    ///
    /// # Errors
    /// `internal` if that worker panics.
    pub async fn nearness(&self, owner: &str, catalog: &Searchable, parts: &[String]) -> Result<Option<Similarity>> {
        let (Some(meanings), Some(meaning)) = (&self.meanings, &catalog.meaning) else { return Ok(None) };
        let Some(vectors) = meanings.question(parts).await else { return Ok(None) };
        let steps = meaning.steps(&vectors);
        let (meaning, index) = (Arc::clone(meaning), Arc::clone(&catalog.index));
        let errand = self.index_builder.workers.errand(owner, steps);
        let nearness = errand.run_sized(steps, move |_| Ok(meaning.nearness(&index, &vectors))).await?;
        if nearness.is_none() {
            meanings.doubt();
        }
        Ok(nearness)
    }
}

/// Reads the vectors of the layers that `audience` sees, if they were not read before.
async fn read_vectors(catalogs: &Catalogs, audience: &Audience) {
    let Some(meanings) = &catalogs.meanings else { return };
    let owners = audience.owners(catalogs.layers);
    let (slots, _) = catalogs.kept.in_use(audience, &owners);
    join_all(owners.iter().zip(&slots).map(async |(owner, slot)| {
        if let Ok(key) = owner.space(&catalogs.namespace).and_then(|space| space.vectors()) {
            meanings.read(&key, owner, &slot.vectors).await;
        }
    }))
    .await;
}

/// The meaning of the skills of `view`, if each has its vector. A few that are missing are made on the spot, and
/// more behind the request.
async fn current_meaning(
    catalogs: &Catalogs,
    audience: &Audience,
    audience_view: &Arc<AudienceView>,
    view: &Arc<CatalogView>,
) -> Option<Arc<CatalogVectors>> {
    let meanings = catalogs.meanings.as_ref()?;
    let mut layers = Vec::new();
    for owner in audience.owners(catalogs.layers) {
        let slot = catalogs.kept.peek(&owner)?;
        let (key, own) = (owner.space(&catalogs.namespace).ok()?.vectors().ok()?, slot.cached()?);
        meanings.catch_up(&key, &owner, &slot.vectors, own.discovery.view()).await;
        let vectors = meanings.of_layer(key, &owner, &slot.vectors, own.discovery.view());
        if slot.vectors.are_new() {
            catalogs.kept.weigh_layer(&owner, &slot, slot.bytes());
        }
        layers.push((owner.layer(), vectors));
    }
    // Each layer is asked before any is found to lack vectors, so that all of them are made.
    let layers: Vec<_> = layers.into_iter().map(|(layer, vectors)| Some((layer, vectors?))).collect::<Option<_>>()?;
    let mut known = audience_view.meaning();
    if !known.as_ref().is_some_and(|known| known.is_of(view, &layers)) {
        *known = CatalogVectors::from_layers(view, &layers).map(Arc::new);
    }
    known.clone()
}
