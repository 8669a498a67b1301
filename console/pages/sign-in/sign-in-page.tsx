import { useState } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { signedOutBecause, signIn, signInWithPassword } from '../../state/session.ts';
import { t } from '../../text/translate.ts';

/** Signs in with a token, or with the email and password of a local user. */
export function SignInPage() {
  const [how, setHow] = useState<'token' | 'password'>('token');
  const [token, setToken] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await (how === 'token' ? signIn(token.trim()) : signInWithPassword(email.trim(), password));
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  }

  return (
    <div class="sign-in">
      <form class="card" onSubmit={(event) => void submit(event)}>
        <h1>{t('signIn.title')}</h1>
        <p class="muted">{signedOutBecause.value === 'refused' ? t('signIn.refused') : t('signIn.lead')}</p>
        <div class="segmented" role="group" aria-label={t('signIn.how')}>
          {(['token', 'password'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={how === each} onClick={() => setHow(each)}>
              {t(`signIn.${each}`)}
            </button>
          ))}
        </div>
        {how === 'token' ? (
          <Field label={t('signIn.token')} hint={t('signIn.tokenHint')}>
            {(id, describedBy) => (
              <input
                id={id}
                aria-describedby={describedBy}
                type="password"
                autocomplete="current-password"
                required
                value={token}
                onInput={(event) => setToken(event.currentTarget.value)}
              />
            )}
          </Field>
        ) : (
          <>
            <Field label={t('signIn.email')}>
              {(id) => (
                <input
                  id={id}
                  type="email"
                  autocomplete="username"
                  required
                  value={email}
                  onInput={(event) => setEmail(event.currentTarget.value)}
                />
              )}
            </Field>
            <Field label={t('signIn.password')}>
              {(id) => (
                <input
                  id={id}
                  type="password"
                  autocomplete="current-password"
                  required
                  value={password}
                  onInput={(event) => setPassword(event.currentTarget.value)}
                />
              )}
            </Field>
          </>
        )}
        {error !== null && <ErrorNotice error={error} />}
        <button type="submit" class="button primary wide" disabled={isBusy}>
          {t('signIn.submit')}
        </button>
      </form>
    </div>
  );
}
