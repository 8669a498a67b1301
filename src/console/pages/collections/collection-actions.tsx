import { useState } from 'preact/hooks';
import { download } from '../../parts/download.ts';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { formatMoment, t } from '../../text/translate.ts';
import { exportDds, type Work } from './collection.ts';

/** The due diligence export, and what has become of the report by email. */
export function CollectionActions({ work, onChange }: { readonly work: Work; readonly onChange: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function save(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const archive = await exportDds(work.collection_id, null, new AbortController().signal);
      download(archive, `due-diligence-${work.collection_name.replaceAll(/[^\w-]+/g, '-')}.zip`);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  }

  const mail = work.report_email;
  return (
    <section class="card">
      <h2>{t('collections.export')}</h2>
      <p class="muted">{t('collections.exportHint')}</p>
      <div class="actions">
        <button
          type="button"
          class="button primary"
          disabled={isBusy || work.stats !== true}
          onClick={() => void save()}
        >
          {t('collections.exportNow')}
        </button>
        {isBusy && <Loading text={t('collections.exporting')} />}
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {mail !== null && (
        <div class="mail" role="status">
          <h3>{t('mail.title')}</h3>
          <p>
            <span class="status" data-status={MAIL_LOOKS[mail.state]}>
              {t(`mail.${mail.state}`)}
            </span>{' '}
            {mail.to !== null && <span class="mono">{mail.to}</span>}{' '}
            {mail.finished_at !== null && <span class="muted">{formatMoment(mail.finished_at)}</span>}
            {mail.next_attempt_at !== null && (
              <span class="muted">{t('mail.next', { moment: formatMoment(mail.next_attempt_at) })}</span>
            )}
          </p>
          {mail.reason !== null && <p class="muted">{mail.reason}</p>}
          {mail.state === 'queued' && (
            <button type="button" class="button small" onClick={onChange}>
              {t('webhooks.reload')}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

const MAIL_LOOKS = {
  queued: 'unknown',
  sent: 'present',
  failed: 'absent',
  unknown: 'unknown',
  none: 'unknown',
} as const;
