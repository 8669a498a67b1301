import { checkBuilding, type BuildingFinding } from './checks/building.ts';
import type { CheckContext } from './query.ts';
import { checkCommodity, type CommodityFinding } from './checks/commodity.ts';
import { checkCountry, type CountryFinding } from './checks/country.ts';
import { checkDensity } from './checks/density.ts';
import { checkLatitude, type LatitudeFinding } from './checks/latitude.ts';
import { checkPoi } from './checks/poi.ts';
import { checkPort, checkRoad, checkWater } from './checks/nearest.ts';
import { checkProducer, type ProducerFinding } from './checks/producer.ts';
import type { Finding } from './evidence/evidence.ts';
import type { InputProperties } from './options.ts';
import { whenReady, type MaybePromise } from '../maybe-promise.ts';

/** What the checks of one facility found. */
export interface Findings {
  readonly country: CountryFinding;
  readonly latitude: LatitudeFinding;
  readonly commodity: CommodityFinding;
  readonly poi: Finding;
  readonly building: BuildingFinding;
  readonly road: Finding;
  readonly water: Finding;
  readonly port: Finding;
  readonly density: Finding;
  readonly producer: ProducerFinding;
}

/**
 * Starts every check at once and gathers what they found. Commodity and producer wait for the country, nothing else
 * waits. The result is there at once when every source answered at once, and a promise otherwise.
 */
export function runChecks(context: CheckContext, input: InputProperties): MaybePromise<Findings> {
  const latitude = checkLatitude(context);
  const country = checkCountry(context, input.country);
  return gather({
    country,
    latitude,
    commodity: whenReady(country, (found) => checkCommodity(context, found, latitude)),
    poi: checkPoi(context),
    building: checkBuilding(context),
    road: checkRoad(context),
    water: checkWater(context),
    port: checkPort(context),
    density: checkDensity(context),
    producer: whenReady(country, (found) => checkProducer(context, input.name, found)),
  });
}

/** The findings in the order of the receipt. */
export function inOrder(found: Findings): readonly Finding[] {
  const { country, latitude, commodity, poi, building, road, water, port, density, producer } = found;
  return [country, latitude, commodity, poi, building, road, water, port, density, producer];
}

type Pending<T> = { readonly [K in keyof T]: MaybePromise<T[K]> };

/** Awaits what is pending; a check that broke is thrown only after all others have ended. */
function gather(pending: Pending<Findings>): MaybePromise<Findings> {
  for (const key in pending) if (pending[key as keyof Findings] instanceof Promise) return gatherLater(pending);
  return pending as Findings;
}

async function gatherLater(pending: Pending<Findings>): Promise<Findings> {
  const settled = await Promise.allSettled(Object.values(pending));
  const broken = settled.find((result) => result.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return Object.fromEntries(
    Object.keys(pending).map((key, i) => [key, (settled[i] as PromiseFulfilledResult<unknown>).value]),
  ) as unknown as Findings;
}
