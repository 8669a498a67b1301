import { codes } from './es/codes.ts';
import { collections } from './es/collections.ts';
import { common } from './es/common.ts';
import { datasets } from './es/datasets.ts';
import { facilities } from './es/facilities.ts';
import { forest } from './es/forest.ts';
import { tokens } from './es/tokens.ts';
import { warnings } from './es/warnings.ts';
import { webhooks } from './es/webhooks.ts';
import type { Texts } from './en.ts';

export const es: Texts = {
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
