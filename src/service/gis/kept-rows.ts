import { rm } from 'node:fs/promises';
import { every, type Every } from '../../every.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';

/** Rows that are written once for each state of what they are made of, and kept a while in temporary folders. */
interface KeptRows<T> {
  /**
   * The rows of a state of an owner; `write` writes them into a new folder where they are not kept. What is kept of other states of
   * the owner is removed.
   */
  open(state: RowsState, write: (folder: string) => Promise<T>): Promise<T>;
  /** Removes what is kept of an owner that was deleted, at once. */
  forget(owner: string): Promise<void>;
  close(): Promise<void>;
}

interface RowsState {
  readonly owner: string;
  readonly version: string;
  /** Whether the owner is still there: another process may delete it, and its retention may end. */
  readonly isThere: () => Promise<boolean>;
}

interface KeptRowsOptions {
  /** Milliseconds since 1970; default: those of the system. */
  readonly clock?: () => number;
  /** Default: by the clock. */
  readonly repeat?: Every;
}

/** States that are kept, and how long after they were last looked at. */
const KEPT = { states: 32, minutes: 60 } as const;
const SWEEP_MS = 60_000;

interface Entry<T> extends Pick<RowsState, 'owner' | 'isThere'> {
  readonly folder: Promise<string>;
  readonly rows: Promise<T>;
  usedAt: number;
}

/** Once a minute removes what was not looked at for {@link KEPT} minutes, and what is kept of owners that are no longer there. */
export function keepRows<T>({ clock = Date.now, repeat = every }: KeptRowsOptions = {}): KeptRows<T> {
  const kept = new Map<string, Entry<T>>();
  // A folder that cannot be removed now is removed with those of processes that are over.
  const stopSweeping = repeat(SWEEP_MS, () => void Promise.all([sweep(clock()), dropOrphans()]).catch(() => {}));

  async function drop(version: string): Promise<void> {
    const gone = kept.get(version);
    kept.delete(version);
    const folder = await gone?.folder.catch(() => undefined);
    // Whoever writes into it now is about to find out that nobody wants it.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async function sweep(now: number): Promise<void> {
    const oldest = [...kept].toSorted(([, a], [, b]) => a.usedAt - b.usedAt);
    const surplus = kept.size - KEPT.states;
    await Promise.all(
      oldest
        .filter(([, { usedAt }], i) => i < surplus || now - usedAt > KEPT.minutes * 60_000)
        .map(([version]) => drop(version)),
    );
  }

  async function dropOrphans(): Promise<void> {
    const entries = [...kept];
    // Who cannot be looked up now is looked up again in a minute.
    const there = await Promise.all(entries.map(([, { isThere }]) => isThere().catch(() => true)));
    await Promise.all(entries.filter((_, i) => !there[i]).map(([version]) => drop(version)));
  }

  return {
    async open({ owner, version, isThere }, write) {
      const now = clock();
      let entry = kept.get(version);
      if (entry === undefined) {
        const folder = temporaryFolder('map');
        entry = { owner, isThere, folder, rows: folder.then(write), usedAt: now };
        kept.set(version, entry);
        entry.rows.catch(() => drop(version));
        // What was kept of the owner before it changed is of no more use.
        for (const [other, { owner: whose }] of kept) if (whose === owner && other !== version) void drop(other);
      }
      entry.usedAt = now;
      await sweep(now);
      return await entry.rows;
    },
    async forget(owner) {
      await Promise.all([...kept].filter(([, entry]) => entry.owner === owner).map(([version]) => drop(version)));
    },
    async close() {
      stopSweeping();
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}
