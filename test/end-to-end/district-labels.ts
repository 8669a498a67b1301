import { utmProjection } from '../../src/geo/crs/utm.ts';
import { seededRandom } from '../../src/geo/seeded-random.ts';
import { DISTRICT, standAt } from '../../src/readers/sample-district/district.ts';

/** Points spread over the district with what its plan says of them. */
export function districtLabels(count: number) {
  const random = seededRandom(3);
  const projection = utmProjection(48, true);
  const place = new Float64Array(2);
  return Array.from({ length: count }, (_, i) => {
    // Every third in the estate, which is small.
    const inEstate = i % 3 === 0;
    const column = Math.floor(inEstate ? 168 + random() * 72 : 12 + random() * 230);
    const row = Math.floor(inEstate ? 186 + random() * 54 : 12 + random() * 230);
    // Cells of 20 m begin a pixel before the raster.
    const [x, y] = [
      DISTRICT.west + (column * 2 - DISTRICT.phase + 0.5) * 10,
      DISTRICT.north - (row * 2 - DISTRICT.phase + 0.5) * 10,
    ];
    projection.toLonLat(x, y, place, 0);
    const geometry = { type: 'Point', coordinates: [...place] };
    return {
      type: 'Feature',
      geometry,
      properties: { cover: standAt(column, row).cover, region: column < 204 ? 'west' : 'east' },
    };
  });
}
