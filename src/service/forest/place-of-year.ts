import type { EmbeddingPlace, EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { compareZones, toPixel } from '../../readers/embeddings/zone-raster/degrees.ts';

/** The raster of a year that covers a place, and where on it the place lies; null where there is none. */
export async function placeOfYear(
  source: EmbeddingSource,
  lon: number,
  lat: number,
  year: number,
  signal: AbortSignal,
): Promise<EmbeddingPlace | null> {
  const compare = compareZones(lon, lat);
  const rasters = await source.rasters([lon, lat, lon, lat], year, signal);
  const [first] = rasters
    .map((raster) => ({
      place: { raster, ...toPixel(raster, lon, lat) },
      zone: { epsg: Number(raster.crs.slice('EPSG:'.length)), inFootprint: true },
    }))
    .filter(({ place: { raster, x, y } }) => raster.covers(x, y))
    .toSorted((a, b) => compare(a.zone, b.zone));
  return first?.place ?? null;
}
