import { collections } from './id/collections.ts';
import { main } from './id/main.ts';
import type { Texts } from './en.ts';

export const id: Texts = { ...main, ...collections };
