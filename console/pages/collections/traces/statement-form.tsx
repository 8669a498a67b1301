import { useState } from 'preact/hooks';
import { call, type Answer, type OperationId } from '../../../api/client.ts';
import type { Operations } from '../../../../clients/typescript/schema.ts';
import { Check, Choice, Field } from '../../../parts/field.tsx';
import { ErrorNotice, Loading } from '../../../parts/notice.tsx';
import { langOf, t } from '../../../text/translate.ts';
import type { Submission } from './submission.ts';

type CheckResult = Answer<'checkFiling'>;
type Answers = NonNullable<NonNullable<Operations[OperationId & 'checkFiling']['body']>['answers']>;

interface StatementFormProps {
  readonly collectionId: string;
  readonly environments: readonly Submission['environment'][];
  /** The submission that is amended; null for a new one. */
  readonly amending: Submission | null;
  /** Leaves the form; null where there is nothing to go back to. */
  readonly onCancel: (() => void) | null;
  readonly onDone: () => void;
}

const ROLES = ['OPERATOR', 'REPRESENTATIVE_OPERATOR'] as const;
const DECLARATION_ROLES = ['MICRO_OPERATOR', 'REPRESENTATIVE_MSPO', 'MEMBER_STATE'] as const;
const ACTIVITIES = ['DOMESTIC', 'IMPORT', 'EXPORT'] as const;
const KINDS = ['dds', 'sd'] as const;
/** Plots that are left out, by the words of the service. */
const EXCLUDED = {
  doubtful: ['more_information_needed', 'unknown', 'convergence_more_information_needed'],
  deforested: ['high', 'deforestation_found', 'convergence_high'],
} as const;
const EXCLUDES = ['doubtful', 'deforested'] as const;
/** Issues whose advice is there in every language. */
const ADVISED = ['synthetic_data', 'plots_with_deforestation', 'plots_not_cleared', 'plots_left_out'] as const;

/** Fields of the statement and of each commodity, by the names of the interface; empty: not given. */
const STATEMENT_FIELDS = ['countryOfActivity', 'borderCrossCountry', 'comment'] as const;
const GOODS_FIELDS = [
  'hsHeading',
  'descriptionOfGoods',
  'netWeight',
  'percentageEstimationOrDeviation',
  'supplementaryUnit',
  'supplementaryUnitQualifier',
] as const;

