import type { Dataset } from '../catalogue/dataset.ts';
import { PLAIN_CONTRACT, type Contract } from '../catalogue/contract.ts';
import { rasterPlace } from '../rasters/raster-spec.ts';
import { tileOfPlace, type TileRef } from '../rasters/tile-template.ts';

/** The contract of a dataset at an address; null for one on this machine, and for services and models, which are used otherwise. */
export function contractOf({ url, kind, contract }: Dataset): Contract | null {
  if (url === undefined || kind === 'service' || kind === 'model' || kind === 'registry') return null;
  return contract ?? PLAIN_CONTRACT;
}

/** The file of a raster that its contract says is there; null where it says of none. */
export function sentinelFile(dataset: Dataset): TileRef | null {
  const { sentinel } = contractOf(dataset) ?? PLAIN_CONTRACT;
  const { maps, years } = dataset.options;
  const [map = null] = Object.values((maps ?? {}) as Readonly<Record<string, string>>);
  const url = map === null ? (dataset.url ?? '') : new URL(map, dataset.url).href;
  const year = Array.isArray(years) ? Math.max(...(years as number[])) : null;
  const { address, scheme } = rasterPlace({ ...dataset, url: url.replaceAll('{year}', String(year)) });
  if (scheme === null) return { address, box: null };
  if (sentinel === null) {
    const [listed = null] = scheme.listed ?? [];
    return listed === null ? null : { address: siblingOf(scheme.template, listed), box: null };
  }
  if (typeof sentinel === 'string') return { address: siblingOf(scheme.template, sentinel), box: null };
  return tileOfPlace(scheme, ...sentinel);
}

function siblingOf(template: string, name: string): string {
  return `${template.slice(0, template.lastIndexOf('/') + 1)}${name}`;
}
