import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../text/translate.ts';
import { Choice, Field } from '../field.tsx';
import { parsePlaces, type AxisOrder, type PastedPlace } from './parse-places.ts';

interface PasteFormProps {
  readonly class?: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** What the button says for so many places. */
  readonly submit: (count: number) => string;
  readonly disabled: boolean;
  /** Most places at once; without it any number. */
  readonly most?: number;
  readonly onPlaces: (places: readonly PastedPlace[]) => void;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** Places as pasted text, with the order of its axes, and which lines hold none. */
export function PasteForm({ text, most = Infinity, ...props }: PasteFormProps) {
  const [axes, setAxes] = useState<AxisOrder>('lat-lon');
  const { places, unread } = parsePlaces(text, axes);
  const count = places.length;
  return (
    <form
      class={props.class}
      onSubmit={(event) => {
        event.preventDefault();
        props.onPlaces(places);
      }}
    >
      <Field label={props.label} hint={props.hint}>
        {(id, describedBy) => (
          <textarea
            id={id}
            aria-describedby={describedBy}
            rows={5}
            spellcheck={false}
            placeholder={props.placeholder}
            value={text}
            onInput={(event) => props.onText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <Choice
          label={t('paste.order')}
          value={axes}
          options={[
            ['lat-lon', t('paste.latLon')],
            ['lon-lat', t('paste.lonLat')],
          ]}
          onChange={setAxes}
        />
        {props.children}
        <button type="submit" class="button primary" disabled={props.disabled || count === 0 || count > most}>
          {props.submit(count)}
        </button>
      </div>
      {count > most && (
        <p class="notice" data-kind="warn" role="alert">
          {t('paste.tooMany', { most, count })}
        </p>
      )}
      {unread.length > 0 && (
        <p class="hint" role="status">
          {t('paste.unread', { lines: unread.slice(0, 8).join(', ') })}
        </p>
      )}
    </form>
  );
}
