import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { type Bbox, boxRing } from '../../geo/shapes/shape.ts';
import { createGate, createHostGates } from '../../readers/io/concurrency.ts';
import { fileSource } from '../../readers/io/file-source.ts';
import { remoteSource } from '../../readers/io/remote.ts';
import type { ByteSource } from '../../readers/io/byte-source.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { releasePlace } from '../../readers/overture/list-release.ts';
import {
  OVERTURE_THEMES,
  OVERTURE_TYPES,
  OVERTURE_URL,
  OvertureError,
  type OvertureType,
  OVERTURE_ATTRIBUTION,
  OVERTURE_LICENCE,
} from '../../readers/overture/overture-types.ts';
import { planFile, type FilePlan } from '../../readers/overture/read-rows.ts';
import { toFeatures } from '../../readers/overture/to-feature.ts';
import type { InstalledPack } from '../../readers/packs/manifest.ts';
import { ThemeMeasure } from '../../readers/themes/measure-themes.ts';
import { draftPack } from '../../readers/packs/write-pack.ts';
import { settlementsIn } from '../../readers/built-in/settlements-in.ts';
import { prepareDataFolder } from '../../config/data-folder.ts';
import { packsFolder } from './pack-folder.ts';

export interface OverturePackRequest {
  readonly id: string;
  readonly box: Bbox;
  /** Null takes the newest. */
  readonly release: string | null;
  /** Address of a bucket, or a folder. */
  readonly from: string;
  readonly onPlan: (done: number, total: number) => void;
  readonly onProgress: (done: number, total: number) => void;
}

export interface OverturePack {
  readonly pack: InstalledPack;
  readonly release: string;
  /** Files looked at, and bytes of the groups of rows that were read. */
  readonly files: number;
  readonly bytes: number;
}

/** Where releases are read from unless the operator names another place. */
export const OVERTURE_FROM = OVERTURE_URL;

/** Footers read at once, and requests to one host. */
const AT_ONCE = 8;

/**
 * Makes a pack of a box of Overture: footers of all files, then those groups of rows that can touch the box. What was read of an address
 * is kept in the disk cache, so that an import that was stopped goes on where it was; of the pack itself nothing is seen before it is done.
 */
export async function importOverturePack(
  config: Pick<Config, 'dataDir' | 'cacheMaxMb'>,
  request: OverturePackRequest,
  signal: AbortSignal,
): Promise<OverturePack> {
  prepareDataFolder(config);
  await using open = await openSources(config);
  const place = releasePlace(request.from);
  const release = request.release ?? (await place.releases(signal)).at(-1);
  if (release === undefined)
    throw new OvertureError(
      request.from,
      'there is no release; wanted release/NAME/theme=.../type=.../*.parquet in it',
    );
  const files = await Promise.all(
    OVERTURE_TYPES.map(async (type) => ({ type, paths: await place.files(release, type.folder, signal) })),
  );
  for (const { type, paths } of files)
    if (paths.length === 0) throw new OvertureError(request.from, `release ${release} has no files of ${type.folder}`);
  const plans = await planAll(files, open.source, request, signal);
  const total = plans.reduce((sum, { plan }) => sum + plan.bytes, 0);
  const measure = new ThemeMeasure();
  const draft = await draftPack(packsFolder(config), OVERTURE_THEMES, measure);
  try {
    let done = 0;
    for (const { type, plan } of plans)
      for await (const { rows, bytes } of plan.read(signal)) {
        for (const row of rows) {
          for (const feature of toFeatures(type.type, row)) await draft.sink(feature);
        }
        request.onProgress((done += bytes), total);
      }
    signal.throwIfAborted();
    const ground = [[boxRing(request.box)]];
    const pack = await draft.publish({
      id: request.id,
      version: release,
      date: /^\d{4}-\d{2}-\d{2}/.exec(release)?.[0] ?? new Date().toISOString().slice(0, 10),
      licence: OVERTURE_LICENCE,
      attribution: OVERTURE_ATTRIBUTION,
      synthetic: false,
      source: { kind: 'overture', name: release, bytes: total },
      coverage: ground,
      mapped: measure.finish(ground, await settlementsIn(config, request.box)),
    });
    return { pack, release, files: files.reduce((sum, { paths }) => sum + paths.length, 0), bytes: total };
  } finally {
    await draft.close();
  }
}

interface Planned {
  readonly type: OvertureType;
  readonly plan: FilePlan;
}

/** Plans of the files that have something in the box, in their order. */
async function planAll(
  files: readonly { readonly type: OvertureType; readonly paths: readonly string[] }[],
  source: (path: string) => ByteSource,
  { box, onPlan }: OverturePackRequest,
  signal: AbortSignal,
): Promise<Planned[]> {
  const all = files.flatMap(({ type, paths }) => paths.map((path) => ({ type, path })));
  const gate = createGate(AT_ONCE);
  let done = 0;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const plans = all.map(({ type, path }) =>
    gate.run(either, async () => {
      const plan = await planFile(source(path), type, box, either);
      if (plan === null) throw new OvertureError(path, 'the file is no longer there');
      onPlan(++done, all.length);
      return plan.groups.length === 0 ? [] : [{ type, plan }];
    }),
  );
  const settled = await Promise.allSettled(
    plans.map((plan) => plan.catch((error: unknown) => (stop.abort(error), Promise.reject(error as Error)))),
  );
  signal.throwIfAborted();
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

async function openSources({ dataDir, cacheMaxMb }: Pick<Config, 'dataDir' | 'cacheMaxMb'>) {
  const gateOf = createHostGates(AT_ONCE);
  const maxBytes = cacheMaxMb * 1e6;
  const cache = maxBytes === 0 ? null : await openDiskCache(join(dataDir, 'cache'), { maxBytes });
  const files = new Map<string, ReturnType<typeof fileSource>>();
  return {
    source(path: string): ByteSource {
      if (/^https?:/.test(path)) return remoteSource(path, { gateOf, cache });
      const known = files.get(path) ?? fileSource(path);
      files.set(path, known);
      return known;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...files.values()].map((file) => file[Symbol.asyncDispose]()));
    },
  };
}
