/** Every distance, area and share the checks decide by. Published by `GET /limits`. */
export const THRESHOLDS = {
  /** Metres. Motor roads and tracks count, paths and steps do not. */
  roadM: 1_000,
  /** Metres to a water body or river. */
  waterM: 5_000,
  /** Metres to a sea port. */
  portM: 50_000,
  /** Metres to a relevant business. */
  businessM: 2_000,
  /** Metres around the facility in which buildings count. */
  buildingM: 100,
  /** One footprint of this many m2, or industrial use, makes the buildings large. */
  largeFootprintM2: 1_000,
  /** One footprint of this many m2 makes them medium. */
  mediumFootprintM2: 200,
  /** So do footprints of this many m2 together. */
  mediumTogetherM2: 500,
  /** Built-up share above which an area is dense. */
  denseBuiltUpShare: 0.5,
  /** Metres in which the built-up share is taken. */
  denseRadiusM: 500,
  /** Share of the area inside the commodity radius from which presence is full. */
  fullPresenceShare: 0.05,
  /** Part of what is searched that has to be known before something not found counts as absent. */
  leastCoveredShare: 0.95,
  /** Metres from a land border within which its other side is named. */
  borderM: 5_000,
  /** Fewer decimals than this in both coordinates of a point raise a warning. */
  coordinateDecimals: 3,
  /** Weight of the name in the producer's score; the rest is nearness. */
  producerNameWeight: 0.7,
  /** Metres up to which nearness is 1. */
  producerNearM: 1_000,
  /** Metres from which nearness is 0; straight in between. */
  producerFarM: 5_000,
  /** Metres around the records of a registry within which it answers for a place. */
  producerSearchM: 25_000,
  /** Producer score from which a producer is confirmed. */
  producerConfirmed: 0.8,
} as const;

/** What `building_presence` is worth by class of the buildings nearby. */
export const BUILDING_VALUES = { large: 0.23, medium: 0.12, none: 0 } as const;

export type BuildingClass = keyof typeof BUILDING_VALUES;

/**
 * What is taken off the score, in hundredths, when an indicator's value lies in the range (inclusive, in hundredths).
 * Ranges of one indicator exclude each other. Published by `GET /limits`.
 */
export const PENALTIES = [
  { indicator: 'commodity_presence', condition: 'commodity_presence = 0', from: 0, to: 0, hundredths: 50 },
  { indicator: 'commodity_presence', condition: '0 < commodity_presence < 1', from: 1, to: 99, hundredths: 25 },
  { indicator: 'poi_presence', condition: 'poi_presence = 0', from: 0, to: 0, hundredths: 20 },
  { indicator: 'building_presence', condition: 'building_presence = 0', from: 0, to: 0, hundredths: 15 },
  { indicator: 'road_access', condition: 'road_access = 0', from: 0, to: 0, hundredths: 15 },
  { indicator: 'high_density', condition: 'high_density = 1', from: 100, to: 100, hundredths: 10 },
] as const;

/** Lowest score of each level, in hundredths, best first. `low` also takes failed country, latitude and commodity checks. */
export const LEVELS = [
  { level: 'high', from: 70 },
  { level: 'medium', from: 45 },
  { level: 'low', from: 0 },
] as const;

/** Least part of the scored weight that was assessed, in hundredths, for each basis of a score. Published by `GET /limits`. */
export const BASES = [
  { basis: 'verified', from: 80 },
  { basis: 'partly_verified', from: 40 },
  { basis: 'unverified', from: 0 },
] as const;

/** How much of a score rests on what was really looked at. */
export type ConfidenceBasis = (typeof BASES)[number]['basis'];

export type ConfidenceLevel = (typeof LEVELS)[number]['level'] | 'invalid';
