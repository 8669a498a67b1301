import { codes } from './fr/codes.ts';
import { collections } from './fr/collections.ts';
import { common } from './fr/common.ts';
import { datasets } from './fr/datasets.ts';
import { facilities } from './fr/facilities.ts';
import { forest } from './fr/forest.ts';
import { tokens } from './fr/tokens.ts';
import { warnings } from './fr/warnings.ts';
import { webhooks } from './fr/webhooks.ts';
import type { Texts } from './en.ts';

export const fr: Texts = {
  ...common,
  ...codes,
  ...warnings,
  ...facilities,
  ...forest,
  ...collections,
  ...webhooks,
  ...tokens,
  ...datasets,
};
