import { MAX_PER_USER, type ClaimedDelivery, type DueUser } from './delivery-queue.ts';

export interface SlotLimits {
  /** Requests of this process at the same time. */
  readonly total: number;
  /** Of those, requests that have not taken {@link QUICK_MS} yet. */
  readonly young: number;
  /** To one registered address, whoever registered it. */
  readonly perAddress: number;
  /** To one host name, requests that have not taken {@link HOST_MS} yet. */
  readonly youngPerHost: number;
}

export const SLOT_LIMITS: SlotLimits = { total: 1_024, young: 512, perAddress: 20, youngPerHost: 128 };

/** An attempt that ends within this is quick. */
export const QUICK_MS = 1_000;
/** After this a request that waits is the receiver's affair, and its place at the host is free for other receivers there. */
const HOST_MS = 250;
/** Share of each limit, except that of an address, that only users whose receiver was quick the last time may use. */
const RESERVED_SHARE = 0.25;
const MAX_REMEMBERED = 20_000;

type Place = Pick<ClaimedDelivery, 'id' | 'userId' | 'host' | 'url'>;

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
 * hanging receivers hold up others for {@link QUICK_MS} at most, and others of the same host for a share of it, until they
 * fill the total. The last quarter of every limit is for receivers known to be quick. `clock` counts milliseconds and never
 * goes back.
 */
export function createSlots(limits: SlotLimits, clock: () => number = () => performance.now()): Slots {
  const young = createYoung(QUICK_MS, clock);
  const youngAtHost = new Map<string, Young>();
  const byUser = new Map<string, number>();
  const byAddress = new Map<string, number>();
  const earned = new Map<string, number>();
  let used = 0;

  function atHost(host: string): number {
    const there = youngAtHost.get(host);
    const count = there?.count() ?? 0;
    if (count === 0) youngAtHost.delete(host);
    return count;
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
      return Math.max(0, Math.min(limits.total - used, limits.young - young.count()));
    },
    plan(users) {
      const planned = { all: 0, hosts: new Map<string, number>(), addresses: new Map<string, number>() };
      const youngNow = young.count();
      const counts: { userId: string; count: number }[] = [];
      for (const { userId, host, url, due } of users) {
        const share = earned.has(userId) ? 1 : 1 - RESERVED_SHARE;
        const room = (limit: number, taken: number): number => Math.floor(limit * share) - taken;
        const count = Math.min(
          due,
          (earned.get(userId) ?? 1) - (byUser.get(userId) ?? 0),
          room(limits.total, used + planned.all),
          room(limits.young, youngNow + planned.all),
          room(limits.youngPerHost, atHost(host) + (planned.hosts.get(host) ?? 0)),
          limits.perAddress - (byAddress.get(url) ?? 0) - (planned.addresses.get(url) ?? 0),
        );
        if (count <= 0) continue;
        counts.push({ userId, count });
        planned.all += count;
        planned.hosts.set(host, (planned.hosts.get(host) ?? 0) + count);
        planned.addresses.set(url, (planned.addresses.get(url) ?? 0) + count);
      }
      return counts;
    },
    take({ id, userId, host, url }) {
      used++;
      young.add(id);
      const there = youngAtHost.get(host) ?? createYoung(HOST_MS, clock);
      there.add(id);
      youngAtHost.set(host, there);
      byUser.set(userId, (byUser.get(userId) ?? 0) + 1);
      byAddress.set(url, (byAddress.get(url) ?? 0) + 1);
    },
    release({ id, userId, host, url }, quick) {
      used--;
      young.delete(id);
      youngAtHost.get(host)?.delete(id);
      atHost(host);
      countDown(byUser, userId);
      countDown(byAddress, url);
      remember(userId, quick);
    },
  };
}

interface Young {
  add(id: string): void;
  delete(id: string): void;
  count(): number;
}

/** Requests that have not taken `ms` yet. */
function createYoung(ms: number, clock: () => number): Young {
  const since = new Map<string, number>();
  return {
    add: (id) => void since.set(id, clock()),
    delete: (id) => void since.delete(id),
    count() {
      const now = clock();
      // A Map keeps the order of insertion: the first ones are the oldest.
      for (const [id, at] of since) {
        if (now - at < ms) break;
        since.delete(id);
      }
      return since.size;
    },
  };
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}
