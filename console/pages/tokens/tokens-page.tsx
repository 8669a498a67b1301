import { useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Check } from '../../parts/field.tsx';
import { Empty, ErrorNotice, NotAllowed } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { formatMoment, t } from '../../text/translate.ts';
import { focusNewToken, NewTokenForm } from './new-token-form.tsx';

type Token = Answer<'listTokens'>['tokens'][number];

/** API tokens of all users, for administrators: make, see, revoke. */
export function TokensPage() {
  const withRevoked = param('revoked') === '1';
  const isAllowed = may('admin');
  const [loaded, reload] = useLoad(isAllowed ? `tokens ${withRevoked}` : null, (signal) =>
    call('listTokens', { query: { include_revoked: withRevoked }, signal }),
  );
  const [made, setMade] = useState<string | null>(null);
  if (!isAllowed) return <NotAllowed title={t('tokens.notAllowed')} text={t('tokens.needsAdmin')} />;
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t('tokens.title')}</h1>
        <p class="lead">{t('tokens.lead')}</p>
      </header>
      <div class="stack">
        {made !== null && (
          <section class="card" aria-labelledby="made-title" role="status">
            <h2 id="made-title">{t('tokens.made')}</h2>
            <p>{t('tokens.once')}</p>
            <div class="secret">
              <code>{made}</code>
              <CopyButton text={made} />
              <button type="button" class="button small" onClick={() => setMade(null)}>
                {t('tokens.kept')}
              </button>
            </div>
          </section>
        )}
        <NewTokenForm
          onMade={(token) => {
            setMade(token);
            reload();
          }}
        />
        <section class="card">
          <div class="row spread">
            <h2>{t('tokens.all')}</h2>
            <Check
              label={t('tokens.revoked')}
              checked={withRevoked}
              onChange={(on) => setParams({ revoked: on ? '1' : null })}
            />
          </div>
          <WhenLoaded loaded={loaded} onAgain={reload}>
            {({ tokens }) =>
              tokens.length === 0 ? (
                <Empty title={t('tokens.none')}>
                  <p>{t('tokens.why')}</p>
                  <button type="button" class="button" onClick={focusNewToken}>
                    {t('tokens.new')}
                  </button>
                </Empty>
              ) : (
                <TokenTable tokens={tokens} onChange={reload} />
              )
            }
          </WhenLoaded>
        </section>
      </div>
    </div>
  );
}

function TokenTable({ tokens, onChange }: { readonly tokens: readonly Token[]; readonly onChange: () => void }) {
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t('tokens.all')}>
      <table class="plain tokens stacked">
        <thead>
          <tr>
            <th scope="col">{t('tokens.label')}</th>
            <th scope="col">{t('tokens.scopes')}</th>
            <th scope="col">{t('tokens.created')}</th>
            <th scope="col">{t('tokens.expires')}</th>
            <th scope="col">{t('tokens.used')}</th>
            <th scope="col">
              <span class="visually-hidden">{t('tokens.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id} data-revoked={token.revoked_at !== null}>
              <th scope="row">
                {token.label}
                {token.revoked_at !== null && <span class="tag">{t('tokens.isRevoked')}</span>}
              </th>
              <td data-label={t('tokens.scopes')}>{token.scopes.map((scope) => t(`scope.${scope}`)).join(', ')}</td>
              <td data-label={t('tokens.created')}>{formatMoment(token.created_at)}</td>
              <td data-label={t('tokens.expires')}>
                {token.expires_at === null ? t('tokens.never') : formatMoment(token.expires_at)}
              </td>
              <td data-label={t('tokens.used')}>
                {token.last_used_at === null ? t('tokens.never') : formatMoment(token.last_used_at)}
              </td>
              <td>{token.revoked_at === null && <Revoke token={token} onDone={onChange} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Confirms before it revokes: what used the token stops working at once. */
function Revoke({ token, onDone }: { readonly token: Token; readonly onDone: () => void }) {
  const [error, setError] = useState<unknown>(null);
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <ConfirmButton
      text={t('tokens.revoke')}
      label={t('tokens.revokeOne', { label: token.label })}
      sure={t('tokens.sure')}
      onSure={() => void call('revokeToken', { path: { token_id: token.id } }).then(onDone, setError)}
    />
  );
}
