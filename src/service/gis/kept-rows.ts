import { rm } from 'node:fs/promises';
import { temporaryFolder } from '../files/temporary-folder.ts';

/** Rows that are written once for each state of what they are made of, and kept a while in temporary folders. */
interface KeptRows<T> {
  /**
   * The rows of a state of an owner; `write` writes them into a new folder where they are not kept. What is kept of other states of
   * the owner is removed.
   */
  open(state: { readonly owner: string; readonly version: string }, write: (folder: string) => Promise<T>): Promise<T>;
  /** Removes what is kept of an owner that was deleted. */
  forget(owner: string): Promise<void>;
  close(): Promise<void>;
}

/** States that are kept, and how long after they were last looked at. */
const KEPT = { states: 32, minutes: 60 } as const;

interface Entry<T> {
  readonly owner: string;
  readonly folder: Promise<string>;
  readonly rows: Promise<T>;
  usedAt: number;
}

/** @param clock milliseconds since 1970. */
export function keepRows<T>(clock: () => number = Date.now): KeptRows<T> {
  const kept = new Map<string, Entry<T>>();

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

  return {
    async open({ owner, version }, write) {
      const now = clock();
      let entry = kept.get(version);
      if (entry === undefined) {
        const folder = temporaryFolder('map');
        entry = { owner, folder, rows: folder.then(write), usedAt: now };
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
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}
