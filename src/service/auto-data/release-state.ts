import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { DAY_MS } from '../../durations.ts';
import { isRecord } from '../../is-record.ts';
import { replaceFile } from '../../readers/io/replace-file.ts';
import { createShared } from '../../readers/io/share.ts';
import {
  publishedReleases,
  readReleaseIndex,
  type IndexReader,
  type OverturePlaces,
  type ReleaseIndex,
} from '../../readers/overture/release-index.ts';
import { autoFolder } from './auto-packs.ts';

/** The release that packs are fetched from, as it is kept in the data folder. Times are milliseconds since 1970. */
interface ReleaseState {
  readonly index: ReleaseIndex;
  /** What the addresses of its files begin with: with another bucket they are learned again. */
  readonly data: string;
  /** When the names of releases were last looked up. */
  readonly checkedAt: number;
  /** Since when releases that packs came from are no longer published. */
  readonly missingSince: Readonly<Record<string, number>>;
}

/** The newest release, looked up once a day by whoever needs it first. */
export interface Releases {
  current(signal: AbortSignal): Promise<ReleaseIndex>;
  /** Forgets what is kept of the files of the release: one of them is gone. */
  forget(): Promise<void>;
  /** Whether a release that a pack came from is gone for so long that the pack is to be fetched again. Looks at what is kept alone. */
  isOutdated(release: string): Promise<boolean>;
}

/** How long a pack outlives the release it came from. */
const OUTDATED_MS = 60 * DAY_MS;

export function openReleases(
  config: Pick<Config, 'dataDir'>,
  places: OverturePlaces,
  reader: IndexReader,
  now: () => number,
): Releases {
  const path = join(autoFolder(config), '.release.json');
  const shared = createShared<ReleaseIndex>();
  let known: ReleaseState | null = null;

  async function read(): Promise<ReleaseState | null> {
    known ??= parseState(await readFile(path, 'utf8').catch(() => ''), places.data);
    return known;
  }

  async function keep(state: ReleaseState): Promise<void> {
    known = state;
    await replaceFile(path, JSON.stringify(state));
  }

  async function look(signal: AbortSignal): Promise<ReleaseIndex> {
    const before = await read();
    const published = await publishedReleases(places, reader, before?.index.release ?? null, signal);
    const index =
      before?.index.release === published.newest && before.index.files.length > 0
        ? before.index
        : await readReleaseIndex(published.newest, places, reader, signal);
    const missing = Object.entries(before?.missingSince ?? {}).filter(([name]) => !published.all.includes(name));
    const past = before?.index.release;
    const isGone = past !== undefined && published.all.length > 0 && !published.all.includes(past);
    const missingSince = { ...(isGone ? { [past]: now() } : {}), ...Object.fromEntries(missing) };
    await keep({ index, data: places.data, checkedAt: now(), missingSince });
    return index;
  }

  return {
    async current(signal) {
      const state = await read();
      const isFresh = state !== null && state.index.files.length > 0 && now() - state.checkedAt < DAY_MS;
      return isFresh ? state.index : shared('release', signal, look);
    },
    async forget() {
      const state = await read();
      if (state !== null) await keep({ ...state, index: { ...state.index, files: [] }, checkedAt: 0 });
    },
    async isOutdated(release) {
      const state = await read();
      if (state === null || state.index.release === release) return false;
      const since = state.missingSince[release];
      if (since !== undefined) return now() - since >= OUTDATED_MS;
      // A release that was the newest before anything was kept of it.
      await keep({ ...state, missingSince: { ...state.missingSince, [release]: now() } });
      return false;
    },
  };
}

function parseState(text: string, data: string): ReleaseState | null {
  try {
    const found: unknown = JSON.parse(text);
    if (!isRecord(found) || found['data'] !== data || !isRecord(found['index'])) return null;
    return Array.isArray(found['index']['files']) ? (found as unknown as ReleaseState) : null;
  } catch {
    return null;
  }
}
