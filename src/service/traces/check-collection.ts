import { counted } from '../../counted.ts';
import { findCode } from '../../law/annex.ts';
import { isRecord } from '../../is-record.ts';
import { completeDraft, unknownPositions, type FilingAnswers } from '../../traces/draft/complete-draft.ts';
import type { SubmissionSummary } from '../../traces/filing/submission.ts';
import type { TracesEnvironment } from '../../traces/interface-v3.ts';
import type { DdsProducer, Filing, SdProducer } from '../../traces/messages/statement.ts';
import { checkFiling } from '../../traces/rules/check-statement.ts';
import { issueOf, type FilingIssue } from '../../traces/rules/filing-issues.ts';
import type { CollectionDraft } from './collection-drafts.ts';

/** A draft with people's answers, and everything that was found in it. */
export interface CheckedFiling {
  readonly filing: Filing;
  readonly issues: readonly FilingIssue[];
  readonly summary: SubmissionSummary;
}

/** Completes a draft and looks at all of it; `internalReference` is null while nothing is to be sent. */
export function checkCollection(
  { draft, digest }: CollectionDraft,
  answers: FilingAnswers,
  environment: TracesEnvironment,
  internalReference: string | null,
  now: Date,
): CheckedFiling {
  const filing = completeDraft(draft, answers, internalReference);
  const unknown = unknownPositions(draft, answers).map((at) =>
    issueOf('unknown_commodity', 'answers.commodities', `wanted a commodity of the draft, got position ${at}`),
  );
  const issues = [
    ...unknown,
    ...checkFiling(filing),
    ...checkHeadings(filing, now),
    ...checkPlots(digest, environment),
  ];
  return { filing, issues, summary: summaryOf(filing, draft.plots) };
}

/** Headings that Annex I does not list on the day: such goods need no statement. */
function checkHeadings({ statement }: Filing, now: Date): readonly FilingIssue[] {
  const day = now.toISOString().slice(0, 10);
  return (statement.commodities ?? []).flatMap(({ hsHeading }, i) =>
    hsHeading && /^(\d\d){1,3}$/.test(hsHeading) && findCode(hsHeading, day).inScope === 'no'
      ? [
          issueOf(
            'heading_out_of_scope',
            `statement.commodities[${i}].hsHeading`,
            `Annex I does not list ${hsHeading} on ${day}`,
          ),
        ]
      : [],
  );
}

/** What the collection's own verdicts say about filing it. */
function checkPlots(
  { doubts, synthetic, leftOut }: CollectionDraft['digest'],
  environment: TracesEnvironment,
): readonly FilingIssue[] {
  const found: FilingIssue[] = [];
  if (synthetic.length > 0)
    found.push(
      issueOf(
        environment === 'production' ? 'synthetic_in_production' : 'synthetic_data',
        'collection',
        `made-up datasets: ${synthetic.slice(0, 10).join(', ')}`,
      ),
    );
  const { deforested, open } = doubts;
  if (deforested > 0)
    found.push(
      issueOf('plots_with_deforestation', 'collection', `${counted(deforested, 'plot')} with deforestation after 2020`),
    );
  if (open > 0)
    found.push(
      issueOf(
        'plots_not_cleared',
        'collection',
        `${open === 1 ? '1 plot needs' : `${open} plots need`} more information by all sources together, or nothing is known`,
      ),
    );
  if (leftOut > 0)
    found.push(
      issueOf('plots_left_out', 'collection', `${counted(leftOut, 'plot is', 'plots are')} not in the export`),
    );
  return found;
}

function summaryOf({ operatorRole, statement }: Filing, plots: number): SubmissionSummary {
  const commodities = statement.commodities ?? [];
  const producers = commodities.flatMap(
    (commodity): readonly (DdsProducer | SdProducer)[] => commodity.producers ?? [],
  );
  return {
    plots,
    commodities: commodities.length,
    producers: producers.length,
    geodataBytes: producers.reduce((sum, producer) => sum + geodataOf(producer), 0),
    operatorRole: operatorRole ?? '',
    activityType: statement.activityType ?? '',
    headings: [...new Set(commodities.flatMap(({ hsHeading }) => hsHeading ?? []))],
  };
}

function geodataOf(producer: DdsProducer | SdProducer): number {
  const location: unknown = 'producerLocation' in producer ? producer.producerLocation : producer;
  const text = isRecord(location) ? location['geometryGeojson'] : null;
  return typeof text === 'string' ? text.length : 0;
}
