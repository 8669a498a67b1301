import { ConfigError, type Config } from '../config.ts';
import type { Geometry } from '../geo/geometry.ts';
import type { Log } from '../log.ts';
import { builtInDatasets } from '../readers/built-in/built-in-datasets.ts';
import { CatalogueError, openCatalogue, type Catalogue } from '../readers/catalogue.ts';
import type { Coverage, Dataset } from '../readers/dataset.ts';

/** A dataset as `/datasets` and `firstmile data list` show it. */
export interface DatasetInfo {
  readonly id: string;
  readonly role: string;
  readonly kind: string;
  readonly version: string;
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  /** West, south, east, north in degrees, or polygons. */
  readonly coverage: readonly number[] | Geometry;
  readonly synthetic: boolean;
}

/** The built-in datasets and those of the operator's file; throws `CatalogueError` that lists everything wrong with it. */
export async function openServiceCatalogue(config: Pick<Config, 'catalogue'>, log: Log): Promise<Catalogue> {
  const builtIn: readonly Dataset[] = Object.values(builtInDatasets());
  const catalogue = await openCatalogue(builtIn, config.catalogue).catch((error: unknown) => {
    if (error instanceof CatalogueError) throw new ConfigError(`CATALOGUE: ${error.message}`, { cause: error });
    throw error;
  });
  for (const { id, role, kind } of catalogue.datasets)
    if (kind !== 'package')
      log.warn(
        { dataset: id, role, kind },
        'nothing reads datasets of this kind yet; it is listed, but answers nothing',
      );
  return catalogue;
}

export function datasetInfo({
  id,
  role,
  kind,
  version,
  date,
  licence,
  attribution,
  coverage,
  synthetic,
}: Dataset): DatasetInfo {
  return { id, role, kind, version, date, licence, attribution, coverage: coverageInfo(coverage), synthetic };
}

function coverageInfo(coverage: Coverage): DatasetInfo['coverage'] {
  if ('bbox' in coverage) return coverage.bbox;
  return { type: 'MultiPolygon', coordinates: coverage.polygons.map((rings) => rings.map(positions)) };
}

function positions(ring: Float64Array): [number, number][] {
  return Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i] ?? 0, ring[2 * i + 1] ?? 0]);
}
