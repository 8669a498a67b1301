import { type Crs, findCrs } from '../../geo/crs/find-crs.ts';
import { UsageError } from '../command.ts';

/** The value of `--crs`; EPSG:4326 without it. */
export function readCrs(text: unknown): Crs {
  const crs = findCrs((text as string | undefined) ?? 'EPSG:4326');
  if ('refused' in crs) throw new UsageError(`--crs: ${crs.refused}`);
  return crs;
}
