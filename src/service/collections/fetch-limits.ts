import { MAX_SHEDS } from '../../collections/supply-shed/fetch-sheds.ts';
import { DEFAULT_RADIUS_M, MAX_RADIUS_M } from '../../collections/supply-shed/shed.ts';
import { MAX_FETCHED_COLLECTIONS } from './fetch-collections.ts';
import { MAX_SHED_PLOTS, SHEDS_AT_ONCE } from './shed-plots.ts';

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

/** Limits of the fetch endpoints. */
export function fetchLimits(): readonly Limit[] {
  return [
    {
      name: 'fetch_collections',
      value: MAX_FETCHED_COLLECTIONS,
      unit: 'collections',
      description: 'Collections one fetch request may name.',
    },
    {
      name: 'supply_shed_facilities',
      value: MAX_SHEDS,
      unit: 'facilities',
      description: 'Facilities of one answer about supply sheds; the Link header leads to the next.',
    },
    {
      name: 'supply_shed_plots',
      value: MAX_SHED_PLOTS,
      unit: 'plots',
      description:
        'Plots one answer about supply sheds looks at; collections beyond are left out, which the answer says.',
    },
    {
      name: 'supply_sheds_at_once',
      value: SHEDS_AT_ONCE,
      unit: 'requests',
      description: 'Answers about supply sheds one process works out at the same time; others wait.',
    },
    {
      name: 'supply_shed_radius_m',
      value: MAX_RADIUS_M,
      unit: 'm',
      description: `Largest radius of a supply shed; ${DEFAULT_RADIUS_M} where none is given.`,
    },
  ];
}
