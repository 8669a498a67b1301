import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, type Config } from '../../config/settings.ts';
import type { Store } from '../../db/open-store.ts';
import { GONE_AFTER_S, openProcessTable, type ProcessTable, type SeenProcess } from '../../db/processes.ts';
import type { Log } from '../../log.ts';
import { describeSettings, disagreements, type AgreedConfig, type AgreedSettings } from './agreed-settings.ts';

interface Membership {
  /** This process no longer counts among those at work. */
  leave(): Promise<void>;
}

interface JoinOptions {
  /** Milliseconds between two beats; default 5,000. */
  readonly beatMs?: number;
  readonly hostName?: string;
}

const BEAT_MS = 5_000;
const LOOK_MS = 1_000;

/**
 * Notes this process among those at work on the database and goes on doing so. Throws a sentence for the operator where one of
 * them has other settings than this one of those that have to be the same; one that was killed is waited for until it counts as
 * gone. Null with the embedded database, which has one process.
 */
export async function joinInstallation(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  config: AgreedConfig & Pick<Config, 'acceptOtherSettings'>,
  command: 'serve' | 'worker',
  log: Log,
  { beatMs = BEAT_MS, hostName = hostname() }: JoinOptions = {},
): Promise<Membership | null> {
  if (engine === 'embedded') return null;
  const table = openProcessTable(db);
  const [id, name] = [randomUUID(), `${command} on ${hostName} (process ${process.pid})`];
  const settings = await describeSettings(config);
  await joinWhenAgreed(table, { id, name, settings }, config.acceptOtherSettings);
  let warned = '';
  let running: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      const now = await describeSettings(config);
      const faults = faultsAmong(now, await table.beat({ id, name, settings: now }));
      // Once for each change: the file of the catalogue may be replaced while processes run.
      if (faults.length > 0 && warned !== faults.join(' '))
        log.warn({ faults }, 'another process on the database has other settings and answers differently');
      warned = faults.join(' ');
    } catch (error) {
      log.debug({ err: error }, 'this process could not be noted among those at work');
    }
  };
  const timer = setInterval(() => (running = running.then(beat)), beatMs);
  timer.unref();
  return {
    async leave() {
      clearInterval(timer);
      await running;
      await table.leave(id).catch(() => {});
    },
  };
}

async function joinWhenAgreed(
  table: ProcessTable,
  own: { readonly id: string; readonly name: string; readonly settings: AgreedSettings },
  acceptsOthers: boolean,
): Promise<void> {
  const beatsBefore = new Map<string, number>();
  for (let looks = 0; ; looks++) {
    try {
      return await table.join(own, (others) => {
        const faults = acceptsOthers ? [] : faultsAmong(own.settings, others);
        if (faults.length === 0) return;
        // Of those that differ: whether others are alive says nothing of them.
        const isAlive = others.some(
          (other) =>
            other.beats > (beatsBefore.get(other.id) ?? other.beats) && faultsAmong(own.settings, [other]).length > 0,
        );
        for (const { id, beats } of others) if (!beatsBefore.has(id)) beatsBefore.set(id, beats);
        const isOver = isAlive || looks * LOOK_MS > 1_000 * GONE_AFTER_S;
        throw isOver ? refusal(faults) : new StillUnclear();
      });
    } catch (error) {
      if (!(error instanceof StillUnclear)) throw error;
      await wait(LOOK_MS);
    }
  }
}

/** Another process differs, and may have been killed a moment ago. */
class StillUnclear extends Error {}

function refusal(faults: readonly string[]): ConfigError {
  return new ConfigError(
    `${faults.join('\n')}\nGive all processes on the database the same; to replace them one after the other, start the new ones with ACCEPT_OTHER_SETTINGS=on.`,
  );
}

function faultsAmong(own: AgreedSettings, others: readonly SeenProcess[]): readonly string[] {
  return others.flatMap(({ settings, name }) => disagreements(own, settings as AgreedSettings, name));
}
