import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { writeFile } from 'node:fs/promises';
import type { Config } from '../../config/settings.ts';
import type { Answer, CommodityShare } from '../../facilities/sources.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import { createHostBreakers, withBreaker } from '../../readers/io/breaker.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { type DiskCacheFolder, openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { openRasterTiles, type RasterTiles } from '../../readers/rasters/raster-tiles.ts';
import { createAnswerer, type DetectionQuestion } from './answer.ts';
import { gathered } from './gathered.ts';
import { createHeadClaims, type HeadGround } from './claims.ts';
import { BUILT_UP, PLANTATION } from './heads.ts';
import { createMapAnswerer } from './map-answer.ts';
import { createMapReader } from './map-claims.ts';
import { mapsAt, type CommodityMap } from './maps.ts';
import type { InstalledHead } from '../models/installed-models.ts';
import { createPixelMemory } from './pixel-memory.ts';
import { createPlantationAnswerer } from './plantations.ts';
import { openOutside } from '../outside/open-outside.ts';
import type { openForestSources } from '../forest/sources.ts';
import {
  SAMPLE_CROPS_FILE,
  sampleCropDatasets,
  sampleCrops,
  sampleCropsFolder,
} from '../../readers/sample-district/sample-crops.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { makeSampleFolder } from '../sample-district/make-sample-folder.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/** Ids of the maps that `prepareSampleCrops` makes. */
const SAMPLE_CROP_IDS: ReadonlySet<string> = new Set(sampleCropDatasets('').map(({ id }) => id));

/** Makes the map of planted crops of the sample district in a data folder unless it is there: a few kilobytes, the first time only. */
const prepareSampleCrops: (dataDir: string) => Promise<void> = onceAFolder((dataDir) =>
  makeSampleFolder(sampleCropsFolder(dataDir), async (draft) => {
    await writeFile(join(draft, SAMPLE_CROPS_FILE), encodeTiff(sampleCrops(), { compression: 'zstd' }));
  }),
);

/** What a detection thread is given when it starts. */
export interface DetectionThreadData {
  readonly heads: readonly InstalledHead[];
  /** Queried before the heads, in their order; those of the sample district after them. */
  readonly maps: readonly CommodityMap[];
  /** The datasets of the role `embeddings`. */
  readonly embeddings: readonly Dataset[];
  readonly config: Parameters<typeof openForestSources>[1] & Pick<Config, 'checkTimeoutMs'>;
}

/** The same, with the folder of the compile cache of the process; null where it has none. */
export interface StartedDetectionThread extends DetectionThreadData {
  readonly compileCache: string | null;
}

export type ToDetectionThread =
  | { readonly type: 'query'; readonly id: number; readonly question: DetectionQuestion }
  | { readonly type: 'abort'; readonly id: number };

export type FromDetectionThread =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer<CommodityShare> | null }
  | { readonly type: 'failure'; readonly id: number; readonly error: Error };

/** Requests to one host at the same time. */
const PER_HOST = 8;

/** The folder of kept blocks that all threads share; null where nothing may be kept. */
async function openCache({ dataDir, cacheMaxMb }: DetectionThreadData['config']): Promise<DiskCacheFolder | null> {
  const maxBytes = cacheMaxMb * 1e6;
  return maxBytes === 0 ? null : openDiskCache(join(dataDir, 'cache'), { maxBytes });
}

/** A host that does not answer is left alone, so that the heads answer at once for the places after. */
async function openMapTiles({ maps, config }: Pick<DetectionThreadData, 'maps' | 'config'>): Promise<RasterTiles> {
  const entries = maps.map(({ entry }) => entry);
  const { remote, contracts } = openOutside(entries, config, { perHost: PER_HOST });
  const breakerOf = createHostBreakers();
  const cache = await openCache(config);
  return openRasterTiles({
    remote: (url) => {
      const source = remote(url, { cache });
      return withBreaker(source, breakerOf(source));
    },
    contracts,
  });
}

/** Questions at the same time. */
const LANES = 4;

