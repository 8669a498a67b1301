import type { Config } from '../../config/settings.ts';
import { LEAST_GEOCODE_CONFIDENCE } from '../../collections/location-confidence.ts';
import { PART_CHARACTERS, PART_LOCATIONS } from './parts.ts';

/** What collections may hold and how they are worked on. */
export function collectionLimits({ maxCollectionMb }: Pick<Config, 'maxCollectionMb'>) {
  return [
    {
      name: 'collection_mb',
      value: maxCollectionMb,
      unit: 'MB',
      description: 'The file of a collection, in MB of 1,000,000 bytes.',
    },
    {
      name: 'collection_part_locations',
      value: PART_LOCATIONS.most,
      unit: 'locations',
      description: 'Locations of a batch that are stored together: a crash can undo only a few of these parts.',
    },
    {
      name: 'collection_part_characters',
      value: PART_CHARACTERS,
      unit: 'characters',
      description: 'Characters of locations after which they are kept whatever their number.',
    },
    {
      name: 'collection_geocode_confidence',
      value: LEAST_GEOCODE_CONFIDENCE,
      unit: '1',
      description: 'Geocoding confidence below which a location of a collection is not processed.',
    },
  ];
}
