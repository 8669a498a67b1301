import type { Look } from './colours.ts';

/** How something is drawn on the map, small. */
export type LegendMark =
  | { readonly kind: 'level'; readonly look: Look }
  | { readonly kind: 'year'; readonly year: number }
  | { readonly kind: 'line'; readonly colour: string; readonly dash?: string; readonly width?: number }
  | {
      readonly kind: 'area';
      readonly fill: string;
      readonly opacity?: number;
      readonly edge?: string;
      readonly dash?: string;
    }
  | { readonly kind: 'dot'; readonly colour: string; readonly edge?: string }
  /** Areas, lines and points in one colour. */
  | { readonly kind: 'shapes'; readonly colour: string }
  | { readonly kind: 'ring'; readonly colour: string }
  | { readonly kind: 'hatch' };

export interface LegendEntry {
  readonly key: string;
  readonly text: string;
  readonly mark: LegendMark | null;
  /** Whether it is drawn, where that can be chosen. */
  readonly isOn?: boolean;
  readonly onTurn?: (isOn: boolean) => void;
}

export interface LegendPart {
  readonly key: string;
  readonly title: string;
  readonly entries: readonly LegendEntry[];
}
