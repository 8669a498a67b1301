import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { goTo } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { formatMoment, t } from '../../text/translate.ts';
import { ErrorNotice } from '../notice.tsx';

interface SendRowsProps {
  readonly text: string;
  /** The rows as a file of places. */
  readonly make: () => Promise<Blob>;
  /** Sends the file and shows what became of it. */
  readonly send: (file: File) => Promise<void>;
}

/** Sends the chosen rows to be read again. */
export function SendRows({ text, make, send }: SendRowsProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const start = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await send(new File([await make()], 'selected-rows.geojson', { type: 'application/geo+json' }));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class="button small" disabled={isBusy} onClick={() => void start()}>
        {text}
      </button>
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}

/** What a collection of chosen rows is called. */
export function nameOfSelected(): string {
  return t('marks.collectionName', { moment: formatMoment(new Date().toISOString()) });
}

/** Makes a collection of the chosen rows: the file is kept, and its page offers to process it. */
export function MakeCollection({ make }: Pick<SendRowsProps, 'make'>) {
  if (!may('collections')) return null;
  const send = async (file: File): Promise<void> => {
    const form = new FormData();
    form.set('collection_name', nameOfSelected());
    form.set('file', file);
    const work = await call('stagePlots', { form });
    goTo('collections', { id: (work as { collection_id: string }).collection_id });
  };
  return <SendRows text={t('marks.collection')} make={make} send={send} />;
}
