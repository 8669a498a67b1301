import { useState } from 'preact/hooks';
import { call, type Answer } from '../../api/client.ts';
import { Empty } from '../../parts/notice.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useLive } from '../../parts/use-live.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { formatNumber, formatSecond, t, tWord } from '../../text/translate.ts';
import { DAY_MS } from '../../../src/durations.ts';

type Delivery = Answer<'listWebhookDeliveries'>['deliveries'][number];

const STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;

/** Milliseconds between two looks at what is on its way, whose attempts are 10 s apart at first, and at what is not. */
export const OPEN_MS = 2_000;
export const QUIET_MS = 8_000;

/** Whether something of it is still to come. */
export function isOpen({ status, sending }: Pick<Delivery, 'status' | 'sending'>): boolean {
  return status === 'pending' || sending;
}

/** How a state looks; failed ones stand out. */
export const STATE_LOOKS = { delivered: 'present', pending: 'unknown', failed: 'absent', cancelled: 'absent' } as const;

interface DeliveryLogProps {
  /** Changes when there may be new deliveries. */
  readonly round: number;
  readonly chosen: string | null;
  readonly onChange: () => void;
}

/** Deliveries, newest first, by state. */
export function DeliveryLog({ round, chosen, onChange }: DeliveryLogProps) {
  const state = STATES.find((name) => name === param('state')) ?? null;
  const before = param('before');
  const [loaded, reload] = useLive(
    `${state} ${before} ${round}`,
    (signal) =>
      call('listWebhookDeliveries', {
        query: { limit: 25, ...(state === null ? {} : { status: state }), ...(before === null ? {} : { before }) },
        signal,
      }),
    ({ deliveries }) => (deliveries.some(isOpen) ? OPEN_MS : QUIET_MS),
  );
  return (
    <section class="card">
      <div class="row spread">
        <h2>{t('webhooks.log')}</h2>
        <div class="actions">
          <select
            aria-label={t('webhooks.state')}
            value={state ?? ''}
            onChange={(event) => setParams({ state: event.currentTarget.value, before: null })}
          >
            <option value="">{t('webhooks.anyState')}</option>
            {STATES.map((name) => (
              <option key={name} value={name}>
                {t(`delivery.${name}`)}
              </option>
            ))}
          </select>
          <button type="button" class="button" onClick={reload}>
            {t('webhooks.reload')}
          </button>
          <RedeliverFailed onDone={onChange} />
        </div>
      </div>
      <WhenLoaded loaded={loaded} onAgain={reload}>
        {({ deliveries, next }) =>
          deliveries.length === 0 ? (
            <Empty title={t('webhooks.noDeliveries')}>
              <p>{t('webhooks.noDeliveriesHint')}</p>
            </Empty>
          ) : (
            <Deliveries deliveries={deliveries} chosen={chosen} next={next} />
          )
        }
      </WhenLoaded>
    </section>
  );
}

interface DeliveriesProps {
  readonly deliveries: readonly Delivery[];
  readonly chosen: string | null;
  readonly next: string | null;
}

function Deliveries({ deliveries, chosen, next }: DeliveriesProps) {
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('webhooks.log')}>
        <table class="plain stacked">
          <thead>
            <tr>
              <th scope="col">{t('webhooks.event')}</th>
              <th scope="col">{t('webhooks.created')}</th>
              <th scope="col">{t('webhooks.state')}</th>
              <th scope="col" class="number">
                {t('webhooks.attempts')}
              </th>
              <th scope="col">{t('webhooks.nextAttempt')}</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <tr key={delivery.id} data-chosen={delivery.id === chosen}>
                <td>
                  <button
                    type="button"
                    class="link"
                    aria-pressed={delivery.id === chosen}
                    onClick={() => setParams({ delivery: delivery.id === chosen ? null : delivery.id })}
                  >
                    {tWord('event', delivery.type)}
                  </button>
                </td>
                <td>{formatSecond(delivery.created_at)}</td>
                <td>
                  <span class="status" data-status={STATE_LOOKS[delivery.status]}>
                    {t(`delivery.${delivery.status}`)}
                  </span>
                </td>
                <td class="number" data-label={t('webhooks.attempts')}>
                  {formatNumber(delivery.attempts)}
                </td>
                <td data-label={t('webhooks.nextAttempt')}>
                  {delivery.sending ? t('webhooks.sending') : formatSecond(delivery.next_attempt_at)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager next={next} />
    </>
  );
}

/** Sends all again that failed within a day. */
function RedeliverFailed({ onDone }: { readonly onDone: () => void }) {
  const [said, setSaid] = useState('');
  async function redeliver(): Promise<void> {
    try {
      const since = new Date(Date.now() - DAY_MS).toISOString();
      const { redelivered } = await call('redeliverFailedWebhooks', { body: { since } });
      setSaid(t('webhooks.redelivered', { count: redelivered }));
      onDone();
    } catch (error) {
      setSaid((error as Error).message);
    }
  }
  return (
    <>
      <button type="button" class="button" onClick={() => void redeliver()}>
        {t('webhooks.redeliverFailed')}
      </button>
      <span class="small" role="status">
        {said}
      </span>
    </>
  );
}