/** What the draft of the export does not know, what is missing, and the submission. */
export function StatementForm({ collectionId, environments, amending, onCancel, onDone }: StatementFormProps) {
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({ kind: amending?.kind ?? 'dds' });
  const [position, setPosition] = useState(1);
  const [number, setNumber] = useState(amending?.statement ?? 1);
  const [counts, setCounts] = useState({ statements: 1, commodities: 1 });
  const [environment, setEnvironment] = useState(environments[0]!);
  const [check, setCheck] = useState<CheckResult | null>(null);
  const [confirm, setConfirm] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const kind = given['kind'] === 'sd' ? 'sd' : 'dds';
  const set = (name: string, value: string): void => {
    setGiven({ ...given, [name]: value });
    setCheck(null);
  };

  function run(work: () => Promise<void>): void {
    setBusy(true);
    setError(null);
    work()
      .catch((reason: unknown) => setError(reason))
      .finally(() => setBusy(false));
  }

  const exclude = EXCLUDES.filter((name) => given[`exclude.${name}`] === 'yes').flatMap((name) => EXCLUDED[name]);
  const common = { collection_id: collectionId, statement: number, kind, environment, exclude } as const;
  const look = (): void =>
    run(async () => {
      const found = await call('checkFiling', { body: { ...common, answers: answersOf(given) } });
      setCheck(found);
      setCounts({ statements: found.statements, commodities: Math.max(1, found.summary.commodities) });
      setPosition((before) => Math.min(before, Math.max(1, found.summary.commodities)));
    });
  const typed = amending === null ? (check?.confirm_with ?? null) : amending.confirm_with.amend;
  const submit = (): void =>
    run(async () => {
      const body = { answers: answersOf(given), ...(typed === null ? {} : { confirm }) };
      if (amending === null) await call('submitFiling', { body: { ...common, ...body } });
      else await call('amendSubmission', { path: { submission_id: amending.id }, body });
      onDone();
    });

  const text = (name: string, label: string) => (
    <Field key={name} label={label}>
      {(id) => <input id={id} value={given[name] ?? ''} onInput={(event) => set(name, event.currentTarget.value)} />}
    </Field>
  );
  const choice = (name: string, label: string, words: readonly string[]) => (
    <Choice
      label={label}
      value={given[name] ?? ''}
      options={[['', t('filing.unsaid')], ...words.map((word) => [word, word] as const)]}
      onChange={(value) => set(name, value)}
    />
  );
  return (
    <div class="no-print">
      <h3>{amending === null ? t('traces.prepare') : t('traces.amending')}</h3>
      <div class="grid-2">
        {amending === null && (
          <Choice
            label={t('traces.kind')}
            value={kind}
            options={KINDS.map((word) => [word, t(`traces.kind.${word}`)] as const)}
            onChange={(value) => set('kind', value)}
          />
        )}
        {environments.length > 1 && (
          <Choice
            label={t('traces.environment')}
            value={environment}
            options={environments.map((one) => [one, t(`traces.environment.${one}`)] as const)}
            onChange={(value) => {
              setEnvironment(value);
              setCheck(null);
            }}
          />
        )}
        {amending === null && counts.statements > 1 && (
          <Choice
            label={t('traces.statementNumber')}
            value={String(number)}
            options={upTo(counts.statements).map((at) => [String(at), String(at)])}
            onChange={(value) => {
              setNumber(Number(value));
              setPosition(1);
              setCheck(null);
            }}
          />
        )}
        {choice('operatorRole', t('traces.operatorRole'), kind === 'sd' ? DECLARATION_ROLES : ROLES)}
        {choice('activityType', t('traces.activityType'), ACTIVITIES)}
        {STATEMENT_FIELDS.map((name) => text(name, t(`traces.${name}`)))}
        <Choice
          label={t('traces.geoLocationConfidential')}
          value={given['confidential'] ?? ''}
          options={[
            ['', t('filing.unsaid')],
            ['true', t('traces.yes')],
            ['false', t('traces.no')],
          ]}
          onChange={(value) => set('confidential', value)}
        />
        {counts.commodities > 1 && (
          <Choice
            label={t('traces.commodity')}
            value={String(position)}
            options={upTo(counts.commodities).map((at) => [String(at), t('traces.commodityNumber', { number: at })])}
            onChange={(value) => setPosition(Number(value))}
          />
        )}
        {GOODS_FIELDS.map((name) => text(goodsKey(position, name), t(`traces.${name}`)))}
      </div>
      <fieldset class="bare">
        <legend>{t('traces.exclude')}</legend>
        {EXCLUDES.map((name) => (
          <Check
            key={name}
            label={t(`traces.exclude.${name}`)}
            checked={given[`exclude.${name}`] === 'yes'}
            onChange={(isLeftOut) => set(`exclude.${name}`, isLeftOut ? 'yes' : '')}
          />
        ))}
      </fieldset>
      <details>
        <summary>{t('traces.more')}</summary>
        <Field label={t('traces.moreJson')} hint={t('traces.moreHint')}>
          {(id, describedBy) => (
            <textarea
              id={id}
              aria-describedby={describedBy}
              rows={5}
              class="mono"
              value={given['json'] ?? ''}
              onInput={(event) => set('json', event.currentTarget.value)}
            />
          )}
        </Field>
      </details>
      {error !== null && <ErrorNotice error={error} />}
      {check !== null && <Found check={check} />}
      {typed !== null && (check?.ready === true || amending !== null) && (
        <Field label={t('traces.type', { text: typed })} hint={t('traces.typeHint')}>
          {(id, describedBy) => (
            <input
              id={id}
              aria-describedby={describedBy}
              value={confirm}
              onInput={(event) => setConfirm(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {isBusy && <Loading text={t('traces.looking')} />}
      <div class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={look}>
          {t('traces.check')}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={isBusy || check?.ready !== true || (typed !== null && confirm !== typed)}
          onClick={submit}
        >
          {amending === null ? t('traces.submit') : t('traces.amend')}
        </button>
        {onCancel !== null && (
          <button type="button" class="button" onClick={onCancel}>
            {t('cancel')}
          </button>
        )}
      </div>
    </div>
  );
}

function Found({ check }: { readonly check: CheckResult }) {
  return (
    <div role="status">
      <p>
        <strong>{check.ready ? t('traces.ready') : t('traces.notReady')}</strong>{' '}
        {t('traces.content', { plots: check.summary.plots, producers: check.summary.producers })}
      </p>
      <ul class="evidence">
        {check.issues.map(({ code, level, field, detail, advice, messages }) => (
          <li key={`${code} ${field} ${detail}`}>
            <div class="evidence-head">
              <span class="status" data-status={level === 'missing' || level === 'invalid' ? 'absent' : 'unknown'}>
                {t(`traces.level.${level}`)}
              </span>
              <span class="mono small">{field}</span>
            </div>
            <p>{adviceOf(code) ?? advice.replaceAll('`', '')}</p>
            <p class="muted small" lang={langOf({ messages }, 'detail')}>
              {detail}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** In the present language, for what the collection itself is about; null: the service's own words. */
function adviceOf(code: string): string | null {
  return ADVISED.some((one) => one === code) ? t(`traces.advice.${code as (typeof ADVISED)[number]}`) : null;
}

function goodsKey(position: number, name: string): string {
  return `${position}.${name}`;
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Only what was given: an empty field leaves the draft as it is. Throws for JSON that is none. */
function answersOf(given: Readonly<Record<string, string>>): Answers {
  const more = (given['json'] ?? '').trim() === '' ? {} : (JSON.parse(given['json']!) as Answers);
  const filled = (names: readonly string[], keyOf: (name: string) => string = (name) => name) =>
    Object.fromEntries(
      names
        .filter((name) => (given[keyOf(name)] ?? '').trim() !== '')
        .map((name) => [name, given[keyOf(name)]!.trim()]),
    );
  const positions = new Set(Object.keys(given).flatMap((key) => /^(\d+)\./.exec(key)?.[1] ?? []));
  const goods = [...positions]
    .map((position) => ({ position, fields: filled(GOODS_FIELDS, (name) => `${position}.${name}`) }))
    .filter(({ fields }) => Object.keys(fields).length > 0);
  // What stands in the form wins over the JSON, field by field.
  const byPosition = new Map((more.commodities ?? []).map((one, i) => [one.position ?? i + 1, one] as const));
  for (const { position, fields } of goods) {
    const at = Number(position);
    byPosition.set(at, { ...byPosition.get(at), ...fields, position: at });
  }
  const commodities = [...byPosition.values()];
  return {
    ...more,
    ...filled(['operatorRole', 'activityType', ...STATEMENT_FIELDS]),
    ...(given['confidential'] ? { geoLocationConfidential: given['confidential'] === 'true' } : {}),
    ...(commodities.length === 0 ? {} : { commodities }),
  };
}
