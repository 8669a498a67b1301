import { useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { ConfirmButton } from '../../../parts/confirm-button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Field } from '../../../parts/field.tsx';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { formatMoment, t } from '../../../text/translate.ts';
import type { Submission } from './submission.ts';

interface SubmissionItemProps {
  readonly submission: Submission;
  readonly onChange: () => void;
  readonly onAmend: () => void;
}

const LOOKS: Readonly<Partial<Record<Submission['state'], string>>> = {
  available: 'present',
  archived: 'present',
  grouped: 'present',
  refused: 'absent',
  rejected: 'absent',
};

/** One filing: its state, its numbers, why a call failed, and what can be done with it. */
export function SubmissionItem({ submission, onChange, onAmend }: SubmissionItemProps) {
  const [error, setError] = useState<unknown>(null);
  const [confirm, setConfirm] = useState('');
  const { id, state, change, environment, failure, allowed, confirm_with: wanted } = submission;
  const run = (work: Promise<unknown>): void =>
    void work.then(
      () => {
        setError(null);
        onChange();
      },
      (reason: unknown) => setError(reason),
    );
  const path = { submission_id: id };
  const retract = (): void => {
    if (allowed.includes('cancel')) return run(call('cancelSubmission', { path }));
    run(call('retractSubmission', { path, body: wanted.retract === null ? {} : { confirm } }));
  };
  return (
    <li>
      <div class="evidence-head">
        <span class="status" data-status={LOOKS[state] ?? 'unknown'}>
          {t(`traces.state.${state}`)}
        </span>
        <span>{t(`traces.environment.${environment}`)}</span>
        <span class="muted">{formatMoment(submission.created_at)}</span>
      </div>
      {change !== null && <p role="status">{t(`traces.changing.${change}`)}</p>}
      {state === 'submitted' && <p class="small muted">{t('traces.submittedHint')}</p>}
      <Answered submission={submission} />
      {failure !== null && (
        <div class="notice" data-kind="error">
          <p>{failure.detail}</p>
          <p>{failure.advice.replaceAll('`', '')}</p>
        </div>
      )}
      {submission.changeable_until !== null && allowed.length > 0 && (
        <p class="small muted">{t('traces.until', { time: formatMoment(submission.changeable_until.surely) })}</p>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {wanted.retract !== null && allowed.includes('retract') && (
        <Field label={t('traces.type', { text: wanted.retract })}>
          {(fieldId) => (
            <input id={fieldId} value={confirm} onInput={(event) => setConfirm(event.currentTarget.value)} />
          )}
        </Field>
      )}
      <div class="actions">
        {submission.uuid !== null && (
          <button type="button" class="button small" onClick={() => run(call('refreshSubmission', { path }))}>
            {t('traces.refresh')}
          </button>
        )}
        {allowed.includes('amend') && (
          <button type="button" class="button small" onClick={onAmend}>
            {t('traces.amend')}
          </button>
        )}
        {(allowed.includes('retract') || allowed.includes('cancel')) && (
          <ConfirmButton
            text={t('traces.retract')}
            label={t('traces.retractOne', { reference: submission.internal_reference })}
            sure={t('traces.retractSure')}
            onSure={retract}
          />
        )}
      </div>
    </li>
  );
}

/** What the information system has given it: its numbers, and words about it. */
function Answered({ submission }: Pick<SubmissionItemProps, 'submission'>) {
  const given = [
    ['referenceNumber', submission.reference_number],
    ['verificationNumber', submission.verification_number],
    ['internalReference', submission.internal_reference],
    ['rejected', submission.rejection_reason],
    ['message', submission.communication],
  ] as const;
  return (
    <dl class="pairs">
      {given
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{t(`traces.${name}`)}</dt>
            <dd class="mono">
              {value} {name.endsWith('Number') && <CopyButton text={value!} />}
            </dd>
          </div>
        ))}
    </dl>
  );
}
