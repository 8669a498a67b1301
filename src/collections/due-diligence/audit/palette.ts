/** Colours of the audit trail. */
export const INK = '#1b2430';
export const SOFT = '#5d6875';
export const FAINT = '#8b95a1';
export const HAIRLINE = '#d9dee3';
export const PAPER = '#f5f7f6';
export const GREEN = '#1f5f4b';
export const AMBER = '#a5631a';
export const RED = '#9c2f2f';
/** Ground on the maps of plots: forest in 2020, lost since inside it and elsewhere, and nothing known. */
export const FOREST_2020 = '#c5dfbd';
export const LOST_FOREST = '#cf4a3c';
export const LOST_ELSEWHERE = '#e9b48f';
export const NO_DATA = '#d8dadd';

/** A4 in points, with margins. */
export const PAGE = { width: 595.28, height: 841.89, left: 48, right: 547.28, top: 48, bottom: 790 } as const;
export const CONTENT_WIDTH = PAGE.right - PAGE.left;
