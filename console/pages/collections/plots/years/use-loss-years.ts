import { useEffect, useState } from 'preact/hooks';
import { send } from '../../../../api/client.ts';
import { openLines, type Lines } from '../../../../api/open-lines.ts';
import type { LossYears } from './loss-years.ts';

/** The first year that datasets of losses have. */
export const FIRST_YEAR = 2001;

/**
 * The losses of every plot of a collection in all years up to the present one, read when they are wanted: those that the page
 * shows are of its period alone. Null where no collection is named.
 */
export function useLossYears(collectionId: string | null, today: string): Lines<LossYears, never> | null {
  const [lines, setLines] = useState<Lines<LossYears, never> | null>(null);
  useEffect(() => {
    if (collectionId === null) return setLines(null);
    const opened = openYears(collectionId, today);
    setLines(opened);
    return () => opened.close();
  }, [collectionId, today]);
  return lines;
}

function openYears(filename: string, today: string): Lines<LossYears, never> {
  const worker = new Worker(new URL('./loss-years-worker.ts', import.meta.url), { type: 'module' });
  const query = { filename, monitoring_start: `${FIRST_YEAR - 1}-12-31`, monitoring_end: today };
  return openLines(worker, (signal) =>
    send('fetchDeforestationCheck', { query, accept: 'application/x-ndjson', signal }),
  );
}
