import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { Choice, Check, Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { principal, type Scope } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { SCOPES } from '../../../src/auth/scopes.ts';

const DAYS = ['30', '90', '365', ''] as const;

const FORM = 'new-token';

/** Gives the keys to the form. */
export function focusNewToken(): void {
  document.querySelector<HTMLElement>(`#${FORM} input`)?.focus();
}

/** Makes a token; what it is is shown once, by the page. */
export function NewTokenForm({ onMade }: { readonly onMade: (token: string) => void }) {
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['validate', 'forest']);
  const [days, setDays] = useState<(typeof DAYS)[number]>('90');
  // The token of the installation stands for no user, so its tokens need one named.
  const [email, setEmail] = useState(principal.value?.email ?? '');
  const [error, setError] = useState<unknown>(null);

  async function make(event: Event): Promise<void> {
    event.preventDefault();
    setError(null);
    try {
      const { token } = await call('createToken', {
        body: {
          label: label.trim(),
          scopes: [...scopes],
          ...(days === '' ? {} : { expires_in_days: Number(days) }),
          ...(email.trim() === '' ? {} : { email: email.trim() }),
        },
      });
      setLabel('');
      onMade(token);
    } catch (reason) {
      setError(reason);
    }
  }

  return (
    <form id={FORM} class="card" onSubmit={(event) => void make(event)}>
      <h2>{t('tokens.new')}</h2>
      <div class="row">
        <Field label={t('tokens.label')}>
          {(id) => (
            <input
              id={id}
              required
              maxLength={200}
              placeholder={t('tokens.labelExample')}
              value={label}
              onInput={(event) => setLabel(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={t('tokens.user')}>
          {(id) => (
            <input
              id={id}
              type="email"
              placeholder="dev@localhost"
              value={email}
              onInput={(event) => setEmail(event.currentTarget.value)}
            />
          )}
        </Field>
        <Choice
          label={t('tokens.lasts')}
          value={days}
          options={DAYS.map(
            (each) => [each, each === '' ? t('tokens.forever') : t('tokens.days', { days: Number(each) })] as const,
          )}
          onChange={setDays}
        />
      </div>
      <fieldset class="bare scopes">
        <legend>{t('tokens.scopes')}</legend>
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            label={t(`scope.${scope}`)}
            checked={scopes.includes(scope)}
            onChange={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((other) => other !== scope))}
          />
        ))}
      </fieldset>
      {error !== null && <ErrorNotice error={error} />}
      <button type="submit" class="button primary" disabled={label.trim() === '' || scopes.length === 0}>
        {t('tokens.make')}
      </button>
    </form>
  );
}
