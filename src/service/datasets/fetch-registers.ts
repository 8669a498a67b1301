import type { Config } from '../../config/settings.ts';
import type { Commodity } from '../../facilities/commodity/commodities.ts';
import type { FacilitySources } from '../../facilities/sources.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import type { PublicRegister } from '../../readers/producers/public-registers.ts';
import { createFetches, type FetchLog } from '../outside/fetch-once.ts';
import { isPublicAddress } from '../outside/public-hosts.ts';
import type { SourceLayer } from '../world/source-layers.ts';
import { getRegister, publicRegisters, type RegisterPlaces } from './get-register.ts';
import { registryIds } from './registries.ts';

export type RegisterFetchConfig = Pick<Config, 'dataDir' | 'checkTimeoutMs' | 'publicData' | 'autoData'> &
  RegisterPlaces;

interface RegisterFetchDeps {
  /** Whether a registry is among those that answer now. */
  has(id: string): boolean;
  readonly whereabouts: FacilitySources['whereabouts'];
  /** Makes what was installed answer. */
  renew(): Promise<void>;
  readonly log: FetchLog;
  /** Hears what fetching one ended with; null is that it is what it should be. */
  readonly onFetched?: (id: string, error: unknown) => void;
  /** Default: those that may be fetched by themselves, each where the settings say. */
  readonly registers?: readonly PublicRegister[];
}

/** Fetches public registers when their commodity is first looked for in one of their countries. */
interface RegisterFetcher {
  /** To be queried before the registries. Never answers: they know the register then, or the question fails with the reason. */
  readonly sources: Pick<SourceLayer, 'businesses' | 'producer'>;
  close(): Promise<void>;
}

/** Part of a check's time that is waited for a register; others may have to be queried after it. */
const WAIT_SHARE = 0.4;

/** Opens what fetches registers; null where the settings allow none. Nothing is requested before the first question that needs one. */
export function openRegisterFetcher(config: RegisterFetchConfig, deps: RegisterFetchDeps): RegisterFetcher | null {
  const { has, whereabouts, renew, log, onFetched = () => {} } = deps;
  const known = deps.registers ?? publicRegisters(config).filter(({ isFetched }) => isFetched);
  const registers = known.filter(({ page }) => config.publicData || !isPublicAddress(page));
  if (!config.autoData || registers.length === 0) return null;
  const fetches = createFetches(config, { waitMs: config.checkTimeoutMs * WAIT_SHARE, log });

  async function fetchThere(missing: readonly PublicRegister[], shape: Shape): Promise<null> {
    const country = (await whereabouts(shape.inside))?.value.country?.iso2 ?? null;
    const wanted = missing.filter(({ countries }) => country !== null && countries.includes(country));
    for (const register of wanted) {
      const { id, title } = register;
      try {
        await fetches.need({
          name: `register-${id}`,
          words: `the ${title}`,
          isThere: async () => (await registryIds(config)).includes(id),
          fetch: (signal) => install(register, signal),
        });
      } catch (error) {
        // Without a network the answer is what it is where nothing is fetched.
        if ((error as { readonly cause?: { readonly kind?: unknown } }).cause?.kind === 'offline') continue;
        throw error;
      }
      await renew();
    }
    return null;
  }

  async function install(register: PublicRegister, signal: AbortSignal): Promise<void> {
    try {
      const { dataset, records, place } = await getRegister(config, register, null, () => {}, signal);
      const { licence, attribution, version } = dataset;
      log.info(
        { register: register.id, records: records.length, version, licence, attribution, from: place },
        'a public register was installed',
      );
      onFetched(register.id, null);
    } catch (error) {
      if (!signal.aborted) onFetched(register.id, error);
      throw error;
    }
  }

  function fetchMissing(commodity: Commodity | null, shape: Shape): Promise<null> | null {
    const missing = registers.filter((register) => register.commodity === commodity && !has(register.id));
    return missing.length === 0 ? null : fetchThere(missing, shape);
  }

  return {
    sources: {
      businesses: (commodity, shape) => fetchMissing(commodity, shape),
      producer: (_name, shape, _country, _signal, commodity) => fetchMissing(commodity ?? null, shape),
    },
    close: fetches.close,
  };
}
