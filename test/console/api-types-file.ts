import { resolve } from 'node:path';

/** The client types that the console is compiled with. */
export const API_TYPES = resolve(import.meta.dirname, '../../console/api/schema.ts');
