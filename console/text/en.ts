import { codes } from './en/codes.ts';
import { collections } from './en/collections.ts';
import { common } from './en/common.ts';
import { datasets } from './en/datasets.ts';
import { facilities } from './en/facilities.ts';
import { forest } from './en/forest.ts';
import { tokens } from './en/tokens.ts';
import { warnings } from './en/warnings.ts';
import { webhooks } from './en/webhooks.ts';

/** Every text of the console in English: the catalogue that the other languages are held to. */
export const en = {
  ...common,
  ...codes,
  ...warnings,
  ...facilities,
  ...forest,
  ...collections,
  ...webhooks,
  ...tokens,
  ...datasets,
} as const;

export type Key = keyof typeof en;
export type Texts = Readonly<Record<Key, string>>;
