import type { Feature, FeatureCollection, Geometry } from 'geojson';
import { boxPolygon } from '../../map/box-polygon.ts';
import type { CoverageShape } from '../../map/coverage.ts';
import { boxOf, isWorld, type KnownDataset } from './dataset.ts';

/** The poles are not on the map. */
const WORLD = [-180, -85, 180, 85] as const;

/**
 * What the map draws of some datasets: the ground that each covers, where it really knows its theme, and a spot for those that are
 * too small to be seen from afar. Those of the whole world are left out where they would cover all others.
 */
export function knownGround(
  datasets: readonly KnownDataset[],
  withWorld: boolean,
): Readonly<Record<'coverage' | 'known' | 'spots', FeatureCollection>> {
  const drawn = datasets.filter((dataset) => withWorld || !isWorld(dataset));
  return {
    coverage: collectionOf(apart(drawn).map((dataset) => featureOf(dataset, groundOf(dataset)))),
    spots: collectionOf(
      apart(drawn.filter((dataset) => !isWorld(dataset))).map((dataset) => {
        const [west, south, east, north] = boxOf(dataset);
        return featureOf(dataset, { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] });
      }),
    ),
    known: collectionOf(
      drawn.flatMap((dataset) => {
        if (dataset.mapped === null) return [featureOf(dataset, groundOf(dataset))];
        const { area } = dataset.mapped;
        return area === null ? [] : [featureOf(dataset, area as unknown as Geometry)];
      }),
    ),
  };
}

function collectionOf(features: readonly Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features: [...features] };
}

function featureOf({ id }: KnownDataset, geometry: Geometry): Feature {
  return { type: 'Feature', properties: { id }, geometry };
}

function groundOf(dataset: KnownDataset): Geometry {
  if (isWorld(dataset)) return boxPolygon(WORLD).geometry;
  const shape = dataset.coverage as CoverageShape;
  return 'type' in shape ? (shape as unknown as Geometry) : boxPolygon(shape).geometry;
}

/** One dataset for each ground: the themes of a pack cover the same. */
function apart(datasets: readonly KnownDataset[]): readonly KnownDataset[] {
  return [...new Map(datasets.map((dataset) => [JSON.stringify(dataset.coverage), dataset])).values()];
}
