import { connectControl, controlPath } from '../../app/control.ts';
import type { PlaceLookups } from '../../app/lookups-control.ts';
import type { CommandContext } from '../command.ts';

/**
 * The service that runs on the same data folder with the embedded database, for lookups of one place; null where none runs, and
 * where it answers from another catalogue than this command was given. A lookup that it refuses gives null: whoever looks itself
 * then finds out why.
 */
export async function connectLookups({
  config,
  options,
  err,
}: Pick<CommandContext, 'config' | 'options' | 'err'>): Promise<Answering | null> {
  if (config.databaseUrl !== null) return null;
  const running = await connectControl(controlPath(config.dataDir)).catch(() => null);
  // One of an earlier version has no such method.
  if (running === null || (await running.catalogueInUse().catch(() => undefined)) !== config.catalogue) return null;
  const answered = async <T>(answer: Promise<T>): Promise<T | null> => {
    const value = await answer.catch(() => null);
    if (value !== null && options['quiet'] !== true)
      err.write('Answered by the service that runs on this data folder.\n');
    return value;
  };
  return {
    lookUpForest: (request) => answered(running.lookUpForest(request)),
    rateFacilities: (request) => answered(running.rateFacilities(request)),
  };
}

interface Answering {
  lookUpForest(
    ...request: Parameters<PlaceLookups['lookUpForest']>
  ): Promise<Awaited<ReturnType<PlaceLookups['lookUpForest']>> | null>;
  rateFacilities(
    ...request: Parameters<PlaceLookups['rateFacilities']>
  ): Promise<Awaited<ReturnType<PlaceLookups['rateFacilities']>> | null>;
}
