import { collections as english } from '../en/collections.ts';

/** Words of the page of collections, by the keys of the English ones. */
export const collections: Readonly<Record<keyof typeof english, string>> = english;
