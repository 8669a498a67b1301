import { collections } from './fr/collections.ts';
import { main } from './fr/main.ts';
import type { Texts } from './en.ts';

export const fr: Texts = { ...main, ...collections };
