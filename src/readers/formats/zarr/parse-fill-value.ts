import { DATA_TYPES } from './data-types.ts';
import type { ZarrDataType } from './zarr-array.ts';
import { ZarrError } from './zarr-error.ts';
import { said } from './zarr-json.ts';

const SPECIAL: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

/**
 * The fill value of an array: a number, and for floating point also `NaN`, `Infinity`, `-Infinity` or the bits of the
 * value in hexadecimal (Zarr v3 core specification, "Fill value").
 * @throws ZarrError `metadata` for anything else and for what the type cannot hold.
 */
export function parseFillValue(place: string, value: unknown, dataType: ZarrDataType): number {
  const { range, bytes } = DATA_TYPES[dataType];
  if (range !== null && Number.isInteger(value)) {
    const number = value as number;
    if (number >= range[0] && number <= range[1]) return number;
  }
  if (range === null && typeof value === 'number') return value;
  if (range === null && typeof value === 'string') {
    if (Object.hasOwn(SPECIAL, value)) return SPECIAL[value];
    if (new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(value)) return fromBits(BigInt(value), bytes);
  }
  throw new ZarrError('metadata', place, `fill_value: wanted a value of type ${dataType}, got ${said(value)}`);
}

/** How a fill value is written into `zarr.json`. */
export function fillValueAsJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function fromBits(bits: bigint, bytes: number): number {
  const view = new DataView(new ArrayBuffer(8));
  if (bytes === 8) view.setBigUint64(0, bits);
  else view.setUint32(0, Number(bits));
  return bytes === 8 ? view.getFloat64(0) : view.getFloat32(0);
}
