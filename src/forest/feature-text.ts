import type { Crs } from '../geo/crs/find-crs.ts';
import { isExactNumber } from '../geo/parse-json.ts';
import type { Patch, PatchProperties } from './patch.ts';
import { isRecord } from '../is-record.ts';

/** A patch with its geometry already written as JSON, which is how it travels between threads. */
export interface WrittenPatch {
  /** GeoJSON text, or null. */
  readonly geometry: string | null;
  readonly properties: PatchProperties;
}

/** An answer to one input feature, its geometry already written. */
export interface WrittenAnswer {
  /** GeoJSON text, or null. */
  readonly geometry: string | null;
  readonly properties: object;
}

export function writePatch({ geometry, properties }: Patch): WrittenPatch {
  return { geometry: geometry === null ? null : JSON.stringify(geometry), properties };
}

/** An answer, such as a patch, as a GeoJSON feature: id and properties of the input kept, a computed property before an input one. */
export function featureText(input: unknown, answer: WrittenAnswer): string {
  const { id, properties } = isRecord(input) ? input : NOTHING;
  const own = isRecord(properties) && !isExactNumber(properties) ? properties : NOTHING;
  const idText = isId(id) ? `"id":${JSON.stringify(id)},` : '';
  return `{"type":"Feature",${idText}"geometry":${answer.geometry ?? 'null'},"properties":${JSON.stringify({ ...own, ...answer.properties })}}`;
}

/** The features as a GeoJSON collection, piece by piece. It names its CRS when that is not longitude, latitude on WGS84. */
export function* collectionText(inputs: readonly unknown[], answers: readonly WrittenAnswer[], crs: Crs) {
  const named = crs.code === 4326 ? '' : `"crs":${JSON.stringify({ type: 'name', properties: { name: crs.urn } })},`;
  yield `{"type":"FeatureCollection",${named}"features":[`;
  for (const [i, answer] of answers.entries()) yield `${i === 0 ? '' : ','}${featureText(inputs[i], answer)}`;
  yield ']}';
}

const NOTHING: Readonly<Record<string, unknown>> = {};

function isId(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || isExactNumber(value);
}
