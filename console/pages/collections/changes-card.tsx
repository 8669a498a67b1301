import { call, type Answer } from '../../api/client.ts';
import { Choice } from '../../parts/field.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param, setParams } from '../../state/address.ts';
import { formatMoment, formatNumber, formatSecond, t } from '../../text/translate.ts';
import { ChangedPlots, changeCounts } from './changed-plots.tsx';
import { chooseRuns, type Run } from './choose-runs.ts';
import type { Collection } from './collection.ts';
import { GroupBadge } from './plots/group-badge.tsx';
import { GROUPS } from './plots/groups.ts';

type Changes = Answer<'getCollectionChanges'>;

/** Plots that are listed; the counts are of all. */
const LISTED = 100;

/** What one batch found otherwise than an earlier one, both of them chosen; nothing where there are no two that measured. */
export function ChangesCard({ collection }: { readonly collection: Collection }) {
  const { collection_id: id, runs, file } = collection;
  const chosen = chooseRuns(runs, param('before'), param('after'));
  if (chosen === null) return null;
  const { before, after, earlier, later } = chosen;
  return (
    <section class="card" aria-labelledby="changes-title">
      <h2 id="changes-title">{t('changes.title')}</h2>
      <div class="changes-runs">
        <RunChoice
          label={t('changes.earlier')}
          all={runs}
          runs={earlier}
          chosen={before}
          onChoose={(run) => setParams({ before: run })}
        />
        <RunChoice
          label={t('changes.later')}
          all={runs}
          runs={later}
          chosen={after}
          onChoose={(run) => setParams({ after: run === runs[0]?.run_id ? null : run })}
        />
      </div>
      <Compared key={`${id} ${before.run_id} ${after.run_id}`} id={id} before={before} after={after} file={file.name} />
      {after !== runs[0] && <p class="hint">{t('changes.links')}</p>}
    </section>
  );
}

interface RunChoiceProps {
  readonly label: string;
  readonly all: readonly Run[];
  /** Those that can be chosen, the newest first. */
  readonly runs: readonly Run[];
  readonly chosen: Run;
  readonly onChoose: (run: string) => void;
}

function RunChoice({ label, all, runs, chosen, onChoose }: RunChoiceProps) {
  return (
    <Choice
      label={label}
      value={chosen.run_id}
      options={runs.map((run) => [run.run_id, runText(run, all)] as const)}
      onChange={onChoose}
    />
  );
}

/** When a batch was completed and how many rows of each group it found; to the second where another one has the same minute. */
function runText({ run_id: id, completed_at: at, locations, groups }: Run, all: readonly Run[]): string {
  const moment = formatMoment(at);
  const isAlike = all.some((run) => run.run_id !== id && formatMoment(run.completed_at) === moment);
  const counts =
    groups === null
      ? []
      : GROUPS.filter((group) => groups[group] > 0).map(
          (group) => `${t(`plotGroup.${group}`)} ${formatNumber(groups[group])}`,
        );
  return [isAlike ? formatSecond(at) : moment, t('plots.all', { count: locations }), ...counts].join(' · ');
}

interface ComparedProps {
  readonly id: string;
  readonly before: Run;
  readonly after: Run;
  readonly file: string;
}

function Compared({ id, before, after, file }: ComparedProps) {
  const [loaded, reload] = useLoad(`changes ${id} ${before.run_id} ${after.run_id}`, (signal) =>
    call('getCollectionChanges', {
      path: { collection_id: id },
      query: { before: before.run_id, after: after.run_id },
      signal,
    }),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {(changes) => <Shown id={id} changes={changes} file={file} />}
    </WhenLoaded>
  );
}

interface ShownProps {
  readonly id: string;
  readonly changes: Changes;
  readonly file: string;
}

function Shown({ id, changes: all, file }: ShownProps) {
  const { before, after, counts, changes, not_measured: missing } = all;
  return (
    <>
      <p class="muted">{t('changes.about', { file, start: all.monitoring_start, end: all.monitoring_end })}</p>
      <p>{changeCounts(counts)}</p>
      {counts.only_before + counts.only_after > 0 && (
        <p>{t('changes.only', { before: counts.only_before, after: counts.only_after })}</p>
      )}
      {before.groups !== null && after.groups !== null && <Groups before={before.groups} after={after.groups} />}
      <ChangedPlots id={id} changes={changes} missing={missing} most={LISTED} />
    </>
  );
}

type Counts = NonNullable<Run['groups']>;

/** Rows by group, before and after. */
function Groups({ before, after }: { readonly before: Counts; readonly after: Counts }) {
  return (
    <table class="plain changes-groups">
      <thead>
        <tr>
          <th scope="col">{t('plots.result')}</th>
          <th scope="col" class="number">
            {t('watch.before')}
          </th>
          <th scope="col" class="number">
            {t('watch.after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {GROUPS.filter((group) => before[group] + after[group] > 0).map((group) => (
          <tr key={group}>
            <th scope="row">
              <GroupBadge group={group} />
            </th>
            <td class="number">{formatNumber(before[group])}</td>
            <td class="number">{formatNumber(after[group])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
