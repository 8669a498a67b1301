import { Check, Choice, Field } from '../../../parts/field.tsx';
import { t, tWord } from '../../../text/translate.ts';
import { COMMODITIES } from '../../../parts/review-file/reading.ts';
import type { BatchOrder } from './batch-order.ts';

interface BatchFieldsProps {
  readonly order: BatchOrder;
  readonly onChange: (part: Partial<BatchOrder>) => void;
  /** The commodity is chosen where the file is looked at. */
  readonly hasReview?: boolean;
}

/** The options of a batch. */
export function BatchFields({ order, onChange, hasReview = false }: BatchFieldsProps) {
  const commodities = COMMODITIES.some((name) => name === order.cropType) || order.cropType === '';
  return (
    <>
      {!hasReview && (
        <Choice
          label={t('batch.crop')}
          value={order.cropType}
          options={[
            ['', t('options.fromFile')],
            ...(commodities ? [] : [[order.cropType, order.cropType] as const]),
            ...COMMODITIES.map((name) => [name, tWord('commodity', name)] as const),
          ]}
          onChange={(cropType) => onChange({ cropType })}
        />
      )}
      <Check
        label={t('batch.statistics')}
        checked={order.statistics}
        onChange={(statistics) => onChange({ statistics })}
      />
      <Check label={t('batch.validate')} checked={order.validate} onChange={(validate) => onChange({ validate })} />
      <Check label={t('batch.report')} checked={order.report} onChange={(report) => onChange({ report })} />
      <div class="row dates">
        <Field label={t('period.from')}>
          {(id) => (
            <input
              id={id}
              type="date"
              max="2020-12-30"
              value={order.start}
              onChange={(event) => onChange({ start: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field label={t('period.to')}>
          {(id) => (
            <input
              id={id}
              type="date"
              min="2021-01-01"
              max={new Date().toISOString().slice(0, 10)}
              value={order.end}
              onChange={(event) => onChange({ end: event.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <p class="hint">{t('batch.periodHint')}</p>
    </>
  );
}
