import type { NewAct } from '../auth/audit-log.ts';
import { Problem } from '../errors.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import type { Store } from '../db/open-store.ts';
import { giveOwned, listUsers, removeUser, type OwnedThings, type UserOverview } from '../db/remove-user.ts';

export type { OwnedThings, UserOverview } from '../db/remove-user.ts';

/** What becomes of the collections of a user who is removed. */
export type Legacy =
  | { readonly kind: 'keep' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'give'; readonly to: string };

/** Users as the command line manages them. Ids are those of local users, or whatever owns something. */
export interface UsersAdmin {
  listUsers(): Promise<readonly UserOverview[]>;
  /** Throws `Problem('conflict')` while a task of the user is unfinished. */
  removeUser(request: { readonly id: string; readonly legacy: Legacy; readonly act?: NewAct }): Promise<OwnedThings>;
  giveOwned(request: { readonly from: string; readonly to: string; readonly act?: NewAct }): Promise<OwnedThings>;
}

export function createUsersAdmin(store: Store): UsersAdmin {
  const { db } = store;
  return {
    listUsers: () => listUsers(db),
    giveOwned: ({ from, to, act }) => giveOwned(db, from, to, act),
    async removeUser({ id, legacy, act }) {
      const owned = await removeUser(db, id, legacy.kind === 'give' ? legacy.to : null, act);
      if (legacy.kind === 'delete') await deleteCollections(store, id);
      return owned;
    },
  };
}

/** Nobody can begin a task for them any more: their user is gone. */
async function deleteCollections(store: Store, userId: string): Promise<void> {
  const collections = createCollectionStore(store);
  for (;;) {
    const page = await collections.list(userId, { limit: 100 });
    if (page.length === 0) return;
    for (const { id } of page)
      if ((await collections.delete(userId, id)) === 'busy')
        throw new Problem('conflict', `A task began to work on the collection ${id}; cancel it and call again.`);
  }
}
