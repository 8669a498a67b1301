import type { Answer } from '../../api/client.ts';

export type Collection = Answer<'getCollection'>;
