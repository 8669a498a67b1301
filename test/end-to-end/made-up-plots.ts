import { DISTRICT } from '../../src/readers/sample-district/district.ts';
import { boxPolygon } from '../made-up-rasters.ts';

/** Share of a grid cell that its plot covers along each side: neighbours do not overlap. */
const FILL = 0.8;

/** A synthetic GeoJSON file of square plots on a grid over the sample district, where everything is measured offline. */
export function madeUpPlots(count: number): Blob {
  const features = madeUpFeatures(count).map((feature) => JSON.stringify(feature));
  return new Blob([`{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}`]);
}

/** The features of such a file. */
export function madeUpFeatures(count: number): readonly object[] {
  const side = Math.ceil(Math.sqrt(count));
  const [west, south, east, north] = DISTRICT.bbox;
  const [dx, dy] = [((east - west) * 0.9) / side, ((north - south) * 0.9) / side];
  return Array.from({ length: count }, (_, i) => {
    const x = west + (east - west) * 0.05 + (i % side) * dx;
    const y = south + (north - south) * 0.05 + Math.floor(i / side) * dy;
    return feature(i, x, y, x + dx * FILL, y + dy * FILL);
  });
}

function feature(i: number, west: number, south: number, east: number, north: number): object {
  const degrees = [west, south, east, north].map((value) => Number(value.toFixed(7))) as [
    number,
    number,
    number,
    number,
  ];
  return {
    type: 'Feature',
    id: `synthetic-${i}`,
    geometry: boxPolygon(...degrees),
    properties: { name: `synthetic plot ${i}`, location_type: 'plot', country: 'MY', commodity_type: 'palm' },
  };
}
