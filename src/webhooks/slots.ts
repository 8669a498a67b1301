import { MAX_PER_USER, type ClaimedDelivery, type DueUser } from './delivery-queue.ts';

export interface SlotLimits {
  /** Requests of this process at the same time. */
  readonly total: number;
  /** Of those, requests that have not taken {@link QUICK_MS} yet. */
  readonly young: number;
  /** To one host name. */
  readonly perHost: number;
}

export const SLOT_LIMITS: SlotLimits = { total: 1_024, young: 512, perHost: 20 };

/** An attempt that ends within this is quick. */
export const QUICK_MS = 1_000;
/** Share of all slots that only users whose receiver was quick the last time may use. */
const RESERVED_SHARE = 0.25;
const MAX_REMEMBERED = 20_000;

type Place = Pick<ClaimedDelivery, 'id' | 'userId' | 'host'>;

/** Which deliveries may be sent at the same time. */
export interface Slots {
  /** How many deliveries of each user may be claimed now; users that may have none are left out. */
  plan(users: readonly DueUser[]): readonly { readonly userId: string; readonly count: number }[];
  take(delivery: Place): void;
  /** `quick`: the receiver answered 200 within {@link QUICK_MS}. */
  release(delivery: Place, quick: boolean): void;
  readonly used: number;
  readonly free: number;
}

/**
 * Slots that slow receivers cannot use up. A user begins with one request at a time and earns up to `MAX_PER_USER` by quick
 * answers; a slow answer takes it back to one. A request that is slow gives its place among the young ones free, so that
 * hanging receivers hold up others for {@link QUICK_MS} at most, until they fill the total; the last quarter of that is
 * for receivers known to be quick. `clock` counts milliseconds and never goes back.
 */
export function createSlots(limits: SlotLimits, clock: () => number = () => performance.now()): Slots {
  const young = new Map<string, number>();
  const byUser = new Map<string, number>();
  const byHost = new Map<string, number>();
  const earned = new Map<string, number>();
  let used = 0;

  function freeYoung(): number {
    const now = clock();
    for (const [id, since] of young) {
      if (now - since < QUICK_MS) break;
      young.delete(id);
    }
    return limits.young - young.size;
  }

  function remember(userId: string, quick: boolean): void {
    const before = earned.get(userId) ?? 1;
    earned.delete(userId);
    if (!quick) return;
    earned.set(userId, Math.min(before + 1, MAX_PER_USER));
    if (earned.size > MAX_REMEMBERED) earned.delete(earned.keys().next().value as string);
  }

  return {
    get used() {
      return used;
    },
    get free() {
      return Math.max(0, Math.min(limits.total - used, freeYoung()));
    },
    plan(users) {
      let left = Math.min(limits.total - used, freeYoung());
      const openLeft = (): number => Math.floor(limits.total * (1 - RESERVED_SHARE)) - (used + planned);
      let planned = 0;
      const hosts = new Map<string, number>();
      const counts: { userId: string; count: number }[] = [];
      for (const { userId, host, due } of users) {
        const allowed = earned.get(userId) ?? 1;
        const atHost = (byHost.get(host) ?? 0) + (hosts.get(host) ?? 0);
        const wanted = Math.min(due, allowed - (byUser.get(userId) ?? 0), limits.perHost - atHost, left);
        const count = earned.has(userId) ? wanted : Math.min(wanted, openLeft());
        if (count <= 0) continue;
        counts.push({ userId, count });
        hosts.set(host, (hosts.get(host) ?? 0) + count);
        planned += count;
        left -= count;
      }
      return counts;
    },
    take({ id, userId, host }) {
      used++;
      young.set(id, clock());
      byUser.set(userId, (byUser.get(userId) ?? 0) + 1);
      byHost.set(host, (byHost.get(host) ?? 0) + 1);
    },
    release({ id, userId, host }, quick) {
      used--;
      young.delete(id);
      countDown(byUser, userId);
      countDown(byHost, host);
      remember(userId, quick);
    },
  };
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}
