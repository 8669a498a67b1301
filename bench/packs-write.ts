import { polygonArea } from '../src/geo/rings/polygon-area.ts';
import { draftPack } from '../src/readers/packs/write-pack.ts';
import { packsFolder } from '../src/service/datasets/pack-folder.ts';
import { RIVER_VERTICES, ROAD_VERTICES, type PacksWorld } from './packs-world.ts';

/** Writes a made-up world as the pack `bench` of a data folder, covering all of the earth. */
export async function writeWorld(world: PacksWorld, dataDir: string): Promise<void> {
  const draft = await draftPack(packsFolder({ dataDir }));
  const lines = async (theme: 'roads' | 'water', kind: string, flat: Float64Array, vertices: number): Promise<void> => {
    for (let i = 0; i < flat.length; i += vertices * 2)
      await draft.sink({
        theme,
        geometry: { type: 'lineString', line: flat.slice(i, i + vertices * 2) },
        values: [`x/${i}`, kind, null],
      });
  };
  await lines('roads', 'residential', world.roads, ROAD_VERTICES);
  await lines('water', 'river', world.rivers, RIVER_VERTICES);
  for (let i = 0; i < world.buildings.length; i += 8) {
    const ring = closed(world.buildings.subarray(i, i + 8));
    const area = Math.round(polygonArea([ring]).area * 100) / 100;
    await draft.sink({
      theme: 'buildings',
      geometry: { type: 'polygon', rings: [ring] },
      values: [`x/${i}`, 'yes', null, 0, area],
    });
  }
  const { businesses, ports } = world;
  for (let i = 0; i < businesses.length; i += 2)
    await draft.sink({
      theme: 'businesses',
      geometry: { type: 'point', lon: businesses[i], lat: businesses[i + 1] },
      values: [`x/${i}`, 'craft=oil_mill', `Mill ${i}`, 'craft=oil_mill', `Mill ${i}`],
    });
  for (let i = 0; i < ports.length; i += 2)
    await draft.sink({
      theme: 'ports',
      geometry: { type: 'point', lon: ports[i], lat: ports[i + 1] },
      values: [`x/${i}`, 'port', null],
    });
  const coverage = [[Float64Array.of(-180, -90, 180, -90, 180, 90, -180, 90, -180, -90)]];
  const source = { kind: 'bench', name: 'bench', bytes: 0 };
  await draft.publish({
    mapped: 'whole',
    id: 'bench',
    version: '1',
    date: '2026-01-01',
    licence: 'CC0-1.0',
    attribution: 'none',
    synthetic: true,
    source,
    coverage,
  });
  await draft.close();
}

/** Corners with the first one again at the end. */
export function closed(corners: Float64Array): Float64Array {
  return Float64Array.of(...corners, corners[0], corners[1]);
}
