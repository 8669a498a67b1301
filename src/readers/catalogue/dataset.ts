import type { Bbox } from '../../geo/shapes/shape.ts';
import type { Contract } from './contract.ts';

/** What a dataset is used for. For a role the first dataset of the catalogue that covers the place answers. */
export const DATASET_ROLES = [
  'countries',
  'water',
  'ports',
  'settlements',
  'roads',
  'buildings',
  'industrial-land',
  'businesses',
  'producers',
  'commodity-map',
  'commodity-model',
  'plantation-mask',
  'built-up',
  'embeddings',
  'forest-labels',
  'forest-mask',
  'loss-year',
  'alerts',
  'alert-dates',
  'biomass',
  'canopy-height',
  'evidence',
  'natural-land',
  'protected-land',
  'parcels',
  'geocoder',
] as const;
export type DatasetRole = (typeof DATASET_ROLES)[number];

/** How a dataset's bytes are read. */
export const DATASET_KINDS = [
  'package',
  'flatgeobuf',
  'geojson',
  'geoparquet',
  'cog',
  'cog-index',
  'zarr',
  'model',
  'registry',
  'service',
] as const;
export type DatasetKind = (typeof DATASET_KINDS)[number];

/** The ground a dataset covers: a box, or polygons (each an exterior ring and holes) in degrees. */
export type Coverage = { readonly bbox: Bbox } | { readonly polygons: readonly (readonly Float64Array[])[] };

/** An entry of the catalogue. Exactly one of `url`, `path` and `package` says where the data is. */
export interface Dataset {
  readonly id: string;
  readonly role: DatasetRole;
  readonly kind: DatasetKind;
  /** Address, which may be a template with `{names}`. */
  readonly url?: string;
  /** File or folder; absolute. */
  readonly path?: string;
  /** npm package that carries the data. */
  readonly package?: string;
  readonly coverage: Coverage;
  readonly version: string;
  /** Day, month or year the data describes: `2017-12-01`, `2017-12` or `2017`. */
  readonly date: string | null;
  /** SPDX identifier or name of the licence. */
  readonly licence: string;
  /** The credit that must be shown. */
  readonly attribution: string;
  /** True for generated data that describes no real place. */
  readonly synthetic: boolean;
  /** Settings of the reader of this kind. */
  readonly options: Readonly<Record<string, unknown>>;
  /** What data at an address is relied on for; absent: that its address answers with something of its kind. */
  readonly contract?: Contract;
}
