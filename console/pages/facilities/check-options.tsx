import { Check, Choice, Field } from '../../parts/field.tsx';
import { COMMODITIES } from '../../parts/review-file/reading.ts';
import { t, tWord } from '../../text/translate.ts';
import type { Order } from './submit.ts';

interface CheckOptionsProps {
  readonly order: Order;
  readonly onChange: (part: Partial<Order>) => void;
  /** The commodity is chosen where the file is looked at. */
  readonly hasReview?: boolean;
}

/** How places are checked. */
export function CheckOptions({ order, onChange, hasReview = false }: CheckOptionsProps) {
  return (
    <fieldset class="card options">
      <legend>{t('options.title')}</legend>
      {!hasReview && (
        <Choice
          label={t('options.commodity')}
          value={order.commodity}
          options={[
            ['', t('options.fromFile')],
            ...COMMODITIES.map((name) => [name, tWord('commodity', name)] as const),
          ]}
          onChange={(commodity) => onChange({ commodity })}
        />
      )}
      <Choice
        label={t('options.type')}
        value={order.locationType}
        options={[
          ['', t('options.eachRow')],
          ['facility', t('type.facility')],
          ['plot', t('type.plot')],
        ]}
        onChange={(locationType) => onChange({ locationType })}
      />
      <Field label={t('options.radius')} hint={t('options.radiusHint')}>
        {(id, describedBy) => (
          <input
            id={id}
            aria-describedby={describedBy}
            type="number"
            min={1}
            max={50_000}
            step={100}
            value={order.radiusM}
            onChange={(event) => onChange({ radiusM: Number(event.currentTarget.value) || 5_000 })}
          />
        )}
      </Field>
      <Check label={t('options.roads')} checked={order.roads} onChange={(roads) => onChange({ roads })} />
      <Check label={t('options.water')} checked={order.water} onChange={(water) => onChange({ water })} />
      <Check label={t('options.ports')} checked={order.ports} onChange={(ports) => onChange({ ports })} />
      <Check label={t('options.geocode')} checked={order.geocode} onChange={(geocode) => onChange({ geocode })} />
      <Check label={t('options.repair')} checked={order.repair} onChange={(repair) => onChange({ repair })} />
    </fieldset>
  );
}
