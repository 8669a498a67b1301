import { findCrs } from '../../geo/crs/find-crs.ts';
import { openProjection } from '../../geo/crs/open-projection.ts';
import { utmZoneOfEpsg } from '../../geo/crs/utm.ts';
import type { Bbox } from '../../geo/shapes/shape.ts';
import type { ContractExpectation } from '../catalogue/contract.ts';
import type { TiffImage } from '../formats/tiff/tiff-image.ts';
import { ContractError } from './contract-error.ts';

/** Throws a `ContractError` when a raster is not as it is expected. */
export function assertExpected(
  image: TiffImage,
  { bands, sampleType, crs }: ContractExpectation,
  { box, zone }: { readonly box: Bbox | null; readonly zone?: number },
): void {
  if (bands !== undefined && image.bands < bands) throw new ContractError(`wanted ${bands} bands, got ${image.bands}`);
  if (sampleType !== undefined && image.sampleType !== sampleType)
    throw new ContractError(`wanted samples of ${sampleType}, got ${image.sampleType}`);
  if (crs !== undefined && image.crs !== crs)
    throw new ContractError(`wanted ${crs}, got ${image.crs ?? 'no coordinate system'}`);
  // Files of UTM zones reach into the next one, which their bounds do not show.
  if (zone !== undefined && (zoneOf(image.crs) ?? zone) !== zone)
    throw new ContractError(`wanted a file of UTM zone ${zone}, got one in ${image.crs}`);
  if (box !== null && boundsMiss(image, box))
    throw new ContractError(`wanted a tile of ${box.join(', ')}, got one that lies elsewhere`);
}

/** The zone of a UTM system; null for any other one. */
function zoneOf(crs: string | null): number | null {
  return utmZoneOfEpsg(Number(crs?.slice('EPSG:'.length)))?.zone ?? null;
}

/** Whether all of a box in degrees lies outside the pixels of a file; false where the file does not say where it lies. */
function boundsMiss(
  { transform, crs: name, width, height }: Pick<TiffImage, 'transform' | 'crs' | 'width' | 'height'>,
  [west, south, east, north]: Bbox,
): boolean {
  const crs = name === null ? null : findCrs(name);
  if (transform === null || crs === null || 'refused' in crs) return false;
  const projection = openProjection(crs);
  const [a, , c, , e, f] = transform;
  const place = new Float64Array(2);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const lon of [west, (west + east) / 2, east])
    for (const lat of [south, (south + north) / 2, north]) {
      projection.toXY(lon, lat, place, 0);
      const [column, row] = [(place[0] - c) / a, (place[1] - f) / e];
      [left, right] = [Math.min(left, column), Math.max(right, column)];
      [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    }
  return !(left < width && right > 0 && top < height && bottom > 0);
}
