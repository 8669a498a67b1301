import { useState } from 'preact/hooks';
import { formatMoment, t } from '../../text/translate.ts';
import { inLight } from './follow-printing.ts';

/** What a signature of the results says; the results are what is signed, not the paper. */
export interface Signed {
  readonly keyId: string;
  readonly signedAt: string;
  readonly sha256: string;
}

export interface Printing {
  /** Has the results signed that the page shows. */
  readonly sign: () => Promise<Response>;
  /** The address that gives the same results. */
  readonly results: string;
}

/** Prints what is shown of one row: its map, evidence and reviews, with where it is from and a signature of the results. */
export function PrintButton({
  printing,
  onSigned,
}: {
  readonly printing: Printing;
  readonly onSigned: (signed: Signed | null) => void;
}) {
  const [isBusy, setBusy] = useState(false);

  async function print(): Promise<void> {
    setBusy(true);
    // Without a signature it is printed all the same, and says so.
    onSigned(await printing.sign().then(readSigned, () => null));
    await inLight(() => globalThis.print());
    setBusy(false);
  }

  return (
    <button type="button" class="button small no-print" disabled={isBusy} onClick={() => void print()}>
      {t('print.button')}
    </button>
  );
}

async function readSigned(response: Response): Promise<Signed> {
  const { key_id: keyId, statement } = (await response.json()) as { key_id: string; statement: string };
  const { signed_at: signedAt, files } = JSON.parse(statement) as {
    signed_at: string;
    files: readonly { readonly sha256: string }[];
  };
  return { keyId, signedAt, sha256: files[0]!.sha256 };
}

export function PrintFoot({ signed, results }: { readonly signed: Signed | null; readonly results: string }) {
  const { origin, href } = location;
  return (
    <footer class="print-only print-foot">
      <p>
        <strong>{t('print.page')}</strong> <a href={href}>{href}</a>
      </p>
      <p>
        <strong>{t('print.results')}</strong> <a href={`${origin}${results}`}>{`${origin}${results}`}</a>
      </p>
      <p>
        <strong>{t('print.signature')}</strong>{' '}
        {signed === null
          ? t('print.notSigned')
          : t('print.signed', {
              moment: formatMoment(signed.signedAt),
              key: signed.keyId,
              sha256: signed.sha256,
              verify: `${origin}/verify`,
            })}
      </p>
      <p class="print-lines">
        <span>{t('print.name')}</span>
        <span>{t('print.date')}</span>
        <span>{t('print.hand')}</span>
      </p>
    </footer>
  );
}
