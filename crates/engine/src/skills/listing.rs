//! The catalog for people and frameworks, in pages: the skills of a category that a policy shows.
//!
//! The order is that of paths, with the skills that the catalog omits. A page is a stretch of this order with the
//! findings of the stretch. So each finding is on exactly one page.

use std::{borrow::Cow, sync::Arc};

use crate::{
    catalog::{CatalogDiagnostic, CatalogEntry, CatalogView},
    limits::PAGE_ENTRIES,
    path::SkillPath,
    wire::Policy,
};

/// The part of a catalog that a policy shows; both lists in byte order of the paths.
#[derive(Debug)]
pub struct Listing<'view> {
    /// The skills.
    pub skills: Vec<&'view Arc<CatalogEntry>>,
    /// The findings in the SKILL.md of these skills and of skills left out of the catalog. None names a skill that is not shown.
    pub diagnostics: Vec<Cow<'view, CatalogDiagnostic>>,
}

/// A stretch of a listing.
#[derive(Debug)]
pub struct ListingPage<'listing> {
    /// Its skills.
    pub skills: Vec<&'listing Arc<CatalogEntry>>,
    /// The findings of this stretch.
    pub diagnostics: Vec<&'listing CatalogDiagnostic>,
    /// The path it ends with, if more follow.
    pub next_cursor: Option<&'listing str>,
}

impl<'view> Listing<'view> {
    /// The skills that `policy` shows in `category` and below it; without a category, all skills that `policy` shows.
    #[must_use]
    pub fn from_view(view: &'view CatalogView, policy: &Policy, category: Option<&str>) -> Self {
        let category = category.unwrap_or_default();
        let is_shown = |skill: &SkillPath| skill.is_in(category) && policy.skill(skill).is_visible();
        let seen = view.visible_diagnostics(|folder| policy.folder(folder).is_visible());
        let seen: Vec<Cow<'view, CatalogDiagnostic>> = match seen {
            Cow::Borrowed(all) => all.iter().map(Cow::Borrowed).collect(),
            Cow::Owned(some) => some.into_iter().map(Cow::Owned).collect(),
        };
        Self {
            skills: view.entries.iter().filter(|entry| is_shown(&entry.skill)).collect(),
            diagnostics: seen.into_iter().filter(|found| lies_in(&found.skill, category)).collect(),
        }
    }

    /// The page that begins after `cursor`, of `limit` skills at most. It goes on to the next skill, or over
    /// [`PAGE_ENTRIES`] skills that are left out.
    #[must_use]
    pub fn page(&self, cursor: Option<&str>, limit: usize) -> ListingPage<'_> {
        let follows = |path: &str| cursor.is_none_or(|cursor| path > cursor);
        let mut skills = self.skills.iter().copied().filter(|entry| follows(entry.skill.as_str())).peekable();
        let mut findings =
            self.diagnostics.iter().map(|found| &**found).filter(|found| follows(&found.skill)).peekable();
        let mut page = ListingPage { skills: Vec::new(), diagnostics: Vec::new(), next_cursor: None };
        let (mut left_out, mut last) = (0, None);
        loop {
            let skill = skills.peek().map(|entry| entry.skill.as_str());
            let finding = findings.peek().map(|found| found.skill.as_str());
            let Some(next) = skill.into_iter().chain(finding).min() else { return page };
            let is_skill = skill == Some(next);
            let is_full = if is_skill { page.skills.len() == limit } else { left_out == PAGE_ENTRIES };
            if is_full {
                page.next_cursor = last;
                return page;
            }
            if is_skill {
                page.skills.extend(skills.next());
            } else {
                left_out += 1;
            }
            while let Some(found) = findings.next_if(|found| found.skill == next) {
                page.diagnostics.push(found);
            }
            last = Some(next);
        }
    }
}

/// Whether `path` lies in `category`; the path of the whole catalog lies in all.
fn lies_in(path: &str, category: &str) -> bool {
    let category = category.trim_matches('/');
    let below = path.strip_prefix(category);
    path.is_empty() || below.is_some_and(|rest| category.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::discover,
        clock::SystemClock,
        path::{Id, Namespace},
        store::MemoryStore,
    };

    async fn catalog(skills: &[(&str, &str)]) -> Arc<CatalogView> {
        let store = MemoryStore::new();
        for (skill, name) in skills {
            let text =
                if name.is_empty() { "none".to_owned() } else { format!("---\nname: {name}\ndescription: d\n---\n") };
            store.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
        }
        let space = Namespace::parse("").unwrap().user(&Id::parse("u1").unwrap()).unwrap();
        discover(&store, &space, &SystemClock::new(), None).await.unwrap().view().clone()
    }

    /// The skills of each page, and the skills its findings are about.
    fn pages(listing: &Listing<'_>, limit: usize) -> Vec<(Vec<String>, Vec<String>)> {
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let page = listing.page(cursor.as_deref(), limit);
            let skills = page.skills.iter().map(|entry| entry.skill.to_string()).collect();
            pages.push((skills, page.diagnostics.iter().map(|found| found.skill.clone()).collect()));
            match page.next_cursor {
                None => return pages,
                next => cursor = next.map(str::to_owned),
            }
        }
    }

    // S-LIMIT-4: A page of a listing has the findings of its own skills and no others, and the total number of
    // findings.
    #[tokio::test]
    async fn each_finding_is_on_one_page_beside_its_skill_or_where_that_would_be() {
        let view = catalog(&[("a/x", "other"), ("b/x", ""), ("c/x", "x"), ("d/x", "more"), ("e/x", "")]).await;
        let policy = Policy::default();
        let listing = Listing::from_view(&view, &policy, None);
        let of = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
        let count = |path: &str| view.diagnostics.iter().filter(|found| found.skill == path).count();
        let found =
            |paths: &[&str]| paths.iter().flat_map(|path| vec![path.to_string(); count(path)]).collect::<Vec<_>>();
        assert!(count("a/x") > 1 && count("b/x") == 1);
        let expected = [
            (of(&["a/x"]), found(&["a/x", "b/x"])),
            (of(&["c/x"]), found(&["c/x"])),
            (of(&["d/x"]), found(&["d/x", "e/x"])),
        ];
        assert_eq!(pages(&listing, 1), expected);
        let told: usize = pages(&listing, 2).iter().map(|(_, findings)| findings.len()).sum();
        assert_eq!(told, listing.diagnostics.len());
        let of_category = Listing::from_view(&view, &policy, Some("b"));
        assert_eq!((of_category.skills.len(), of_category.diagnostics.len()), (0, 1));
    }

    #[tokio::test]
    async fn as_many_skills_that_are_left_out_as_a_page_holds_are_on_it_and_one_more_is_not() {
        let names: Vec<_> = (0..=PAGE_ENTRIES).map(|number| format!("s{number:05}")).collect();
        let skills: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
        let view = catalog(&skills).await;
        let sizes: Vec<_> = pages(&Listing::from_view(&view, &Policy::default(), None), 1)
            .iter()
            .map(|(_, found)| found.len())
            .collect();
        assert_eq!(sizes, [PAGE_ENTRIES, 1]);
    }
}
