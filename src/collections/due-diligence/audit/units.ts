import { round } from '../../../geo/round.ts';

/** By the decimals at most. A page writes dozens of numbers, and to make one of these takes longer than to use it. */
const WRITTEN = {
  0: new Intl.NumberFormat('en', { maximumFractionDigits: 0 }),
  1: new Intl.NumberFormat('en', { maximumFractionDigits: 1 }),
  2: new Intl.NumberFormat('en', { maximumFractionDigits: 2 }),
  4: new Intl.NumberFormat('en', { maximumFractionDigits: 4 }),
} as const;

/** Hectares as people read them: `1,234.5 ha`, `12.35 ha`, `0.0312 ha`. What is too small to be written is never shown as 0. */
export function hectaresText(ha: number): string {
  if (ha > 0 && ha < 0.0001) return 'under 0.0001 ha';
  const decimals = ha >= 100 ? 1 : ha >= 1 ? 2 : 4;
  return `${WRITTEN[decimals].format(round(ha, decimals))} ha`;
}

/** Tonnes as people read them. */
export function tonnesText(tonnes: number): string {
  if (tonnes > 0 && tonnes < 0.1) return 'under 0.1 t';
  const decimals = tonnes >= 100 ? 0 : 1;
  return `${WRITTEN[decimals].format(round(tonnes, decimals))} t`;
}
