import type { ThemeName } from '../themes/themes.ts';
import { faultOf } from '../io/source-fault.ts';

const COMMON = ['id', 'geometry', 'bbox', 'names'] as const;
const CLASSED = [...COMMON, 'subtype', 'class'] as const;

interface TypeLayout {
  /** The type in Overture's word. */
  readonly type: string;
  readonly folder: string;
  /** Columns that are read; one that is missing stops the import. */
  readonly columns: readonly string[];
  /** Columns that took one another's place in the course of time: those that are there are read, and one has to be. */
  readonly oneOf?: readonly string[];
}

/** The types of Overture that a pack is made of: where they lie in a release and the columns that are read. */
export const OVERTURE_TYPES = [
  { type: 'segment', folder: 'theme=transportation/type=segment', columns: CLASSED },
  { type: 'water', folder: 'theme=base/type=water', columns: CLASSED },
  { type: 'building', folder: 'theme=buildings/type=building', columns: CLASSED },
  {
    type: 'place',
    folder: 'theme=places/type=place',
    columns: [...COMMON, 'brand', 'sources', 'confidence', 'operating_status'],
    // `categories` to August 2026, the others since late 2025.
    oneOf: ['taxonomy', 'basic_category', 'categories'],
  },
  { type: 'infrastructure', folder: 'theme=base/type=infrastructure', columns: CLASSED },
  { type: 'land_use', folder: 'theme=base/type=land_use', columns: CLASSED },
] as const satisfies readonly TypeLayout[];

export type OvertureType = TypeLayout & (typeof OVERTURE_TYPES)[number];

/** The themes of a pack that Overture fills. */
export const OVERTURE_THEMES = [
  'roads',
  'water',
  'buildings',
  'businesses',
  'ports',
  'industrial',
] as const satisfies readonly ThemeName[];

export const OVERTURE_LICENCE = 'ODbL-1.0 AND CDLA-Permissive-2.0';
export const OVERTURE_ATTRIBUTION = '© OpenStreetMap contributors, Overture Maps Foundation';
/** Where releases are published. */
export const OVERTURE_URL = 'https://overturemaps-us-west-2.s3.us-west-2.amazonaws.com';
/** The other cloud that has the same files. */
export const OVERTURE_MIRROR = 'https://overturemapswestus2.blob.core.windows.net';
/** The STAC catalogue of releases, and the bucket that its host stands before. */
export const OVERTURE_INDEX_URL = 'https://stac.overturemaps.org';
export const OVERTURE_INDEX_MIRROR = 'https://overturemaps-extras-us-west-2.s3.us-west-2.amazonaws.com/stac';

/** What is wrong with a release or one of its files. */
export class OvertureError extends faultOf('OvertureError', 'choose another release or a mirror') {}
