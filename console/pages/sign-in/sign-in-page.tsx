import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FirstmileError } from '../../../clients/typescript/problems.ts';
import { Field } from '../../parts/field.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { isAway, useReturn } from '../../parts/use-return.ts';
import { signedOutBecause, signIn, signInWithPassword, tokenIn } from '../../state/session.ts';
import { t } from '../../text/translate.ts';

/** Says what this is, and signs in with a token, or with the email and password of a local user. */
export function SignInPage() {
  const [how, setHow] = useState<'token' | 'password'>('token');
  const [token, setToken] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  // Before the next key: whoever types on must not lose a letter.
  useLayoutEffect(() => first.current?.focus(), [how]);

  async function submit(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await (how === 'token' ? signIn(checkedToken(token)) : signInWithPassword(email.trim(), password));
    } catch (reason) {
      setError(reason);
      setBusy(false);
      first.current?.focus();
    }
  }
  // What was typed is sent once more by itself.
  useReturn(error, () => void submit(), true);

  return (
    <div class="sign-in">
      <Introduction />
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>{t('signIn.title')}</h1>
        <p class="muted">{signedOutBecause.value === 'refused' ? t('signIn.refused') : t('signIn.lead')}</p>
        <div class="segmented" role="group" aria-label={t('signIn.how')}>
          {(['token', 'password'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={how === each}
              onClick={() => {
                setHow(each);
                setError(null);
              }}
            >
              {t(`signIn.${each}`)}
            </button>
          ))}
        </div>
        {how === 'token' ? (
          <TokenField first={first} token={token} onToken={setToken} />
        ) : (
          <PasswordFields first={first} email={email} onEmail={setEmail} password={password} onPassword={setPassword} />
        )}
        {error !== null && <Fault error={error} />}
        <button type="submit" class="button primary wide" disabled={isBusy}>
          {t('signIn.submit')}
        </button>
      </form>
    </div>
  );
}

function Introduction() {
  return (
    <section class="sign-in-what" aria-labelledby="what-title">
      <h2 id="what-title">{t('signIn.what')}</h2>
      <ul>
        {(['facilities', 'plots', 'forest', 'evidence'] as const).map((each) => (
          <li key={each}>{t(`signIn.what.${each}`)}</li>
        ))}
      </ul>
      <p class="muted">
        <a href="/docs">{t('signIn.docs')}</a>
      </p>
    </section>
  );
}

interface FirstField {
  /** Has the focus at first, and again when what was typed is refused. */
  readonly first: RefObject<HTMLInputElement | null>;
}

interface TokenFieldProps extends FirstField {
  readonly token: string;
  readonly onToken: (token: string) => void;
}

function TokenField({ first, token, onToken }: TokenFieldProps) {
  return (
    <Field label={t('signIn.token')} hint={t('signIn.tokenHint')}>
      {(id, describedBy) => (
        <input
          ref={first}
          id={id}
          aria-describedby={describedBy}
          type="password"
          autocomplete="current-password"
          required
          value={token}
          onInput={(event) => onToken(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface PasswordFieldsProps extends FirstField {
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly password: string;
  readonly onPassword: (password: string) => void;
}

function PasswordFields({ first, email, onEmail, password, onPassword }: PasswordFieldsProps) {
  return (
    <>
      <Field label={t('signIn.email')}>
        {(id) => (
          <input
            ref={first}
            id={id}
            type="email"
            autocomplete="username"
            required
            value={email}
            onInput={(event) => onEmail(event.currentTarget.value)}
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
            onInput={(event) => onPassword(event.currentTarget.value)}
          />
        )}
      </Field>
    </>
  );
}

/** `fm_`, 27 digits and a checksum of 6. */
const API_TOKEN = /^fm_[0-9A-Za-z]{33}$/;

/** What is wrong with a token before it is sent. */
class NoToken extends Error {
  readonly fault: 'empty' | 'cut';

  constructor(fault: NoToken['fault']) {
    super(fault);
    this.fault = fault;
  }
}

/** The token out of what was pasted. One that the operator has set may look like anything, so a strange one is sent all the same. */
function checkedToken(pasted: string): string {
  const token = tokenIn(pasted);
  if (token === '') throw new NoToken('empty');
  if (token.startsWith('fm_') && !API_TOKEN.test(token)) throw new NoToken('cut');
  return token;
}

/** The true fault, with the way out of it. */
function Fault({ error }: { readonly error: unknown }) {
  const text = faultText(error);
  if (text === null) return <ErrorNotice error={error} />;
  return (
    <div class="notice" data-kind="error" role="alert">
      <strong>{text[0]}</strong>
      <p>{text[1]}</p>
    </div>
  );
}

function faultText(error: unknown): readonly [title: string, way: string] | null {
  if (error instanceof NoToken) return [t(`signIn.fault.${error.fault}`), t(`signIn.fault.${error.fault}Way`)];
  if (!(error instanceof FirstmileError)) return null;
  if (isAway(error)) return [t('signIn.fault.away'), t('signIn.fault.awayWay')];
  if (error.code === 'wrong_password') return [t('error.wrong_password'), t('signIn.fault.passwordWay')];
  if (error.code === 'rate_limited')
    return [t('error.rate_limited'), t('signIn.fault.rateWay', { seconds: error.retryAfterS ?? 60 })];
  const fault = REFUSALS[codeOf(error)];
  return fault === undefined ? null : [t(`signIn.fault.${fault}`), t(`signIn.fault.${fault}Way`)];
}

/** Faults that have a text of their own, by the code of the refusal: its words are in the language of the page. */
const REFUSALS: Readonly<Record<string, 'cut' | 'other' | 'ended'>> = {
  'refusal.mistyped_token': 'cut',
  'refusal.no_token': 'other',
  'refusal.unknown_token': 'ended',
};

function codeOf({ messages }: FirstmileError): string {
  const [first] = (messages['detail'] ?? []) as readonly { readonly code: string }[];
  return first?.code ?? '';
}
