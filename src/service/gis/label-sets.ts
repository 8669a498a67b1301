import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import type { WrittenPatch } from '../../forest/feature-text.ts';
import { findCrs, type Crs } from '../../geo/crs/find-crs.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { TimeSpan } from '../../gis/days.ts';
import type { MapFeature } from '../../gis/feature-rows.ts';
import { mapProperties } from '../../gis/map-properties.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { folderStore, remoteStore } from '../../readers/formats/zarr/zarr-store.ts';
import { indexLabels, type LabelIndex } from '../../readers/label-store/label-index.ts';
import type { ListedSegment } from '../../readers/label-store/list-segments.ts';
import type { LabelLayer, LabelSource } from '../../readers/label-store/open-label-store.ts';
import type { CellBox } from '../../readers/label-store/store-document.ts';
import { forestDatasets } from '../datasets/catalogue.ts';
import type { ForestService } from '../forest/forest.ts';
import { builtCoverage } from '../labels/coverage.ts';
import { openLabelStores } from '../labels/label-store.ts';
import { openOutside } from '../outside/open-outside.ts';
import { withSampleDistrict } from '../sample-district/sample-district.ts';
import { fileVersion } from '../world/file-version.ts';
import { createRenewable } from '../world/renewable.ts';
import type { OpenedSet } from './opened-set.ts';
import { coverageExtent, openedSegments, yearSpan } from './segment-set.ts';

/** The segments of a label store, before a map program reads them. */
export interface LabelSet {
  readonly dataset: Dataset;
  /** Where labels were built, as far as that is known. */
  readonly coverage: Bbox | null;
  /** The years of its labels, as far as they are known. */
  readonly period: TimeSpan | null;
  /** Changes whenever something is built. */
  readonly version: string;
  open(userId: string, signal: AbortSignal): Promise<OpenedSet>;
}

/** The label stores of the catalogue and those in the data folder, as lookups know them. */
export interface LabelSets {
  /** As of now; a store at an address is not queried. */
  list(): Promise<readonly LabelSet[]>;
  /** Null for a dataset that is no label store. Throws `Problem('dependency_unavailable')` for one that cannot be read. */
  find(id: string): Promise<LabelSet | null>;
  close(): Promise<void>;
}

interface LabelSetsDeps {
  /** Who outlines segments; null where nothing but the list is wanted. */
  readonly forest: Pick<ForestService, 'lookUp'> | null;
  readonly config: Parameters<typeof forestDatasets>[0] & Pick<Config, 'dataDir'>;
}

/** Requests to one host at the same time, and decoded chunks that are kept of a store. */
const [PER_HOST, CACHE_BYTES] = [8, 16 * 1024 * 1024];

export function openLabelSets({ forest, config }: LabelSetsDeps): LabelSets {
  const { dataDir, catalogue } = config;
  const indexes = new Map<string, { readonly version: string; readonly index: LabelIndex }>();
  const stores = createRenewable({
    look: async () => (catalogue === null ? '' : await fileVersion(catalogue)),
    async open() {
      const known = await forestDatasets(config);
      const { remote, contracts } = openOutside(known, config, { perHost: PER_HOST });
      const opened = openLabelStores(known, {
        dataDir,
        remote: (url) => remoteStore(url, { open: (address) => remote(address) }),
        // This thread serves requests: it must not wait for a disk.
        local: (folder) => ({ store: folderStore(folder), close() {} }),
        cacheBytes: CACHE_BYTES,
        wrap: (source) => withSampleDistrict(source, dataDir),
      });
      return { ...opened, contracts };
    },
    onFault: () => {},
  });

  async function indexOf(source: LabelSource): Promise<{ readonly version: string; readonly index: LabelIndex }> {
    const layers = await source.layers();
    const version = await versionOf(source.dataset, layers);
    const known = indexes.get(source.dataset.id);
    if (known?.version === version && known.index.layers === layers) return known;
    const coverage: (readonly CellBox[])[] = [];
    for (const { entry } of layers) coverage.push(await coverageNow(source.dataset, entry));
    const fresh = { version, index: indexLabels(layers, coverage) };
    indexes.set(source.dataset.id, fresh);
    return fresh;
  }

  async function ofSource(source: LabelSource): Promise<LabelSet> {
    const { dataset } = source;
    const { version, index } = await indexOf(source);
    const years = index.layers.map(({ entry }) => entry.year);
    return {
      dataset,
      coverage: coverageExtent(index),
      period: years.length === 0 ? null : yearSpan(Math.min(...years), Math.max(...years)),
      version,
      open: (userId) =>
        Promise.resolve(
          openedSegments({
            source,
            index,
            outline: (segments, signal) => outline(forest, dataset, segments, userId, signal),
          }),
        ),
    };
  }

  return {
    list: () =>
      stores.use(async (opened) => {
        const sources = await opened.current();
        return await Promise.all(sources.map(async (source) => await quickly(source, ofSource)));
      }),
    find: (id) =>
      stores.use(async (opened) => {
        const source = (await opened.current()).find(({ dataset }) => dataset.id === id);
        if (source === undefined) return null;
        try {
          await opened.contracts.require(id, new AbortController().signal);
          return await ofSource(source);
        } catch (error) {
          throw new Problem('dependency_unavailable', `The label store ${id} cannot be read now.`, { cause: error });
        }
      }),
    close: () => stores.close(),
  };
}

