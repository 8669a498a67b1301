import type { CheckContext, QueryResult } from '../query.ts';
import { isProducer, type Commodity } from '../commodity/commodities.ts';
import { commodityWord, countryNamed, sentence } from '../evidence/sentences.ts';
import type { Said } from '../../messages/said.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { CountryRef, Whereabouts } from '../sources.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

/** The country the input names, as written and as ISO alpha-2 code (null when no country is known by that text). */
interface StatedCountry {
  readonly text: string;
  readonly iso2: string | null;
}

export interface CountryFinding extends Finding {
  readonly where: Whereabouts | null;
  readonly stated: StatedCountry | null;
  /** The country that would hold the facility were longitude and latitude swapped, when that fits better; else null. */
  readonly swapped: CountryRef | null;
}

/** Where the facility lies, whether that country produces the commodity, and whether the place contradicts the input. */
export function checkCountry(context: CheckContext, statedText: string | null): MaybePromise<CountryFinding> {
  const { shape, sources, options, query } = context;
  const stated = statedText === null ? null : { text: statedText, iso2: sources.countryCode(statedText) };
  return whenReady(
    query('country', () => sources.whereabouts(shape.inside)),
    (result) => {
      const finding = evaluate(result, options.commodity, stated);
      return isSuspicious(finding, options.commodity) ? withSwapped(context, finding) : finding;
    },
  );
}

function evaluate(
  result: QueryResult<Whereabouts>,
  commodity: Commodity | null,
  stated: StatedCountry | null,
): CountryFinding {
  if (result.dataset === null) return { ...unknownFinding('country', result), where: null, stated, swapped: null };
  const { dataset, value: where } = result;
  const produces = where.country !== null && (commodity === null || isProducer(commodity, where.country.iso2));
  return {
    indicator: 'country',
    status: produces ? 'present' : 'absent',
    value: produces ? 1 : 0,
    dataset,
    detail: describe(where, commodity, produces),
    where,
    stated,
    swapped: null,
  };
}

function describe({ country, onLand }: Whereabouts, commodity: Commodity | null, produces: boolean): Said {
  if (country === null) return sentence('high_seas');
  // Not "its waters": borders at sea are drawn far beyond the territorial sea, as `Whereabouts` says.
  const place = { place: onLand ? 'land' : 'water', country: countryNamed(country) };
  if (commodity === null) return sentence('in_country', place);
  const params = { ...place, commodity: commodityWord(commodity) };
  return sentence(produces ? 'in_producing_country' : 'in_country_without', params);
}

/** A place that contradicts the stated country, or, where none is stated, that cannot be right for a facility of the commodity. */
function isSuspicious({ where, stated, status }: CountryFinding, commodity: Commodity | null): boolean {
  if (where === null) return false;
  if (stated !== null && stated.iso2 !== null) return where.country?.iso2 !== stated.iso2;
  return !where.onLand || (commodity !== null && status === 'absent');
}

/** Looks at the place with longitude and latitude swapped: does it fit the stated country or, without one, a producer on land? */
function withSwapped(
  { shape, sources, options, query }: CheckContext,
  finding: CountryFinding,
): MaybePromise<CountryFinding> {
  const [lon, lat] = shape.inside;
  if (Math.abs(lon) > 90 || lon === lat) return finding;
  return whenReady(
    query('country', () => sources.whereabouts([lat, lon])),
    (result) => {
      const there = result.dataset === null ? null : result.value;
      const fits =
        there !== null && there.country !== null && isBetter(there, there.country, finding, options.commodity);
      return fits ? { ...finding, swapped: there.country } : finding;
    },
  );
}

function isBetter(
  there: Whereabouts,
  country: CountryRef,
  { stated }: CountryFinding,
  commodity: Commodity | null,
): boolean {
  if (stated !== null && stated.iso2 !== null) return country.iso2 === stated.iso2;
  return there.onLand && (commodity === null || isProducer(commodity, country.iso2));
}
