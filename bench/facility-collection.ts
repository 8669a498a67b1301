import { seededRandom } from '../src/geo/seeded-random.ts';

/**
 * A synthetic FeatureCollection as text, a feature a piece and the same in every run: facilities of about 950 bytes, each a
 * footprint of 25 corners and the columns of a supplier's list.
 */
export function* collectionText(count: number): Generator<string, void> {
  const random = seededRandom(20_201_231);
  yield '{"type":"FeatureCollection","features":[\n';
  for (let id = 0; id < count; id++) {
    const [lon, lat] = [random() * 360 - 180, random() * 140 - 70];
    const corner = (_: unknown, k: number) =>
      [lon + 0.002 * Math.cos(k / 4), lat + 0.002 * Math.sin(k / 4)].map((degrees) => Number(degrees.toFixed(9)));
    const ring = Array.from({ length: 25 }, corner);
    const properties = {
      facility_name: `Mill ${id}`,
      supplier: `Supplier ${Math.floor(random() * 1000)}`,
      country: 'Côte d’Ivoire',
      remarks: 'r'.repeat(100),
      capacity: random() * 100,
    };
    yield `${id === 0 ? '' : ',\n'}${JSON.stringify({ type: 'Feature', id, geometry: { type: 'Polygon', coordinates: [[...ring, ring[0]]] }, properties })}`;
  }
  yield '\n]}\n';
}
