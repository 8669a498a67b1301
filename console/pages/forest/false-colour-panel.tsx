import { attributionText } from '../../map/attribution-text.ts';
import { Check, Choice } from '../../parts/field.tsx';
import type { Loaded } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { hrefOf, param, setParams } from '../../state/address.ts';
import { formatNumber, t } from '../../text/translate.ts';
import type { FalseColour, Years } from './false-colour.ts';

interface FalseColourPanelProps {
  readonly loaded: Loaded<FalseColour>;
  readonly onAgain: () => void;
  readonly years: Years | null;
  /** Where the line between two years is, 0 to 1. */
  readonly share: number;
  readonly onShare: (share: number) => void;
}

/** Embeddings below the outline, on request: one year, or two with a line between them that can be moved. */
export function FalseColourPanel({ loaded, onAgain, years, share, onShare }: FalseColourPanelProps) {
  const isOn = param('colours') === '1';
  return (
    <section class="false-colour">
      <Check
        label={t('colours.show')}
        checked={isOn}
        onChange={(on) => setParams({ colours: on ? '1' : null, years: null })}
      />
      {isOn && (
        <WhenLoaded loaded={loaded} onAgain={onAgain} waiting={t('colours.loading')}>
          {(found) => <Shown found={found} years={years} share={share} onShare={onShare} />}
        </WhenLoaded>
      )}
    </section>
  );
}

function Shown({
  found,
  years,
  share,
  onShare,
}: Pick<FalseColourPanelProps, 'years' | 'share' | 'onShare'> & { readonly found: FalseColour }) {
  const newest = found.years.at(-1);
  if (found.status !== 'found' || newest === undefined)
    return (
      <p class="notice" role="status">
        {t(found.status === 'unavailable' ? 'colours.unavailable' : 'colours.outside')}
      </p>
    );
  const { before, after } = years ?? { before: newest, after: newest };
  const choose = (next: Years): void =>
    setParams({ years: next.before === newest && next.after === newest ? null : `${next.before},${next.after}` });
  const options = found.years.map((year) => [String(year), String(year)] as const);
  return (
    <>
      <p class="small">
        {t('colours.about', { percent: formatNumber(Math.round(100 * (found.explained ?? 0))) })}{' '}
        {found.dataset !== null && <a href={hrefOf('datasets', { id: found.dataset })}>{found.dataset}</a>}{' '}
        {found.synthetic && <span class="tag">{t('synthetic')}</span>}
        {found.attribution !== null && <span class="muted"> {attributionText(found.attribution)}</span>}
      </p>
      {found.years.length < 2 ? (
        <p class="small muted">{t('colours.oneYear', { year: String(newest) })}</p>
      ) : (
        <div class="row">
          <Choice
            label={t('colours.before')}
            value={String(before)}
            options={options}
            onChange={(year) => choose({ before: Number(year), after })}
          />
          <Choice
            label={t('colours.after')}
            value={String(after)}
            options={options}
            onChange={(year) => choose({ before, after: Number(year) })}
          />
        </div>
      )}
      {before !== after && (
        <label class="swipe">
          <span>
            {before} ◂ ▸ {after}
          </span>
          <input
            type="range"
            min="0"
            max="100"
            value={Math.round(100 * share)}
            aria-label={t('colours.line')}
            aria-valuetext={t('colours.lineAt', {
              percent: Math.round(100 * share),
              before: String(before),
              after: String(after),
            })}
            onInput={(event) => onShare(Number(event.currentTarget.value) / 100)}
          />
        </label>
      )}
    </>
  );
}
