import type { Feature, FeatureCollection } from 'geojson';
import { call } from '../api/client.ts';
import type { View } from './base-map.ts';
import { covers, type CoverageShape } from './coverage.ts';

/** Zoom from which what packs hold is drawn, and from which their buildings are. */
const FROM_ZOOM = 11.5;
const BUILDINGS_ZOOM = 12.5;
/** Degrees each way of one question, far out and near. */
const WIDE = 0.2;
const NEAR = 0.05;
const KEPT = 60;
const LIMIT = 10_000;

const kept = new Map<string, Promise<readonly Feature[]>>();
let packs: Promise<readonly CoverageShape[]> | null = null;

/** What regional packs hold in a view; nothing far out or where no pack is. */
export async function packFeaturesFor(view: View): Promise<{ readonly key: string; readonly data: FeatureCollection }> {
  if (view.zoom < FROM_ZOOM) return { key: '', data: { type: 'FeatureCollection', features: [] } };
  const near = view.zoom >= BUILDINGS_ZOOM;
  const size = near ? NEAR : WIDE;
  const known = await packCoverages();
  const names: string[] = [];
  for (let i = Math.floor(view.west / size); i * size < view.east; i++)
    for (let j = Math.floor(view.south / size); j * size < view.north; j++) {
      const box = [i * size, j * size, (i + 1) * size, (j + 1) * size].map((edge) => Number(edge.toFixed(4)));
      if (known.some((coverage) => covers(coverage, box as [number, number, number, number])))
        names.push(`${near ? 'near' : 'wide'} ${box.join(',')}`);
    }
  const parts = await Promise.all(names.map(ask));
  return { key: names.join(' '), data: { type: 'FeatureCollection', features: parts.flat() } };
}

/** The layers of packs, of which only the places matter here. */
function packCoverages(): Promise<readonly CoverageShape[]> {
  packs ??= call('getDatasets').then(({ datasets }) =>
    datasets
      .filter(({ kind, role }) => kind === 'flatgeobuf' && role === 'roads')
      .map(({ coverage }) => coverage as CoverageShape),
  );
  packs.catch(() => (packs = null));
  return packs;
}

function ask(name: string): Promise<readonly Feature[]> {
  const found = kept.get(name) ?? fetchCell(name);
  kept.delete(name);
  kept.set(name, found);
  found.catch(() => kept.delete(name));
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return found;
}

async function fetchCell(name: string): Promise<readonly Feature[]> {
  const [reach, bbox = ''] = name.split(' ');
  const themes = reach === 'near' ? 'roads,water,buildings,industrial,businesses,ports' : 'roads,water,industrial';
  const answer = await call('getMapFeatures', {
    query: { bbox, themes, limit: LIMIT },
    accept: 'application/geo+json',
  });
  return answer.features as unknown as Feature[];
}
