import type { Config } from '../../config/settings.ts';
import type { Geometry } from '../../geo/geometry.ts';
import { datasetInfo, type DatasetInfo, type MappedInfo } from '../datasets/catalogue.ts';
import { AUTO_ID, autoDatasets, autoPacks } from './auto-packs.ts';

/** A dataset that was fetched by itself, as an operator is shown it. */
interface ListedAutoData extends DatasetInfo {
  readonly pack: string;
  readonly features: number;
  readonly bytes: number;
}

/** What was fetched by itself: a dataset for each theme and release, however many packs hold it. */
export async function listAutoData(config: Pick<Config, 'dataDir'>): Promise<readonly ListedAutoData[]> {
  const all = new Map<string, ListedAutoData>();
  const packs = [...(await autoPacks(config))].sort((a, b) => (a.manifest.version < b.manifest.version ? 1 : -1));
  for (const pack of packs)
    for (const [i, dataset] of autoDatasets(pack).entries()) {
      const { features, bytes } = pack.manifest.themes[i];
      const info = { ...datasetInfo(dataset), fetched_cells: pack.cells.length, pack: AUTO_ID, features, bytes };
      const key = `${info.id} ${info.version}`;
      const before = all.get(key);
      all.set(key, before === undefined ? info : joined(before, info));
    }
  return [...all.values()];
}

function joined(one: ListedAutoData, other: ListedAutoData): ListedAutoData {
  return {
    ...one,
    coverage: joinedGround(one.coverage as Geometry, other.coverage as Geometry),
    mapped: one.mapped === null || other.mapped === null ? null : joinedMapped(one.mapped, other.mapped),
    fetched_cells: (one.fetched_cells ?? 0) + (other.fetched_cells ?? 0),
    features: one.features + other.features,
    bytes: one.bytes + other.bytes,
  };
}

function joinedMapped(one: MappedInfo, other: MappedInfo): MappedInfo {
  const areas = [one.area, other.area].filter((area) => area !== null);
  const cellDegrees = Math.max(one.area_cell_degrees ?? 0, other.area_cell_degrees ?? 0);
  return {
    ...one,
    cells: one.cells + other.cells,
    mapped_cells: one.mapped_cells + other.mapped_cells,
    area: areas.length === 0 ? null : areas.reduce(joinedGround),
    area_cell_degrees: cellDegrees === 0 ? null : cellDegrees,
  };
}

function joinedGround(one: Geometry, other: Geometry): Geometry {
  return { type: 'MultiPolygon', coordinates: [...polygonsOf(one), ...polygonsOf(other)] };
}

function polygonsOf(geometry: Geometry) {
  if (geometry.type === 'Polygon') return [geometry.coordinates];
  return geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
}
