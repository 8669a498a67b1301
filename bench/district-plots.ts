import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { DISTRICT } from '../src/readers/sample-district/district.ts';

/**
 * Writes made-up plots over the made-up district as GeoJSON: seven of ten are polygons of 5 to 12 corners, of which some reach onto the next,
 * the others points with an area.
 */
export async function writeDistrictPlots(path: string, count: number): Promise<void> {
  const random = seededRandom(20);
  const [west, south, east, north] = DISTRICT.bbox;
  const side = Math.ceil(Math.sqrt(count));
  const [dx, dy] = [((east - west) * 0.9) / side, ((north - south) * 0.9) / side];
  const out = createWriteStream(path);
  out.write('{"type":"FeatureCollection","features":[\n');
  for (let i = 0; i < count; i++) {
    const lon = west + (east - west) * 0.05 + ((i % side) + 0.5) * dx;
    const lat = south + (north - south) * 0.05 + (Math.floor(i / side) + 0.5) * dy;
    const isPolygon = i % 10 < 7;
    const corners = 5 + Math.floor(random() * 8);
    // Some reach over the edge of their cell onto the next plot.
    const ring = Array.from({ length: corners }, (_, k) => {
      const far = 0.3 + 0.25 * random();
      const angle = (2 * Math.PI * k) / corners;
      return [degrees(lon + dx * far * Math.cos(angle)), degrees(lat + dy * far * Math.sin(angle))];
    });
    const geometry = isPolygon
      ? { type: 'Polygon', coordinates: [[...ring, ring[0]]] }
      : { type: 'Point', coordinates: [degrees(lon), degrees(lat)] };
    const properties = {
      name: `made-up plot ${i}`,
      location_id: `p${i}`,
      location_type: 'plot',
      country: 'MY',
      commodity_type: 'palm',
      supplier_name: `made-up farmer ${i % 997}`,
      ...(isPolygon ? {} : { area_ha: 1 + (i % 4) }),
    };
    const line = JSON.stringify({ type: 'Feature', id: i, geometry, properties });
    if (!out.write(i === 0 ? line : `,\n${line}`)) await once(out, 'drain');
  }
  out.end('\n]}\n');
  await once(out, 'close');
}

function degrees(value: number): number {
  return Number(value.toFixed(8));
}
