import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { Dataset } from '../catalogue/dataset.ts';

/** A record of a registry as an import finds it. */
export interface RegistryRecord {
  readonly id: string;
  /** The name first, then names it goes by too. */
  readonly names: readonly string[];
  /** Degrees; null where the record has no place. */
  readonly at: readonly [lon: number, lat: number] | null;
  /** ISO 3166-1 alpha-2, upper case; null when it is not known. */
  readonly country: string | null;
}

/** What a registry file says of itself. */
export interface RegistryMeta extends Pick<Dataset, 'version' | 'date' | 'licence' | 'attribution' | 'synthetic'> {
  /** How comments call it. */
  readonly title: string;
  /** Of whose chains the records are; absent: it is not known, and they count for every commodity. */
  readonly commodities?: readonly Commodity[];
  readonly records: number;
  /** Those with a place; they come first. */
  readonly located: number;
  /** West, south, east, north of the located records; null when there are none. */
  readonly bbox: readonly [number, number, number, number] | null;
}

/** Most records of one registry. */
export const MAX_RECORDS = 500_000;
/** Names of one record that are kept. */
export const MAX_NAMES = 8;
/** Units in a degree in which places are kept: 1.1 cm. */
export const REGISTRY_SCALE = 1e7;
/** Names the layout of the file: another one is not read. */
export const REGISTRY_LAYOUT = 'producers 1';
/** Between the names of a record. */
export const NAME_SEPARATOR = '\n';
