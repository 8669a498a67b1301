import { codes } from './id/codes.ts';
import { collections } from './id/collections.ts';
import { common } from './id/common.ts';
import { datasets } from './id/datasets.ts';
import { facilities } from './id/facilities.ts';
import { forest } from './id/forest.ts';
import { tokens } from './id/tokens.ts';
import { warnings } from './id/warnings.ts';
import { webhooks } from './id/webhooks.ts';
import type { Texts } from './en.ts';

export const id: Texts = {
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
