import type { Config } from '../../config/settings.ts';
import { Problem } from '../../errors.ts';
import { TRACES_ADDRESSES, type TracesEnvironment } from '../../traces/interface-v3.ts';

export type TracesSettings = Pick<Config, 'tracesProduction' | 'tracesTestUrl'>;

/** The environments that may be filed in, the default first. */
export function environmentsOf({ tracesProduction, tracesTestUrl }: TracesSettings): readonly TracesEnvironment[] {
  if (tracesTestUrl !== null) return ['test'];
  return tracesProduction ? ['acceptance', 'production'] : ['acceptance'];
}

/** The wanted environment, or the default. Throws a `Problem` for one that the settings do not open. */
export function chooseEnvironment(settings: TracesSettings, wanted: TracesEnvironment | null): TracesEnvironment {
  const open = environmentsOf(settings);
  if (wanted === null) return open[0]!;
  if (open.includes(wanted)) return wanted;
  const how = wanted === 'production' ? '; the operator opens production with TRACES_PRODUCTION=on' : '';
  throw new Problem('conflict', `environment: wanted ${open.join(' or ')}, got ${wanted}${how}.`);
}

/** Where an environment is; null where the settings do not open it any more. */
export function addressOf(settings: TracesSettings, environment: TracesEnvironment): string | null {
  if (!environmentsOf(settings).includes(environment)) return null;
  return environment === 'test' ? `${settings.tracesTestUrl}/` : TRACES_ADDRESSES[environment];
}

/** What a person has to type before something is done in production; null elsewhere. */
export function confirmationFor(
  environment: TracesEnvironment,
  act: 'file' | 'amend' | 'retract',
  what: string,
): string | null {
  return environment === 'production' ? `${act} ${what} in production` : null;
}

/** Throws `Problem('filing_not_confirmed')` unless what was typed is what was wanted. */
export function wantConfirmation(wanted: string | null, typed: string | null): void {
  if (wanted === null || typed?.trim() === wanted) return;
  throw new Problem(
    'filing_not_confirmed',
    `confirm: wanted the text "${wanted}", because this has legal effect; got ${typed === null ? 'nothing' : 'another text'}.`,
  );
}
