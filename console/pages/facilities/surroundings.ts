import type { Feature, Geometry, Position } from 'geojson';
import { call } from '../../api/client.ts';
import type { ResultFeature } from './evidence.ts';
import { middleOf } from '../../map/middle-of.ts';

/** Longest geometry that fits into an address; a longer one is looked up by its middle. */
const MOST_CHARACTERS = 6_000;

/** The features that counted around a facility, by what regional packs know. None for plots. */
export async function surroundingsOf(feature: ResultFeature, signal: AbortSignal): Promise<readonly Feature[]> {
  const { geometry, properties } = feature;
  const middle = middleOf(geometry);
  if (geometry === null || middle === null || properties.location_type === 'plot') return [];
  const wkt = wktOf(geometry);
  const place = wkt === null || wkt.length > MOST_CHARACTERS ? `POINT(${middle.join(' ')})` : wkt;
  const commodity = properties.commodity_type;
  const answer = await call('getFacilitySurroundings', {
    query: { geometry: place, ...(commodity === null ? {} : { commodity_type: commodity }) },
    accept: 'application/geo+json',
    signal,
  });
  return answer.features as unknown as Feature[];
}

function wktOf(geometry: Geometry): string | null {
  const list = (positions: readonly Position[]): string => `(${positions.map(([x, y]) => `${x} ${y}`).join(',')})`;
  if (geometry.type === 'Point') return `POINT${list([geometry.coordinates])}`;
  if (geometry.type === 'Polygon') return `POLYGON(${geometry.coordinates.map(list).join(',')})`;
  return null;
}
