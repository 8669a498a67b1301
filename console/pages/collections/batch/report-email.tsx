import { formatMoment, langOf, t } from '../../../text/translate.ts';
import type { Collection } from '../collection.ts';

const LOOKS = { queued: 'unknown', sent: 'present', failed: 'absent', unknown: 'unknown', none: 'absent' } as const;

/** What became of the email that brings the report. */
export function ReportEmail({ email }: { readonly email: NonNullable<Collection['report_email']> }) {
  const { state, reason, to, next_attempt_at: next, finished_at: finished } = email;
  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">{t('email.title')}</h2>
      <p>
        <span class="status" data-status={LOOKS[state]}>
          {t(`email.${state}`)}
        </span>{' '}
        {to !== null && t('email.to', { to })}
      </p>
      {reason !== null && <p lang={langOf(email, 'reason')}>{reason}</p>}
      {finished !== null && <p class="muted small">{formatMoment(finished)}</p>}
      {state === 'queued' && next !== null && (
        <p class="muted small">{t('email.next', { moment: formatMoment(next) })}</p>
      )}
    </section>
  );
}