const WGS84 = findCrs('EPSG:4326') as Crs;

/** Segments as features, from lookups at their markers. */
async function outline(
  forest: LabelSetsDeps['forest'],
  dataset: Dataset,
  segments: readonly ListedSegment[],
  userId: string,
  signal: AbortSignal,
): Promise<readonly (MapFeature | null)[]> {
  if (segments.length === 0) return [];
  if (forest === null) throw new Problem('dependency_unavailable', 'Segments are outlined by a running service alone.');
  const points = segments.map(({ marker }) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: marker },
    properties: null,
  }));
  const patches = await forest.lookUp(userId, points, WGS84, signal);
  return patches.map((patch, i) => featureOf(patch, segments[i], dataset));
}

/** A set for the list: one at an address, or that is made at its first use or cannot be read, is listed by its entry. */
async function quickly(source: LabelSource, read: (source: LabelSource) => Promise<LabelSet>): Promise<LabelSet> {
  const { dataset } = source;
  const { path, coverage } = dataset;
  const isThere = path !== undefined && (await fileVersion(join(path, 'zarr.json'))) !== '';
  const known = isThere ? await read(source).catch(() => null) : null;
  if (known !== null) return known;
  const box = 'bbox' in coverage ? coverage.bbox : null;
  return {
    dataset,
    coverage: box,
    period: null,
    version: '',
    open: async (userId, signal) => await (await read(source)).open(userId, signal),
  };
}

async function coverageNow({ path }: Dataset, entry: LabelLayer['entry']): Promise<readonly CellBox[]> {
  // The records of the tiles are newer than what the store says of itself, where they can be read.
  const built = path === undefined ? [] : await builtCoverage(path, [entry])(entry);
  return built.length === 0 ? entry.coverage : built;
}

/** Of the document and of the records of tiles, whose folder changes with each that is written. */
async function versionOf({ path, url = '' }: Dataset, layers: readonly LabelLayer[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(layers.map(({ entry }) => entry)));
  hash.update(path ?? url);
  if (path !== undefined)
    for (const { entry } of layers) hash.update(`\n${await fileVersion(join(path, entry.path, 'built'))}`);
  return hash.digest('base64url').slice(0, 16);
}

/**
 * The feature of a segment from the lookup at its marker; null where that was answered from elsewhere: another store, or a
 * live cut after the store was changed. Throws `Problem('dependency_unavailable')` where it was not answered.
 */
function featureOf(
  { geometry, properties }: WrittenPatch,
  { id, marker }: ListedSegment,
  dataset: Dataset,
): MapFeature | null {
  const { source, warnings } = properties;
  if (source === null)
    throw new Problem(
      'dependency_unavailable',
      `The segment ${id} was not outlined: ${warnings[0]?.message ?? 'no answer'}`,
    );
  if (source !== 'plotids-store' || properties.dataset !== dataset.id || geometry === null) return null;
  const { input_point: _, raw_outline: __, ...kept } = properties;
  return {
    id,
    geometry: JSON.parse(geometry) as Geometry,
    properties: { ...mapProperties(kept), marker_longitude: marker[0], marker_latitude: marker[1] },
  };
}
