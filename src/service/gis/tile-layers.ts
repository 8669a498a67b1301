import { SUMMARY_LAYER } from '../../gis/tiles/make-tile.ts';
import type { FeatureRows } from '../../gis/feature-rows.ts';
import { type MapSet, propertiesOf } from './map-sets.ts';

/** The layer of the features, in tiles of every set. */
const FEATURES = 'features';

const FIELD_TYPES = { string: 'String', number: 'Number', boolean: 'Boolean' } as const;

/** How tiles of a set are made. */
export function tileLayerOf({ tileProperties }: MapSet) {
  return { name: FEATURES, properties: tileProperties };
}

/** What TileJSON says of the layers of a set. */
export async function vectorLayers(set: MapSet, rows: FeatureRows, signal: AbortSignal) {
  const types = await propertiesOf(rows, signal);
  const fields = set.tileProperties.flatMap((name) => {
    const type = types.get(name);
    return type === undefined ? [] : [[name, FIELD_TYPES[type]] as const];
  });
  return [
    {
      id: FEATURES,
      description: 'The features; with `stands_for` one that stands for others of its neighbourhood.',
      fields: { id: 'String', ...Object.fromEntries(fields), stands_for: 'Number', drawn_as: 'String' },
    },
    {
      id: SUMMARY_LAYER,
      description: 'In tiles that leave features out: how many.',
      fields: { features: 'Number', features_drawn: 'Number', features_left_out: 'Number' },
    },
  ];
}
