/**
 * Roads that a lorry or a tractor can use, in the words of OpenStreetMap's `highway` and of Overture. Paths, steps, footways
 * and cycleways are none.
 */
export const ROAD_CLASSES = [
  'motorway',
  'motorway_link',
  'trunk',
  'trunk_link',
  'primary',
  'primary_link',
  'secondary',
  'secondary_link',
  'tertiary',
  'tertiary_link',
  'unclassified',
  'residential',
  'living_street',
  'service',
  'road',
  'track',
] as const;

/** The same in packs: Overture has roads of class `unknown`, most of them from TomTom alone, which are roads and nothing more is known. */
export const PACK_ROAD_CLASSES = [...ROAD_CLASSES, 'unknown'] as const;
