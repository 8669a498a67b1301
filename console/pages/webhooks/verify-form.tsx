import { useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { t } from '../../text/translate.ts';

type Diagnosis = Answer<'diagnoseWebhookSignature'>;

const EMPTY = { body: '', signature: '', secret: '', computed: '' };

/** Finds out why a receiver cannot verify a signature: it gives what it has, and learns which mistake it makes. */
export function VerifyForm() {
  const [values, setValues] = useState(EMPTY);
  const [diagnosis, setDiagnosis] = useState<Diagnosis | null>(null);
  const [error, setError] = useState<unknown>(null);
  const change = (part: Partial<typeof EMPTY>): void => setValues({ ...values, ...part });

  async function verify(event: Event): Promise<void> {
    event.preventDefault();
    setError(null);
    setDiagnosis(null);
    const { body, signature, secret, computed } = values;
    try {
      setDiagnosis(
        await call('diagnoseWebhookSignature', {
          body: { body, signature, ...(secret === '' ? {} : { secret }), ...(computed === '' ? {} : { computed }) },
        }),
      );
    } catch (reason) {
      setError(reason);
    }
  }

  return (
    <form class="card" onSubmit={(event) => void verify(event)}>
      <h2>{t('webhooks.verify')}</h2>
      <p class="muted">{t('verify.lead')}</p>
      <Field label={t('verify.body')}>
        {(id) => (
          <textarea
            id={id}
            rows={5}
            spellcheck={false}
            value={values.body}
            onInput={(event) => change({ body: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={t('verify.signature')}>
        {(id) => (
          <input
            id={id}
            class="mono"
            placeholder="t=1732150080, v1=92fb…"
            value={values.signature}
            onInput={(event) => change({ signature: event.currentTarget.value })}
          />
        )}
      </Field>
      <div class="row">
        <Field label={t('verify.secret')} hint={t('verify.secretHint')}>
          {(id, describedBy) => (
            <input
              id={id}
              aria-describedby={describedBy}
              type="password"
              autocomplete="off"
              value={values.secret}
              onInput={(event) => change({ secret: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={t('verify.computed')} hint={t('verify.computedHint')}>
          {(id, describedBy) => (
            <input
              id={id}
              aria-describedby={describedBy}
              class="mono"
              value={values.computed}
              onInput={(event) => change({ computed: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <button type="submit" class="button primary">
        {t('verify.run')}
      </button>
      {error !== null && <ErrorNotice error={error} />}
      {diagnosis !== null && <Findings diagnosis={diagnosis} />}
    </form>
  );
}

function Findings({ diagnosis: { verified, findings } }: { readonly diagnosis: Diagnosis }) {
  return (
    <div class="notice question" data-kind={verified ? 'info' : 'warn'} role="status">
      <strong>{verified ? t('verify.good') : t('verify.bad')}</strong>
      <ul>
        {findings.map(({ code, detail, fix }) => (
          <li key={code}>
            {detail} {fix}
          </li>
        ))}
      </ul>
    </div>
  );
}
