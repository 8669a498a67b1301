import { submit, USUAL_ORDER } from '../facilities/submit.ts';

const AREA_DEGREES = 0.0018;

/** Three facilities and three plots of the made-up sample district, as one file: what a first look needs. */
function sampleFile(): File {
  const facilities = [
    ['Kilang Sawit Contoh', 102.6124, 4.5821],
    ['Gudang Getah Contoh', 102.5853, 4.599],
    ['Station Contoh', 102.6053, 4.6102],
  ] as const;
  const plots = [
    ['Lot Contoh 1', 102.600001, 4.590001],
    ['Lot Contoh 2', 102.610001, 4.600001],
    ['Lot Contoh 3', 102.595001, 4.605001],
  ] as const;
  const features = [
    ...facilities.map(([name, lon, lat]) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { name, location_type: 'facility', commodity: 'palm', country: 'MY' },
    })),
    ...plots.map(([name, lon, lat]) => ({
      type: 'Feature',
      geometry: { type: 'Polygon', coordinates: [squareAt(lon, lat)] },
      properties: {
        ProductionPlace: name,
        ProducerName: 'Pekebun Contoh',
        ProducerCountry: 'MY',
        location_type: 'plot',
        commodity: 'palm',
      },
    })),
  ];
  return new File([JSON.stringify({ type: 'FeatureCollection', features })], 'sample.geojson', {
    type: 'application/geo+json',
  });
}

function squareAt(lon: number, lat: number): readonly (readonly number[])[] {
  const [east, north] = [lon + AREA_DEGREES, lat + AREA_DEGREES];
  return [
    [lon, lat],
    [east, lat],
    [east, north],
    [lon, north],
    [lon, lat],
  ];
}

/** Checks the sample and gives the id of its task. */
export function checkSample(signal: AbortSignal): Promise<string> {
  return submit(sampleFile(), USUAL_ORDER, signal, () => {});
}
