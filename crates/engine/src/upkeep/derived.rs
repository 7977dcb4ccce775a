//! Objects that are made from others, and the policy.

use super::survey::OwnerObjects;
use crate::{
    catalog::IndexState,
    context::Core,
    error::Result,
    json,
    path::{Id, ObjectKey},
    session::{SessionError, read_user_policy},
    store::{CachePolicy, GetOptions, StoreError},
    wire::FindingCode,
};

/// Checks the index of the catalog.
pub(super) async fn check_index(core: &Core, survey: &mut OwnerObjects) -> Result<()> {
    let index = IndexState::read(&**core.store(), &survey.space).await?;
    if let Some(IndexState { key, as_of: Err(why), .. }) = index {
        rebuild(core, survey, FindingCode::DamagedIndex, &key, &why).await?;
    }
    Ok(())
}

/// Checks the counts of uses and the policy of a user.
pub(super) async fn check_user(core: &Core, survey: &mut OwnerObjects, user: &Id) -> Result<()> {
    let counts = survey.space.uses()?;
    match core.store().get(&counts, GetOptions::default().with_keep(CachePolicy::Not)).await {
        Ok(object) => {
            if let Err(fault) = json::from_slice::<serde_json::Value>(&object.bytes) {
                rebuild(core, survey, FindingCode::DamagedUses, &counts, &fault.to_string()).await?;
            }
        }
        Err(StoreError::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    match read_user_policy(core.sessions(), user).await {
        Err(SessionError::Damaged(damage)) => {
            let key = survey.space.policy()?.to_string();
            survey.find(FindingCode::DamagedPolicy, key, damage.message().to_owned());
            Ok(())
        }
        other => Ok(other.map(drop)?),
    }
}

/// Notes a derived object that cannot be used, and deletes it if the check repairs.
pub(super) async fn rebuild(
    core: &Core,
    survey: &mut OwnerObjects,
    finding: FindingCode,
    key: &ObjectKey,
    why: &str,
) -> Result<()> {
    let relative = survey.space.root().relative(key.as_str()).unwrap_or_default();
    let listed = survey.objects.get(relative).cloned();
    let repaired = match listed {
        Some(entry) if survey.repair => survey.delete(core, key, &entry).await?,
        _ => false,
    };
    survey.find_repaired(finding, key.as_str(), why, repaired);
    Ok(())
}
