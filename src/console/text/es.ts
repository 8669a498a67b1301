import { collections } from './es/collections.ts';
import { main } from './es/main.ts';
import type { Texts } from './en.ts';

export const es: Texts = { ...main, ...collections };
