//! The check of one user, or of the whole store.

use std::sync::Arc;

use super::{Upkeep, audit, bucket, bundles, derived, drafts, search, sessions, skills, survey::OwnerObjects};
use crate::{
    error::Result,
    path::{Id, KeyPrefix, UserSpace},
    store::ListOptions,
    users::Users,
    wire::{FsckReport, UserListRequest},
};

impl Upkeep {
    /// Checks every object that the core keeps for a user. With `repair`, fixes each fault that can be fixed without losing
    /// anything.
    ///
    /// # Errors
    /// The store's. The report contains the faults of objects.
    pub async fn check_user(&self, user: &Id, repair: bool) -> Result<FsckReport> {
        let mut report = FsckReport::default();
        self.check_into(&mut report, user, repair).await?;
        Ok(finished(report))
    }

    /// As [`check_user`](Self::check_user), for every user, for teams and the organisation, and for objects without an owner.
    ///
    /// # Errors
    /// As [`check_user`](Self::check_user).
    pub async fn check_everybody(&self, repair: bool) -> Result<FsckReport> {
        let mut report = FsckReport::default();
        let mut wanted = UserListRequest::default();
        loop {
            let page = Users::new(Arc::clone(&self.core)).list_users(&wanted).await?;
            for user in page.users {
                self.check_into(&mut report, &user.user_id, repair).await?;
            }
            wanted.cursor = page.next_cursor;
            if wanted.cursor.is_none() {
                break;
            }
        }
        let teams = self.teams().await?;
        for team in teams {
            self.check_shared(&mut report, format!("_teams/{team}"), self.core.namespace().team(&team)?, repair)
                .await?;
        }
        self.check_shared(&mut report, "_org".to_owned(), self.core.namespace().org()?, repair).await?;
        let (objects, findings) = bucket::check(&self.core, repair).await?;
        report.objects += objects;
        report.findings.extend(findings);
        Ok(finished(report))
    }

    async fn check_into(&self, report: &mut FsckReport, user: &Id, repair: bool) -> Result<()> {
        let space = self.core.namespace().user(user)?;
        let mut survey = OwnerObjects::read(&self.core, user.to_string(), space, repair).await?;
        skills::check(&self.core, &mut survey).await?;
        drafts::check(&self.core, &mut survey).await?;
        let loaded = sessions::check(&self.core, &mut survey, user).await?;
        bundles::check(&self.core, &mut survey, loaded.as_ref()).await?;
        audit::check(&self.core, &mut survey).await?;
        derived::check_index(&self.core, &mut survey).await?;
        derived::check_user(&self.core, &mut survey, user).await?;
        search::check_vectors(&self.core, &mut survey).await?;
        search::check_feedback(&self.core, &mut survey).await?;
        take(report, survey);
        Ok(())
    }

    /// Checks what a team or the organisation has: skills, their vectors, and records of changes.
    async fn check_shared(&self, report: &mut FsckReport, owner: String, space: UserSpace, repair: bool) -> Result<()> {
        let mut survey = OwnerObjects::read(&self.core, owner, space, repair).await?;
        if survey.objects.is_empty() {
            return Ok(());
        }
        skills::check(&self.core, &mut survey).await?;
        // Sessions of others load shared skills, so no bundle counts as unused.
        bundles::check(&self.core, &mut survey, None).await?;
        audit::check(&self.core, &mut survey).await?;
        search::check_vectors(&self.core, &mut survey).await?;
        take(report, survey);
        Ok(())
    }

    async fn teams(&self) -> Result<Vec<Id>> {
        let all: KeyPrefix = self.core.namespace().prefix().folder("_teams")?;
        let (mut teams, mut page) = (Vec::new(), None);
        loop {
            let listed = self.core.store().list(&all, ListOptions::default().with_delimiter().with_page(page)).await?;
            let named =
                listed.folders.iter().filter_map(|folder| Id::parse(all.relative(folder)?.strip_suffix('/')?).ok());
            teams.extend(named);
            page = listed.next;
            if page.is_none() {
                return Ok(teams);
            }
        }
    }
}

fn take(report: &mut FsckReport, survey: OwnerObjects) {
    report.owners += 1;
    report.objects += survey.objects.len() as u64;
    report.findings.extend(survey.findings);
}

fn finished(report: FsckReport) -> FsckReport {
    let clean = !report.findings.iter().any(crate::wire::FsckFinding::is_wrong);
    FsckReport { clean, ..report }
}
