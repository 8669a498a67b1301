/** How sentences call what a facility is checked for: an indicator, or the country or latitude of its place. */
export const SUBJECT_WORDS = {
  country: 'the country',
  latitude: 'the latitude',
  commodity_presence: 'the commodity',
  poi_presence: 'businesses',
  building_presence: 'buildings',
  road_access: 'roads',
  water_access: 'water',
  port_proximity: 'ports',
  high_density: 'building density',
  producer_confirmation: 'the producer',
} as const;
