/** Plots made for a test, each a square of about 11 ha around a place unless `shape` says otherwise, and what is expected of it. */
export interface MadePlot {
  readonly name: string;
  readonly lon: number;
  readonly lat: number;
  readonly commodity: string | null;
  /** As the file states it; null: it does not. */
  readonly country: string | null;
  readonly shape?: 'point';
  /** With a map of forest, of losses and of every commodity that cover the world and find nothing wrong. */
  readonly confidence: 'high' | 'medium' | 'low';
  /** The check that does not pass, with its status and the warning it raises. */
  readonly why?: readonly [check: string, status: 'warn' | 'fail' | 'unknown', warning?: string];
}

type Row = readonly [
  name: string,
  lon: number,
  lat: number,
  commodity: string | null,
  country: string | null,
  confidence: MadePlot['confidence'],
  why?: MadePlot['why'],
  shape?: 'point',
];

const SEA = ['position', 'fail', 'off_land'] as const;
const SHORE = ['position', 'warn', 'partly_in_water'] as const;
const SWAPPED = ['position', 'fail', 'coordinates_swapped'] as const;
const ELSEWHERE = ['country', 'fail', 'country_mismatch'] as const;
const NOT_GROWN = ['commodity_zone', 'fail', 'country_not_producing'] as const;
const TOO_FAR = ['commodity_zone', 'fail', 'latitude_beyond_limit'] as const;
const MARGINAL = ['commodity_zone', 'warn', 'latitude_marginal'] as const;
const UNKNOWN_CROP = ['commodity_zone', 'unknown'] as const;
const BORDER = ['country', 'warn', 'near_border'] as const;

