import { formatNumber } from '../../text/translate.ts';

/** Bytes for people. */
export function fileSize(bytes: number): string {
  return bytes < 1e6 ? `${formatNumber(Math.max(1, Math.round(bytes / 1e3)))} kB` : `${formatNumber(bytes / 1e6)} MB`;
}
