import { DEFAULT_DEPTH } from './find-segment.ts';

/** Names what decides the cells of a segment; part of its id and of a label store. A change of the cut changes the number. */
export const ALGORITHM = `aef-watershed/1 depth=${DEFAULT_DEPTH}`;
