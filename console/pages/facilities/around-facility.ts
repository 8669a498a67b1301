import type { Feature, FeatureCollection } from 'geojson';
import { geodesicCircle } from '../../map/geodesic-circle.ts';
import { middleOf } from '../../map/middle-of.ts';
import { formatDistance } from '../../text/translate.ts';
import type { ResultFeature } from './evidence.ts';

/** What is drawn around the chosen facility: itself, circles of so many metres with their names, and what counted. */
export function aroundFacility(
  selected: ResultFeature | null,
  circles: readonly number[],
  counted: readonly Feature[],
): Readonly<Record<'rings' | 'ringLabels' | 'counted' | 'selected', FeatureCollection>> {
  const at = selected === null ? null : middleOf(selected.geometry);
  if (selected === null || selected.geometry === null || at === null)
    return {
      rings: collectionOf([]),
      ringLabels: collectionOf([]),
      counted: collectionOf([]),
      selected: collectionOf([]),
    };
  const rings = circles.map((radius) => geodesicCircle(at[0], at[1], radius));
  const labels = rings.map(({ geometry, properties }): Feature => {
    const [lon = 0, lat = 0] = geometry.coordinates[0]?.[0] ?? [];
    return {
      type: 'Feature',
      properties: { text: formatDistance(properties.radius_m) },
      geometry: { type: 'Point', coordinates: [lon, lat] },
    };
  });
  return {
    rings: collectionOf(rings),
    ringLabels: collectionOf(labels),
    counted: collectionOf(counted),
    selected: collectionOf([
      selected as Feature,
      { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [...at] } },
    ]),
  };
}

export function collectionOf(features: readonly Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features: [...features] };
}
