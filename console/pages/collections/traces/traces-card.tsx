import { useEffect, useState } from 'preact/hooks';
import { call } from '../../../api/client.ts';
import { useLoad } from '../../../parts/use-load.ts';
import { WhenLoaded } from '../../../parts/when-loaded.tsx';
import { may } from '../../../state/session.ts';
import { t } from '../../../text/translate.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { StatementForm } from './statement-form.tsx';
import type { Submission } from './submission.ts';
import { SubmissionItem } from './submission-item.tsx';

/** States in which the next answer is on its way. */
const PENDING: readonly Submission['state'][] = ['waiting', 'sending', 'unconfirmed'];
const LOOK_MS = 2_000;

/** Filing the statement of a collection with the EU information system, and what became of it. */
export function TracesCard({ collectionId }: { readonly collectionId: string }) {
  return (
    <section class="card" aria-labelledby="traces-title">
      <h2 id="traces-title">{t('traces.title')}</h2>
      {may('traces') ? <Allowed collectionId={collectionId} /> : <p class="hint">{t('traces.needsScope')}</p>}
    </section>
  );
}

function Allowed({ collectionId }: { readonly collectionId: string }) {
  const [status, reloadStatus] = useLoad('traces', (signal) => call('getFilingStatus', { signal }));
  const [list, reload] = useLoad(collectionId, (signal) =>
    call('listSubmissions', { query: { collection_id: collectionId, limit: 20 }, signal }),
  );
  const [amending, setAmending] = useState<string | null>(null);
  const submissions = list.state === 'ready' ? list.value.submissions : [];
  const isPending = submissions.some(
    ({ state, change, environment }) =>
      PENDING.includes(state) || change !== null || (state === 'submitted' && environment === 'test'),
  );
  useEffect(() => {
    if (!isPending) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [isPending]);
  // A form is of no use once the window is over, or the statement is retracted.
  const amended = submissions.find(({ id, allowed }) => id === amending && allowed.includes('amend')) ?? null;
  const isInForce = submissions.some(
    ({ state }) => !['refused', 'cancelled', 'rejected', 'withdrawn', 'obsolete'].includes(state),
  );
  return (
    <WhenLoaded loaded={status} onAgain={reloadStatus}>
      {({ environments, credentials }) => {
        const environment = environments[0]!;
        const hasCredentials = credentials.some((kept) => kept.environment === environment);
        return (
          <>
            <p>
              <span class="status" data-status="unknown">
                {t(`traces.environment.${environment}`)}
              </span>{' '}
              {t(`traces.about.${environment}`)}
            </p>
            <WhenLoaded loaded={list} onAgain={reload}>
              {() => (
                <ol class="evidence">
                  {submissions.map((submission) => (
                    <SubmissionItem
                      key={submission.id}
                      submission={submission}
                      onChange={reload}
                      onAmend={() => setAmending(submission.id)}
                    />
                  ))}
                </ol>
              )}
            </WhenLoaded>
            {!hasCredentials && <CredentialsForm environment={environment} onDone={reloadStatus} />}
            {amended !== null && (
              <StatementForm
                key={amended.id}
                collectionId={collectionId}
                environments={[amended.environment]}
                amending={amended}
                onCancel={() => setAmending(null)}
                onDone={() => {
                  setAmending(null);
                  reload();
                }}
              />
            )}
            {amended === null && !isInForce && (
              <StatementForm
                key={`${hasCredentials}`}
                collectionId={collectionId}
                environments={environments}
                amending={null}
                onCancel={null}
                onDone={reload}
              />
            )}
          </>
        );
      }}
    </WhenLoaded>
  );
}
