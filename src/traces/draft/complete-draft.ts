import type {
  Amount,
  DdsCommodity,
  DdsStatement,
  Filing,
  FilingKind,
  RepresentedOperator,
  SdCommodity,
  SdStatement,
  Species,
} from '../messages/statement.ts';

/** A draft of the due diligence export: everything known filled in, the rest null. */
export interface StatementDraft {
  readonly kind: FilingKind;
  readonly statement: DdsStatement | SdStatement;
  /** The role that the export was given, or null. */
  readonly operatorRole: string | null;
  /** Headings that Annex I has for each commodity, as the export proposes them. */
  readonly proposals: readonly unknown[];
  /** Plots in it. */
  readonly plots: number;
}

/** What people add to one commodity of a draft. */
export interface CommodityAnswers {
  /** Which commodity of the draft, from 1; default the place in the list. */
  readonly position?: number;
  readonly hsHeading?: string | null;
  readonly descriptionOfGoods?: string | null;
  readonly netWeight?: Amount | null;
  readonly percentageEstimationOrDeviation?: Amount | null;
  readonly supplementaryUnit?: Amount | null;
  readonly supplementaryUnitQualifier?: string | null;
  readonly speciesInfo?: readonly Species[] | null;
}

/** What people add to a draft, with the names of the interface. What is left out stays as the draft has it. */
export interface FilingAnswers {
  readonly operatorRole?: string | null;
  readonly activityType?: string | null;
  readonly representedOperator?: RepresentedOperator | null;
  readonly countryOfActivity?: string | null;
  readonly borderCrossCountry?: string | null;
  readonly comment?: string | null;
  readonly geoLocationConfidential?: boolean | null;
  readonly groupedDeclarations?: readonly string[] | null;
  readonly commodities?: readonly CommodityAnswers[] | null;
}

const OF_STATEMENT = [
  'activityType',
  'representedOperator',
  'countryOfActivity',
  'borderCrossCountry',
  'comment',
  'geoLocationConfidential',
  'groupedDeclarations',
] as const;

/**
 * The draft with what people gave, under an internal reference. Nothing is made up: what neither has stays empty, and
 * `checkFiling` reports it.
 */
export function completeDraft(draft: StatementDraft, answers: FilingAnswers, internalReference: string | null): Filing {
  const given = Object.fromEntries(
    OF_STATEMENT.filter((name) => answers[name] !== undefined).map((name) => [name, answers[name]]),
  );
  const commodities = draft.statement.commodities ?? [];
  const statement = {
    ...draft.statement,
    ...given,
    internalReferenceNumber: internalReference,
    commodities: commodities.map((commodity, i) => withAnswers(commodity, answersFor(answers.commodities ?? [], i))),
  };
  const operatorRole = answers.operatorRole === undefined ? draft.operatorRole : answers.operatorRole;
  return draft.kind === 'dds'
    ? { kind: 'dds', operatorRole, statement: statement as DdsStatement }
    : { kind: 'sd', operatorRole, statement: statement as SdStatement };
}

/** Positions of answers that no commodity of the draft has. */
export function unknownPositions(draft: StatementDraft, answers: FilingAnswers): readonly number[] {
  const { length } = draft.statement.commodities ?? [];
  return (answers.commodities ?? []).map(({ position }, i) => position ?? i + 1).filter((at) => at < 1 || at > length);
}

function answersFor(answers: readonly CommodityAnswers[], index: number): CommodityAnswers {
  return answers.find(({ position }, i) => (position ?? i + 1) === index + 1) ?? {};
}

const OF_MEASURE = [
  'percentageEstimationOrDeviation',
  'netWeight',
  'supplementaryUnit',
  'supplementaryUnitQualifier',
] as const;

function withAnswers(commodity: DdsCommodity | SdCommodity, answers: CommodityAnswers): DdsCommodity | SdCommodity {
  const measured = Object.fromEntries(
    OF_MEASURE.filter((name) => answers[name] !== undefined).map((name) => [name, answers[name]]),
  );
  const { descriptors } = commodity;
  return {
    ...commodity,
    ...(answers.hsHeading === undefined ? {} : { hsHeading: answers.hsHeading }),
    ...(answers.speciesInfo === undefined ? {} : { speciesInfo: answers.speciesInfo }),
    descriptors: {
      descriptionOfGoods:
        answers.descriptionOfGoods === undefined
          ? (descriptors?.descriptionOfGoods ?? null)
          : answers.descriptionOfGoods,
      goodsMeasure: { ...descriptors?.goodsMeasure, ...measured },
    },
  };
}
