import type { ThemeName } from '../packs/themes.ts';

/** The types of Overture that a pack is made of: where they lie in a release and the columns that are read. */
export const OVERTURE_TYPES = [
  {
    folder: 'theme=transportation/type=segment',
    theme: 'roads',
    columns: ['id', 'geometry', 'bbox', 'subtype', 'class', 'names'],
  },
  { folder: 'theme=base/type=water', theme: 'water', columns: ['id', 'geometry', 'bbox', 'subtype', 'class', 'names'] },
  {
    folder: 'theme=buildings/type=building',
    theme: 'buildings',
    columns: ['id', 'geometry', 'bbox', 'subtype', 'class', 'names'],
  },
  {
    folder: 'theme=places/type=place',
    theme: 'businesses',
    columns: ['id', 'geometry', 'bbox', 'categories', 'names', 'brand', 'confidence', 'operating_status'],
  },
  {
    folder: 'theme=base/type=infrastructure',
    theme: 'ports',
    columns: ['id', 'geometry', 'bbox', 'subtype', 'class', 'names'],
  },
] as const satisfies readonly {
  readonly folder: string;
  readonly theme: ThemeName;
  readonly columns: readonly string[];
}[];

export type OvertureType = (typeof OVERTURE_TYPES)[number];

/** Where releases are published. */
export const OVERTURE_URL = 'https://overturemaps-us-west-2.s3.us-west-2.amazonaws.com';

/** What is wrong with a release or one of its files. */
export class OvertureError extends Error {
  override readonly name = 'OvertureError';
  constructor(place: string, detail: string, options?: ErrorOptions) {
    super(`${place}: ${detail}`, options);
  }
}
