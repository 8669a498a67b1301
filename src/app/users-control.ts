import type { NewAct } from '../auth/audit-log.ts';
import type { Store } from '../db/open-store.ts';
import {
  giveOwned,
  type Legacy,
  listUsers,
  removeUser,
  type OwnedThings,
  type UserOverview,
} from '../db/remove-user.ts';

export type { Legacy, OwnedThings, UserOverview } from '../db/remove-user.ts';

/** Users as the command line manages them. Ids are those of local users, or whatever owns something. */
export interface UsersAdmin {
  listUsers(): Promise<readonly UserOverview[]>;
  /** Throws `Problem('conflict')`, and removes nothing, while a task of the user is unfinished. */
  removeUser(request: { readonly id: string; readonly legacy: Legacy; readonly act?: NewAct }): Promise<OwnedThings>;
  giveOwned(request: { readonly from: string; readonly to: string; readonly act?: NewAct }): Promise<OwnedThings>;
}

export function createUsersAdmin({ db }: Pick<Store, 'db'>): UsersAdmin {
  return {
    listUsers: () => listUsers(db),
    giveOwned: ({ from, to, act }) => giveOwned(db, from, to, act),
    removeUser: ({ id, legacy, act }) => removeUser(db, id, legacy, act),
  };
}
