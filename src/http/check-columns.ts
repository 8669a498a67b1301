import type { CollectionReader } from '../collections/collection.ts';
import { findColumns } from '../collections/fetch/find-columns.ts';
import type { Selection } from '../collections/fetch/select-features.ts';
import { Problem } from '../errors.ts';
import { nearestName } from './nearest-name.ts';

const MAX_SHOWN = 80;
const MAX_LISTED = 40;

/** Refuses a column that no location has: an empty answer would read as if nothing had been found. */
export async function checkColumns(
  reader: Pick<CollectionReader, 'records'>,
  selection: Selection,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { missing, known } = await findColumns(reader, selection, signal);
  if (missing.length === 0) return;
  const errors = missing.map(({ name }) => {
    const nearest = nearestName(name, [...parameters, ...known]);
    const hint = nearest === null ? `there are ${known.slice(0, MAX_LISTED).join(', ')}.` : `did you mean ${nearest}?`;
    const shown = name.slice(0, MAX_SHOWN);
    return {
      pointer: `/query/${shown}`,
      code: 'unknown',
      detail: `There is no parameter or column ${JSON.stringify(shown)}; ${hint}`,
    };
  });
  throw new Problem('invalid_parameter', errors.map(({ detail }) => detail).join(' '), { errors });
}
