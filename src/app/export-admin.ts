import type { Config } from '../config/settings.ts';
import { createCollectionStore } from '../db/collections/create-collections.ts';
import { connectRunning } from './control.ts';
import { createDueDiligence } from '../service/collections/due-diligence.ts';
import { createExportAdmin, type ExportAdmin } from './export-control.ts';
import { parcelDatasets } from '../service/datasets/catalogue.ts';
import { plotParcels } from '../service/parcels/plot-parcels.ts';
import { openForCommand } from './open-for-command.ts';

/** Exports for the command line: through the service that holds the embedded database open when one runs, else directly. */
export async function openExportAdmin(config: Config): Promise<{ readonly exports: ExportAdmin } & AsyncDisposable> {
  const running = await connectRunning(config);
  if (running !== null) return { exports: running, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using opened = new AsyncDisposableStack();
  const { store, tasks, data } = await openForCommand(config, opened);
  const exports = createExportAdmin({
    collections: createCollectionStore(store),
    tasks,
    dueDiligence: createDueDiligence(
      data,
      plotParcels(() => parcelDatasets(config), config),
    ),
  });
  const kept = opened.move();
  return { exports, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
