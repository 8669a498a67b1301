import type { codes } from './en/codes.ts';
import type { common } from './en/common.ts';
import type { datasets } from './en/datasets.ts';
import type { facilities } from './en/facilities.ts';
import type { forest } from './en/forest.ts';
import type { tokens } from './en/tokens.ts';
import type { warnings } from './en/warnings.ts';
import type { webhooks } from './en/webhooks.ts';

type English = typeof common &
  typeof codes &
  typeof warnings &
  typeof facilities &
  typeof forest &
  typeof webhooks &
  typeof tokens &
  typeof datasets;

/** Every text except those of the page of collections, which has a file of its own in each language. */
export type MainTexts = Readonly<Record<keyof English, string>>;