/** Makes this worker thread answer questions, a few at a time and otherwise in turn. Call it once, from the entry file of the thread. */
export function runDetectionThread({ heads, maps, embeddings, config }: DetectionThreadData): void {
  const port = parentPort;
  if (port === null) throw new Error('runDetectionThread works inside a worker thread only');
  const aborts = new Map<number, AbortController>();
  let opened: Promise<HeadGround> | null = null;
  const reader = createMapReader(() => openMapTiles({ maps, config }));
  const measure = createMapAnswerer(reader);

  async function openGround(): Promise<HeadGround> {
    // Not loaded before a head is needed: the first answer of a map would wait for it.
    const { openForestSources } = await import('../forest/sources.ts');
    const sources = await openForestSources(embeddings, config);
    return { embeddings: sources.embeddings, memory: createPixelMemory(await openCache(config)) };
  }

  const claimHeads = createHeadClaims(heads, () => (opened ??= openGround()), config.checkTimeoutMs);
  const detect = createAnswerer(claimHeads);
  const mask = createPlantationAnswerer(claimHeads, reader);

  /**
   * Plantations by everything together; else maps that cover the place, then heads; of those that know the ground in part
   * the one that finds most. A failure stands when nothing after it finds anything. The maps of the sample district answer last, and alone: they never come before anything that somebody installed.
   */
  async function answer(question: DetectionQuestion, signal: AbortSignal): Promise<Answer<CommodityShare> | null> {
    const { shape, subject, radiusM } = question;
    const there = mapsAt(maps, subject, shape.inside);
    const own = there.filter(({ dataset }) => !SAMPLE_CROP_IDS.has(dataset.id));
    const samples = there.filter(({ dataset }) => SAMPLE_CROP_IDS.has(dataset.id));
    const queries = [
      ...(subject === PLANTATION
        ? [() => mask(question, own, signal)]
        : [...own.map((map) => () => measure(map, shape, radiusM, signal)), () => detect(question, signal)]),
      ...samples.map((map) => async () => {
        await prepareSampleCrops(config.dataDir);
        return measure(map, shape, radiusM, signal);
      }),
    ];
    let failure: { readonly error: unknown } | null = null;
    let partial: Answer<CommodityShare> | null = null;
    for (const query of queries) {
      try {
        const found = await query();
        if (found === null) continue;
        if (isSettled(found.value)) return found;
        if (partial === null || foundOf(found.value) > foundOf(partial.value)) partial = found;
      } catch (error) {
        signal.throwIfAborted();
        // Without network the settlements on this machine answer how dense the ground is built on, as without the map.
        if (subject === BUILT_UP && (error as { readonly kind?: unknown } | null)?.kind === 'offline') continue;
        failure ??= { error };
      }
    }
    if (failure !== null && (partial === null || foundOf(partial.value) === 0)) throw failure.error;
    return partial;
  }

  const send = gathered<FromDetectionThread>((messages) => port.postMessage(messages));
  /** What each lane works on last: while one question waits for bytes, another one computes. */
  const lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve());

  async function work(id: number, question: DetectionQuestion, abort: AbortController): Promise<void> {
    try {
      abort.signal.throwIfAborted();
      send({ type: 'answer', id, answer: await answer(question, abort.signal) });
    } catch (error) {
      send({ type: 'failure', id, error: error instanceof Error ? error : new Error(String(error)) });
    } finally {
      aborts.delete(id);
    }
  }

  port.on('message', (messages: readonly ToDetectionThread[]) => {
    for (const message of messages) {
      if (message.type === 'abort') {
        aborts.get(message.id)?.abort(new Error('nobody waits for the answer any more'));
        continue;
      }
      const abort = new AbortController();
      aborts.set(message.id, abort);
      const lane = message.id % LANES;
      lanes[lane] = lanes[lane].then(() => work(message.id, message.question, abort));
    }
  });
}

/** Whether an answer needs nobody after it: what it covers is nearly all of the ground. */
function isSettled({ covered = 1 }: CommodityShare): boolean {
  return covered >= THRESHOLDS.leastCoveredShare;
}

/** What was found at least, as a part of all of the ground. */
function foundOf({ share, covered = 1 }: CommodityShare): number {
  return share * covered;
}
