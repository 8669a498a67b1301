import { collections } from './pt/collections.ts';
import { main } from './pt/main.ts';
import type { Texts } from './en.ts';

export const pt: Texts = { ...main, ...collections };
