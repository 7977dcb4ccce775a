//! Pages of users.

use super::Users;
use crate::{
    error::{Code, Error, Result},
    limits::{LIST_OBJECTS, PAGE_ENTRIES},
    path::Id,
    store::ListOptions,
    wire::{User, UserList, UserListRequest},
};

impl Users {
    /// A page of the users who have objects in the store. Folders whose names are no ids, as those of teams and of the
    /// organisation, are no users.
    ///
    /// # Errors
    /// `invalid_request` if the limit is out of range; the store's.
    pub async fn list_users(&self, wanted: &UserListRequest) -> Result<UserList> {
        let limit = wanted.limit.unwrap_or(PAGE_ENTRIES);
        if !(1..=PAGE_ENTRIES).contains(&limit) {
            let message = format!("limit is {limit}: ask for 1 to {PAGE_ENTRIES} users");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let mut page = self.users_after(wanted.cursor.as_deref()).await?;
        // A client may take an empty page for the last one. So many folders of other tools are passed over, and no more.
        for _ in 1..LIST_OBJECTS / PAGE_ENTRIES {
            if !page.users.is_empty() || page.next_cursor.is_none() {
                break;
            }
            page = self.users_after(page.next_cursor.as_deref()).await?;
        }
        if page.users.len() > limit {
            page.users.truncate(limit);
            page.next_cursor = page.users.last().map(|last| format!("{}/", last.user_id));
        }
        Ok(page)
    }

    /// The users among the next folders.
    async fn users_after(&self, cursor: Option<&str>) -> Result<UserList> {
        let prefix = self.core.namespace().prefix();
        let options = ListOptions { delimiter: true, max_entries: Some(PAGE_ENTRIES), ..ListOptions::default() };
        let options = match cursor {
            // The contents of a folder come after its own name, and must not list the folder again.
            Some(cursor) if cursor.ends_with('/') => options.with_start_after(format!("{prefix}{cursor}{}", char::MAX)),
            Some(cursor) => options.with_start_after(format!("{prefix}{cursor}")),
            None => options,
        };
        let page = self.core.store().list(prefix, options).await?;
        let relative = |key: &str| prefix.relative(key).map(str::to_owned);
        let last = page.folders.last().max(page.objects.last().map(|entry| &entry.key)).and_then(|key| relative(key));
        let ids = page.folders.iter().filter_map(|folder| Id::parse(prefix.relative(folder)?.strip_suffix('/')?).ok());
        let users = ids.map(|user_id| User { user_id }).collect();
        Ok(UserList { users, next_cursor: last.filter(|_| page.next.is_some()) })
    }
}
