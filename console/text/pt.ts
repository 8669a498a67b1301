import { codes } from './pt/codes.ts';
import { collections } from './pt/collections.ts';
import { common } from './pt/common.ts';
import { datasets } from './pt/datasets.ts';
import { facilities } from './pt/facilities.ts';
import { forest } from './pt/forest.ts';
import { tokens } from './pt/tokens.ts';
import { warnings } from './pt/warnings.ts';
import { webhooks } from './pt/webhooks.ts';
import type { Texts } from './en.ts';

export const pt: Texts = {
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
