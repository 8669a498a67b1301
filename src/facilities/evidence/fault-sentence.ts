import type { GeometryFault } from '../../geo/shapes/to-shape.ts';
import type { Said } from '../../messages/said.ts';

/** What is wrong with a geometry. Its English names wanted and got; other languages get the kind of fault and the place. */
export function faultSentence({ code, message }: GeometryFault): Said {
  const [where = 'geometry'] = /(geometries\[\d+\]\.)*coordinates(\[\d+\])*/.exec(message) ?? [];
  return { code: `fault.${code}`, params: { where }, message };
}
