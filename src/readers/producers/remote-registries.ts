import type { ProducerMatch } from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import type { Upstream, UpstreamAnswer, UpstreamQuestion } from '../live/upstream.ts';
import { bestMatch, type MatchRules } from './best-match.ts';
import type { RegistryRecord } from './registry.ts';

/** A registry queried over the network. */
export interface RemoteRegistry {
  /** Id of its dataset. */
  readonly id: string;
  readonly title: string;
  find(
    name: string,
    shape: Shape,
    country: string | null,
    signal: AbortSignal,
  ): Promise<UpstreamAnswer<ProducerMatch | null>>;
}

interface RemoteRegistryOptions {
  readonly upstream: Upstream;
  /** Without a trailing slash. */
  readonly url: string;
  /** Null where none is needed. */
  readonly token: string | null;
  readonly rules: MatchRules;
}

/** Records requested: the one that is meant stands among the first, or nowhere. */
const MOST = 20;
/** Characters of a name that are sent. */
const LONGEST_NAME = 200;

/** Production locations with coordinates (v1 API). */
export function openSupplyHub(options: RemoteRegistryOptions): RemoteRegistry {
  return remoteRegistry('open-supply-hub', options, (name, country) => {
    const query = parameters({ name, ...(country === null ? {} : { country }), size: MOST });
    return {
      path: `/api/v1/production-locations/?${query}`,
      headers: { authorization: `Token ${options.token}` },
      read: (body) => list((body as { data?: unknown }).data).map(readProductionLocation),
    };
  });
}

/** Legal entities by their identifier (LEI), without coordinates. Needs no key. */
export function gleif(options: RemoteRegistryOptions): RemoteRegistry {
  return remoteRegistry('gleif', options, (name, country) => {
    const where = country === null ? {} : { 'filter[entity.legalAddress.country]': country };
    return {
      path: `/api/v1/lei-records?${parameters({ 'filter[fulltext]': name, ...where, 'page[size]': MOST })}`,
      headers: { accept: 'application/vnd.api+json' },
      read: (body) => list((body as { data?: unknown }).data).map(readLeiRecord),
    };
  });
}

/** Company registers of the world (API 0.4), without coordinates. */
export function openCorporates(options: RemoteRegistryOptions): RemoteRegistry {
  return remoteRegistry('opencorporates', options, (name, country) => {
    const where = country === null ? {} : { country_code: country.toLowerCase() };
    return {
      path: `/v0.4/companies/search?${parameters({ q: name, ...where, per_page: MOST, order: 'score' })}`,
      secret: `&api_token=${encodeURIComponent(options.token ?? '')}`,
      read: (body) => list((body as { results?: { companies?: unknown } }).results?.companies).map(readCompany),
    };
  });
}

interface Search {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Goes after the path, and into no key. */
  readonly secret?: string;
  readonly read: (body: unknown) => readonly RegistryRecord[];
}

function remoteRegistry(
  id: string,
  { upstream, url, rules }: RemoteRegistryOptions,
  search: (name: string, country: string | null) => Search,
): RemoteRegistry {
  return {
    id,
    title: upstream.name,
    async find(name, shape, country, signal) {
      const { path, headers = {}, secret = '', read } = search(name.slice(0, LONGEST_NAME), country);
      const question: UpstreamQuestion<readonly RegistryRecord[]> = {
        method: 'GET',
        url: `${url}${path}${secret}`,
        headers,
        key: `${url}${path}`,
        read,
      };
      const answer = await upstream.query(question, signal);
      return { ...answer, value: bestMatch(upstream.name, answer.value, { name, shape }, rules) };
    },
  };
}

function parameters(values: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();
}

function list(value: unknown): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('wanted a list of records');
  return value as readonly Json[];
}

type Json = Readonly<Record<string, unknown>>;

/** Coordinates that the registry itself calls inexact are none. */
function readProductionLocation(record: Json): RegistryRecord {
  const { os_id: id, name, local_name: local, coordinates, country, has_inexact_coordinates: inexact } = record;
  const { lat, lng } = (coordinates ?? {}) as { lat?: unknown; lng?: unknown };
  const isPlace = typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  const iso2 = (country as { alpha_2?: unknown } | undefined)?.alpha_2;
  return {
    id: text(id),
    names: texts([name, local]),
    at: isPlace && inexact !== true ? [lng, lat] : null,
    country: typeof iso2 === 'string' ? iso2 : null,
  };
}

function readLeiRecord({ id, attributes }: Json): RegistryRecord {
  const entity = ((attributes ?? {}) as { entity?: Json }).entity ?? {};
  const { legalName, otherNames, transliteratedOtherNames, legalAddress } = entity;
  const nameOf = (value: unknown): unknown => (value as { name?: unknown } | null)?.name;
  const others = [otherNames, transliteratedOtherNames].flatMap((names) =>
    Array.isArray(names) ? (names as unknown[]) : [],
  );
  const iso2 = (legalAddress as { country?: unknown } | undefined)?.country;
  return {
    id: text(id),
    names: texts([nameOf(legalName), ...others.map(nameOf)]),
    at: null,
    country: typeof iso2 === 'string' ? iso2 : null,
  };
}

function readCompany({ company }: Json): RegistryRecord {
  const { name, company_number: number, jurisdiction_code: jurisdiction, previous_names: previous } = company as Json;
  const former = Array.isArray(previous)
    ? previous.map((each: { company_name?: unknown } | null) => each?.company_name)
    : [];
  const where = text(jurisdiction);
  return {
    id: `${where}/${text(number)}`,
    names: texts([name, ...former]),
    at: null,
    country: where.slice(0, 2).toUpperCase() || null,
  };
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/** An identifier; throws for a record without one. */
function text(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('wanted a record with an identifier');
  return value.slice(0, 200);
}
