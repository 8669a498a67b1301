import { useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { Field } from '../../../parts/field.tsx';
import { ErrorNotice } from '../../../parts/notice.tsx';
import { t } from '../../../text/translate.ts';
import type { Submission } from './submission.ts';

interface CredentialsFormProps {
  readonly environment: Submission['environment'];
  readonly onDone: () => void;
}

/** Credentials are sent once, and never shown again. */
export function CredentialsForm({ environment, onDone }: CredentialsFormProps) {
  const [given, setGiven] = useState({ username: '', authentication_key: '', client_id: '' });
  const [error, setError] = useState<unknown>(null);
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    call('setFilingCredentials', { path: { environment }, body: given }).then(onDone, (reason: unknown) =>
      setError(reason),
    );
  };
  const input = (name: keyof typeof given, isSecret: boolean) => (
    <Field label={t(`traces.${name}`)}>
      {(id) => {
        const own = {
          id,
          required: true,
          autocomplete: 'off',
          value: given[name],
          onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
            setGiven({ ...given, [name]: event.currentTarget.value }),
        } as const;
        return isSecret ? <input type="password" {...own} /> : <input {...own} />;
      }}
    </Field>
  );
  return (
    <form onSubmit={save}>
      <h3>{t('traces.credentials')}</h3>
      <p class="hint">{t('traces.credentialsHint')}</p>
      {error !== null && <ErrorNotice error={error} />}
      {input('username', false)}
      {input('authentication_key', true)}
      {input('client_id', false)}
      <button type="submit" class="button">
        {t('traces.keep')}
      </button>
    </form>
  );
}
