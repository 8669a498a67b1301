import type { Params } from '../said.ts';

/**
 * An English sentence of ours as it is written where it is made, `{name:kind}` for what fills its blanks; its code in the
 * catalogues; and what its words alone say.
 */
export type Recognised = readonly [english: string, code: string, fixed?: Params];
