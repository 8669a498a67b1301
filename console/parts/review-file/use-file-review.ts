import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { OnSent } from '../../../clients/typescript/send-form.ts';
import type { Sent } from '../files/sending.tsx';
import { AS_FOUND, headingsOf, type Preview, type Reading } from './reading.ts';
import { recallMapping, rememberMapping } from './remembered-mappings.ts';

/** Requests what a file would become. */
type LookAtFile = (
  file: File,
  reading: Reading,
  fetchData: boolean,
  signal: AbortSignal,
  onSent: OnSent,
) => Promise<Preview>;

/** A file that was chosen and that nothing has been made of yet. */
export interface FileReview {
  readonly file: File;
  /** What was understood of it; null before the first answer. */
  readonly preview: Preview | null;
  readonly reading: Reading;
  /** Columns are read as they were corrected for an earlier file with the same headings. */
  readonly isRemembered: boolean;
  /** Whether the service is looking at it, and how much of it has left. */
  readonly looking: { readonly sent: Sent; readonly isFetching: boolean } | null;
  readonly error: unknown;
  /** Cells of map data that were to be fetched and were not. */
  readonly unfetched: number;
  /** The most that may be sent, where the file is larger; nothing was sent then. */
  readonly tooLarge: { readonly most: number } | null;
  /** The user stopped it before the answer came. */
  readonly isStopped: boolean;
  /** Everything is known that has to be known before it is worked on. */
  readonly isReady: boolean;
  change(part: Partial<Reading>): void;
  /** Fetches the map data that is missing around its rows. */
  fetchData(): void;
  /** Reads the columns as they are found, and forgets how they were corrected. */
  forget(): void;
  again(): void;
  stop(): void;
  /** Keeps the corrections for the next file with these headings. */
  remember(): void;
}

interface ReviewOptions {
  /** The name of its size in `/limits`. */
  readonly limit: 'upload_mb' | 'collection_mb';
  /** Whatever else of a form changes how it is read, as one text. */
  readonly otherwise?: string;
}

interface Look {
  readonly reading: Reading;
  readonly fetches: boolean;
  readonly round: number;
}

/** A larger file is not sent once more for its commodity alone, which changes little of what is shown. */
const SMALL_BYTES = 5e6;

/** Has the service look at a file whenever how it is to be read changes. Give each file a component of its own. */
export function useFileReview(file: File, look: LookAtFile, { limit, otherwise = '' }: ReviewOptions): FileReview {
  const [wanted, setWanted] = useState<Look>({ reading: AS_FOUND, fetches: false, round: 0 });
  const [preview, setPreview] = useState<Preview | null>(null);
  const [isRemembered, setRemembered] = useState(false);
  const [looking, setLooking] = useState<FileReview['looking']>(null);
  const [error, setError] = useState<unknown>(null);
  const [tooLarge, setTooLarge] = useState<FileReview['tooLarge']>(null);
  const [isStopped, setStopped] = useState(false);
  const [unfetched, setUnfetched] = useState(0);
  const abort = useRef(new AbortController());
  const isFirst = useRef(true);
  const { reading, fetches } = wanted;

  useEffect(() => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    setError(null);
    setUnfetched(0);
    setStopped(false);
    setLooking({ sent: null, isFetching: fetches });
    const onSent = (...sent: readonly [number, number]): void => {
      if (!signal.aborted) setLooking({ sent, isFetching: fetches });
    };
    const run = async (): Promise<void> => {
      const most = await mostBytes(limit);
      if (file.size > most) return setTooLarge({ most });
      const found = await look(file, reading, fetches, signal, onSent);
      if (signal.aborted) return;
      setPreview(found);
      if (fetches) setUnfetched(unfetchedOf(preview?.region.to_fetch ?? null, found.region.to_fetch));
      if (isFirst.current) begin(found);
    };
    run().then(
      () => signal.aborted || setLooking(null),
      (reason: unknown) => {
        if (signal.aborted) return;
        setLooking(null);
        setError(reason);
      },
    );
    return () => abort.current.abort(new Error('the file is looked at once more'));
  }, [keyOf(wanted, file.size < SMALL_BYTES), otherwise]);

  /** The first answer says which headings the file has, and what it may be about. */
  function begin(found: Preview): void {
    isFirst.current = false;
    const kept = recallMapping(headingsOf(found));
    setRemembered(kept !== null);
    const commodity = found.commodity.proposed?.commodity ?? '';
    setWanted((before) => ({ ...before, reading: { ...before.reading, mapping: kept ?? {}, commodity } }));
  }

  const want = (part: Partial<Look>): void => setWanted({ ...wanted, fetches: false, ...part });
  const isSettled = looking === null && error === null && tooLarge === null && !isStopped;
  return {
    file,
    preview,
    reading,
    isRemembered,
    looking,
    error,
    unfetched,
    tooLarge,
    isStopped,
    isReady: isSettled && preview !== null && isComplete(preview, reading),
    change: (part) => want({ reading: { ...reading, ...part } }),
    fetchData: () => want({ fetches: true, round: wanted.round + 1 }),
    forget() {
      if (preview !== null) rememberMapping(headingsOf(preview), {});
      setRemembered(false);
      want({ reading: { ...reading, mapping: {} } });
    },
    again: () => want({ round: wanted.round + 1 }),
    stop() {
      abort.current.abort(new Error('the user stopped it'));
      setLooking(null);
      setStopped(true);
    },
    remember() {
      if (preview !== null) rememberMapping(headingsOf(preview), reading.mapping);
    },
  };
}

/** Whether there are rows, and a commodity for those that name none. */
function isComplete({ counts, commodity }: Preview, reading: Reading): boolean {
  return counts.locations > 0 && (commodity.without === 0 || reading.commodity !== '');
}

/** Cells that one request was to fetch and did not. */
export function unfetchedOf(before: Missing, after: Missing): number {
  const beyond = before === null ? 0 : Math.max(0, before.cells - before.at_once);
  return Math.max(0, (after?.cells ?? 0) - beyond);
}
type Missing = Preview['region']['to_fetch'];

/** What makes another answer. */
function keyOf({ reading: { mapping, sheet, commodity }, round }: Look, isSmall: boolean): string {
  return JSON.stringify([mapping, sheet, isSmall ? commodity : '', round]);
}

async function mostBytes(limit: string): Promise<number> {
  const { limits } = await call('getLimits');
  const value = limits.find(({ name }) => name === limit)?.value;
  return typeof value === 'number' ? value * 1e6 : Infinity;
}
