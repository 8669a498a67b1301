import { language } from '../../text/translate.ts';

/** A measured number with two decimals, or three significant digits below 1, so that what is little is never shown as 0. */
export function formatQuantity(value: number): string {
  const digits = Math.abs(value) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return value.toLocaleString(language.value, digits);
}