const ROWS: readonly Row[] = [
  // Nothing wrong.
  ['cocoa in Ashanti', -1.6244, 6.4012, 'cocoa', 'GH', 'high'],
  ['cocoa in Soubre', -6.6512, 5.9034, 'cocoa', 'CI', 'high'],
  ['cocoa in Ecuador', -79.5321, -1.2045, 'cocoa', 'Ecuador', 'high'],
  ['coffee in Huila', -75.7312, 2.1045, 'coffee', 'CO', 'high'],
  ['coffee in Sidama', 38.4123, 6.7034, 'coffee', 'ET', 'high'],
  ['coffee in Dak Lak', 108.1534, 12.7034, 'coffee', 'VN', 'high'],
  ['palm in Riau', 101.6034, 0.8123, 'palm', 'ID', 'high'],
  ['palm in Pahang', 102.6034, 3.6123, 'palm', 'MY', 'high'],
  ['rubber in Songkhla', 100.4534, 6.8534, 'rubber', 'TH', 'high'],
  ['soy in Mato Grosso', -55.7034, -12.6534, 'soy', 'BR', 'high'],
  ['soy in Cordoba', -63.2034, -32.6534, 'soy', 'AR', 'high'],
  ['timber in Chugoku', 133.0034, 35.0034, 'timber', 'JP', 'high'],
  ['cattle in Goias', -50.3034, -16.3534, 'cattle', 'BR', 'high'],
  ['cocoa without a country', -1.7244, 6.5012, 'cocoa', null, 'high'],
  ['coffee as a point', -75.7512, 2.1245, 'coffee', 'CO', 'high', undefined, 'point'],
  // In the sea.
  ['mid-Atlantic', -30.0034, 5.0034, 'cocoa', null, 'low', SEA],
  ['mid-Pacific', -150.0034, -30.0034, 'timber', null, 'low', SEA],
  ['Indian Ocean without a commodity', 75.0034, -20.0034, null, null, 'low', SEA],
  ['off Accra, said to be Ghana', -0.2034, 5.0034, 'cocoa', 'GH', 'low', SEA],
  ['off Sumatra', 98.0034, -2.5034, 'palm', null, 'low', SEA],
  ['Gulf of Mexico as a point', -90.0034, 25.0034, 'cattle', null, 'low', SEA, 'point'],
  ['Arctic Ocean', 0.5034, 85.0034, 'timber', null, 'low', SEA],
  ['Caspian Sea', 51.0034, 41.5034, 'cattle', null, 'low', SEA],
  // In lakes.
  ['Lake Victoria', 33.0034, -1.0034, 'coffee', 'UG', 'low', SEA],
  ['Lake Victoria as a point', 33.0534, -1.0534, 'coffee', 'UG', 'low', SEA, 'point'],
  ['Lake Superior', -87.5034, 47.6034, 'timber', null, 'low', SEA],
  ['Lake Titicaca', -69.4034, -15.8534, 'coffee', 'PE', 'low', SEA],
  ['Lake Volta', 0.0834, 7.4034, 'cocoa', 'GH', 'medium', SHORE],
  // Exchanged coordinates.
  ['Ghana exchanged, said to be Ghana', 6.4012, -1.6244, 'cocoa', 'GH', 'low', SWAPPED],
  ['Ghana exchanged, without a country', 6.4012, -1.6244, 'cocoa', null, 'low', SWAPPED],
  ['Ghana exchanged, nothing else known', 6.4112, -1.6344, null, null, 'low', SWAPPED],
  ['Riau exchanged', 0.8123, 101.6034 - 90, 'palm', 'ID', 'low', ['country', 'fail', 'country_mismatch']],
  ['Dak Lak exchanged with its sign lost', 12.7034, -75.1534, 'coffee', 'VN', 'low', ELSEWHERE],
  ['Ethiopia exchanged', 6.7034, 38.4123, 'coffee', 'ET', 'low', SWAPPED],
  ['Pahang exchanged for Gabon', 3.6123, 2.6034, 'palm', null, 'low', SEA],
  // Nowhere.
  ['null island as a point', 0, 0, 'cocoa', 'GH', 'low', ['position', 'fail', 'null_island'], 'point'],
  ['null island as an outline', 0, 0, 'cocoa', null, 'low', SEA],
  // Another country.
  ['said to be Ghana, in Togo', 1.0034, 7.6034, 'cocoa', 'GH', 'low', ELSEWHERE],
  ['said to be Brazil, in Bolivia', -63.0034, -16.5034, 'soy', 'BR', 'low', ELSEWHERE],
  ['said to be Indonesia, in Malaysia', 102.6034, 3.6623, 'palm', 'ID', 'low', ELSEWHERE],
  ['said to be Peru, in Colombia', -73.0034, 4.0034, 'coffee', 'PE', 'low', ELSEWHERE],
  // Where the commodity does not grow.
  ['cocoa at 62 N', 26.6534, 62.0034, 'cocoa', 'FI', 'low', TOO_FAR],
  ['cocoa in Kansas', -98.0034, 38.5034, 'cocoa', 'US', 'low', TOO_FAR],
  ['palm in Germany', 10.0034, 51.0034, 'palm', 'DE', 'low', TOO_FAR],
  ['coffee in Siberia', 100.0034, 60.0034, 'coffee', 'RU', 'low', TOO_FAR],
  ['soy in Lapland', 26.0034, 68.0034, 'soy', 'FI', 'low', TOO_FAR],
  ['rubber in northern China', 110.0034, 40.0034, 'rubber', 'CN', 'low', TOO_FAR],
  ['cocoa in the Sahara', 5.0034, 24.0034, 'cocoa', 'DZ', 'low', NOT_GROWN],
  ['coffee in the Sahara', 10.0034, 20.0034, 'coffee', 'NE', 'low', NOT_GROWN],
  ['cocoa in Poland', 19.0034, 52.0034, 'cocoa', 'PL', 'low', NOT_GROWN],
  ['palm in Kenya', 37.0034, -0.5034, 'palm', 'KE', 'low', NOT_GROWN],
  ['soy in India', 77.0034, 23.0034, 'soy', 'IN', 'low', NOT_GROWN],
  ['rubber in Assam', 92.6034, 26.2034, 'rubber', 'IN', 'medium', MARGINAL],
  ['palm in northern Thailand', 99.0034, 18.5034, 'palm', 'TH', 'medium', MARGINAL],
  ['timber in Gabon', 11.5034, -0.8034, 'timber', 'GA', 'medium', MARGINAL],
  // What nothing is known of.
  ['the Sahara without a commodity', 5.1034, 24.1034, null, null, 'medium', UNKNOWN_CROP],
  ['a plot in Ghana without a commodity', -1.6344, 6.4112, null, 'GH', 'medium', UNKNOWN_CROP],
  ['tea in Kenya', 35.2034, -0.4034, 'tea', 'KE', 'medium', UNKNOWN_CROP],
  // At a border and on a shore.
  ['two kilometres from Togo, without a country', 0.5234, 6.9034, 'cocoa', null, 'medium', BORDER],
  ['on the beach of Accra', -0.1534, 5.5574, 'cocoa', 'GH', 'medium', SHORE],
];

export const MADE_PLOTS: readonly MadePlot[] = ROWS.map(
  ([name, lon, lat, commodity, country, confidence, why, shape]) => ({
    name,
    lon,
    lat,
    commodity,
    country,
    confidence,
    ...(why === undefined ? {} : { why }),
    ...(shape === undefined ? {} : { shape }),
  }),
);

/** Half the side of a square, in degrees. */
const HALF = 0.0015;

/** The plots as a GeoJSON file. */
export function madePlotsFile(plots: readonly MadePlot[]): string {
  const features = plots.map(({ name, lon, lat, commodity, country, shape }, i) => {
    const six = (value: number): number => Math.round(value * 1e6) / 1e6;
    const [west, south, east, north] = [lon - HALF, lat - HALF, lon + HALF, lat + HALF].map((value) =>
      six(value + 1.3e-6),
    );
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    return {
      type: 'Feature',
      id: `made-${i}`,
      geometry:
        shape === 'point'
          ? { type: 'Point', coordinates: lon === 0 ? [0, 0] : [six(lon + 1.3e-6), six(lat + 1.3e-6)] }
          : { type: 'Polygon', coordinates: [ring] },
      properties: {
        location_type: 'plot',
        name,
        ...(shape === 'point' ? { area_ha: 2 } : {}),
        ...(commodity === null ? {} : { commodity_type: commodity }),
        ...(country === null ? {} : { country }),
      },
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', features });
}
