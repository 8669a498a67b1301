import { DEFAULT_MONITORING_START } from '../../../monitoring-days.ts';
import type { Collection } from '../../../collections/collection.ts';
import { parseCursor } from '../../../collections/fetch/cursor.ts';
import type { Page } from '../../../collections/fetch/fetch-features.ts';
import type { ColumnFilter } from '../../../collections/fetch/filter.ts';
import type { FetchedCollection } from '../../../collections/fetch/select-features.ts';
import { Problem } from '../../../errors.ts';
import { MAX_FETCHED_COLLECTIONS } from '../../../service/collections/fetch-collections.ts';
import { MAX_FILTERS, type FetchQuery } from './schemas.ts';

/** The ids of a list with commas, each once, in their order. */
export function readIds(name: string, text: string): readonly string[] {
  const ids = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  if (ids.length === 0) throw refusal(name, 'missing', `${name}: wanted the id of a collection, got none.`);
  if (ids.length > MAX_FETCHED_COLLECTIONS)
    throw refusal(
      name,
      'invalid',
      `${name}: wanted at most ${MAX_FETCHED_COLLECTIONS} collections, got ${ids.length}.`,
    );
  return ids;
}

/** Everything in the query that is no parameter of the endpoint. */
export function readFilters(query: Readonly<Record<string, unknown>>, parameters: object): readonly ColumnFilter[] {
  const filters = Object.entries(query)
    .filter(([name]) => !Object.hasOwn(parameters, name))
    .map(([name, value]) => ({ name, values: (Array.isArray(value) ? value : [value]).map(String) }));
  if (filters.length > MAX_FILTERS)
    throw new Problem(
      'invalid_parameter',
      `Wanted at most ${MAX_FILTERS} columns to filter by, got ${filters.length}.`,
    );
  return filters;
}

export function readPage({ limit = null, after }: { limit?: number | null; after?: string }): Page {
  return { limit, after: after === undefined ? null : parseCursor(after) };
}

/** Each collection with the requested period, or else that of its batch. */
export function withPeriods(
  collections: readonly Collection[],
  { monitoring_start: start, monitoring_end: end }: Pick<FetchQuery, 'monitoring_start' | 'monitoring_end'>,
): readonly FetchedCollection[] {
  return collections.map((collection) => {
    // What is staged has no period yet.
    const { monitoringStart, monitoringEnd } = collection.options ?? {
      monitoringStart: DEFAULT_MONITORING_START,
      monitoringEnd: collection.createdAt.toISOString().slice(0, 10),
    };
    const period = { start: start ?? monitoringStart, end: end ?? monitoringEnd };
    if (period.start > period.end)
      throw refusal(
        'monitoring_end',
        'invalid',
        `monitoring_end: wanted a day not before monitoring_start (${period.start}), got ${period.end}.`,
      );
    return { collection, period };
  });
}

function refusal(name: string, code: string, detail: string): Problem {
  return new Problem('invalid_parameter', detail, { errors: [{ pointer: `/query/${name}`, code, detail }] });
}
