import type {
  Amount,
  DdsCommodity,
  DdsProducer,
  DdsStatement,
  Filing,
  FilingKind,
  RepresentedOperator,
  SdCommodity,
  SdProducer,
  SdStatement,
  Species,
} from '../messages/statement.ts';

/** A draft of the due diligence export: everything known filled in, the rest null. */
export interface StatementDraft {
  readonly kind: FilingKind;
  readonly statement: DdsStatement | SdStatement;
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
  const operatorRole = answers.operatorRole ?? null;
  return draft.kind === 'dds'
    ? { kind: 'dds', operatorRole, statement: statement as DdsStatement }
    : { kind: 'sd', operatorRole, statement: statement as SdStatement };
}

/** Positions of answers that no commodity of the draft has. */
export function unknownPositions(draft: StatementDraft, answers: FilingAnswers): readonly number[] {
  const { length } = draft.statement.commodities ?? [];
  return (answers.commodities ?? []).map(({ position }, i) => position ?? i + 1).filter((at) => at < 1 || at > length);
}

/** A draft of a statement as one of a declaration: without species, and with the places of producers under other names. */
export function asDeclaration(draft: StatementDraft): StatementDraft {
  if (draft.kind === 'sd') return draft;
  const { statement } = draft;
  const commodities = (statement.commodities ?? []) as readonly DdsCommodity[];
  return {
    ...draft,
    kind: 'sd',
    statement: {
      ...statement,
      commodities: commodities.map(({ speciesInfo: _, producers, ...commodity }): SdCommodity => ({
        ...commodity,
        producers: (producers ?? []).map(sdProducer),
      })),
    },
  };
}

function sdProducer({ position, country, name, geometryGeojson }: DdsProducer): SdProducer {
  return {
    producerPosition: position ?? null,
    producerCountry: country ?? null,
    producerName: name ?? null,
    producerLocation: { geometryGeojson: geometryGeojson ?? null },
  };
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
