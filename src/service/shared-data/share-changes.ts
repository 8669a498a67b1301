import { thingsOf } from './installed-things.ts';
import { openSharedData, type SharedDataConfig } from './sync-data.ts';

/** Shares what a command changes. */
interface ChangeWatch extends AsyncDisposable {
  /** Shares what was imported or replaced since, and withdraws what was removed; says so on `err`. */
  share(err: NodeJS.WritableStream): Promise<void>;
}

/** Brings the data folder to what is shared and remembers it. Null without a bucket. */
export async function watchChanges(config: SharedDataConfig, signal: AbortSignal): Promise<ChangeWatch | null> {
  const shared = openSharedData(config);
  if (shared === null) return null;
  await shared.pull(signal);
  const before = await thingsOf(config);
  return {
    async share(err) {
      const after = await thingsOf(config);
      const changed = [...after.values()].filter(({ id, version }) => before.get(id)?.version !== version);
      const removed = [...before.keys()].filter((id) => !after.has(id));
      await shared.push(changed, () => {}, signal);
      await shared.withdraw(removed);
      for (const { id } of changed) err.write(`${id} is in ${shared.place}: every process has it within seconds.\n`);
      for (const id of removed) err.write(`${id} is no longer in ${shared.place}.\n`);
    },
    [Symbol.asyncDispose]: () => shared.close(),
  };
}
