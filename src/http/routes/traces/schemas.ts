import { Messages } from '../messages-schema.ts';
import { Type } from 'typebox';
import { EXCLUDABLE } from '../../../collections/due-diligence/exclude.ts';
import { PLACES, type Places } from '../../../collections/due-diligence/filing-choices.ts';
import { FILING_CODES, type FilingCode } from '../../../traces/faults/filing-codes.ts';
import { SUBMISSION_STATES, type SubmissionState } from '../../../traces/filing/submission.ts';
import { TRACES_ENVIRONMENTS, type TracesEnvironment } from '../../../traces/interface-v3.ts';
import { IDENTITY_LENGTHS } from '../../../traces/messages/security-header.ts';
import { FILING_KINDS, type FilingKind } from '../../../traces/messages/statement.ts';
import { FILING_ISSUES, type IssueCode } from '../../../traces/rules/filing-issues.ts';

const Text = Type.Union([Type.String(), Type.Null()]);
const Time = Type.String({ format: 'date-time' });
const Moment = Type.Union([Time, Type.Null()]);
const closed = { additionalProperties: false } as const;

export const EnvironmentSchema = Type.Unsafe<TracesEnvironment>({
  type: 'string',
  enum: TRACES_ENVIRONMENTS,
  description: 'Environment of the EU information system; `test` is a server on this machine.',
});
export const KindSchema = Type.Unsafe<FilingKind>({
  type: 'string',
  enum: FILING_KINDS,
  description: '`dds`: due diligence statement. `sd`: simplified declaration.',
});

/** A field of the interface, by its name there; null gives nothing. */
const field = (maxLength: number, description: string, examples: readonly string[]) =>
  Type.Optional(Type.Union([Type.String({ maxLength, examples: [...examples] }), Type.Null()], { description }));
const Amount = Type.Optional(
  Type.Union([Type.Number(), Type.String({ maxLength: 32 }), Type.Null()], {
    description: 'A number, or its decimal text.',
  }),
);

const Species = Type.Object(
  {
    scientificName: field(200, 'In Latin.', ['Theobroma cacao']),
    commonName: field(200, 'The usual name.', ['Cocoa']),
  },
  closed,
);

const CommodityAnswers = Type.Object(
  {
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: 'Which commodity of the draft, from 1; default the place in the list.',
      }),
    ),
    hsHeading: field(6, 'Heading, 2 to 6 digits.', ['1801']),
    descriptionOfGoods: field(150, 'Description with the trade name.', ['Cocoa beans']),
    netWeight: Amount,
    percentageEstimationOrDeviation: Amount,
    supplementaryUnit: Amount,
    supplementaryUnitQualifier: field(4, 'Unit, where the heading has one.', ['MTQ']),
    speciesInfo: Type.Optional(Type.Union([Type.Array(Species, { maxItems: 500 }), Type.Null()])),
  },
  closed,
);

const Operator = Type.Object(
  {
    operatorReferenceNumber: Type.Optional(
      Type.Union([
        Type.Array(
          Type.Object(
            { identifierType: Type.String({ maxLength: 20 }), identifierValue: Type.String({ maxLength: 80 }) },
            closed,
          ),
          { maxItems: 12 },
        ),
        Type.Null(),
      ]),
    ),
    operatorAddress: Type.Optional(
      Type.Union([
        Type.Object(
          {
            country: Type.String({ maxLength: 2 }),
            street: Type.String({ maxLength: 300 }),
            postalCode: Type.String({ maxLength: 80 }),
            city: Type.String({ maxLength: 200 }),
            fullAddress: Type.Optional(Type.Union([Type.String({ maxLength: 250 }), Type.Null()])),
          },
          closed,
        ),
        Type.Null(),
      ]),
    ),
    operatorEmail: field(200, 'Email of the operator.', ['ops@example.org']),
    operatorPhone: field(50, 'Phone of the operator.', ['+49 40 123456']),
    operatorName: field(200, 'Name of the operator.', ['Example GmbH']),
  },
  closed,
);

/** What people add to a draft; the names are those of the interface. */
const Answers = Type.Object(
  {
    operatorRole: field(
      40,
      'OPERATOR or REPRESENTATIVE_OPERATOR; of a declaration MICRO_OPERATOR, REPRESENTATIVE_MSPO or MEMBER_STATE.',
      ['OPERATOR'],
    ),
    activityType: field(20, 'DOMESTIC, IMPORT or EXPORT.', ['DOMESTIC']),
    representedOperator: Type.Optional(Type.Union([Operator, Type.Null()])),
    countryOfActivity: field(2, 'Member state, or XI.', ['DE']),
    borderCrossCountry: field(2, 'Member state, or XI.', ['NL']),
    comment: field(2_000, 'Comment for the authority.', ['Lot 7']),
    geoLocationConfidential: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    groupedDeclarations: Type.Optional(
      Type.Union([Type.Array(Type.String({ maxLength: 14 }), { maxItems: 2_000 }), Type.Null()]),
    ),
    commodities: Type.Optional(Type.Union([Type.Array(CommodityAnswers, { maxItems: 200 }), Type.Null()])),
  },
  {
    ...closed,
    description:
      'What the draft of the export does not know, with the names of the V3 interface. What is left out stays as the draft has it.',
    examples: [
      {
        operatorRole: 'OPERATOR',
        activityType: 'DOMESTIC',
        countryOfActivity: 'DE',
        geoLocationConfidential: false,
        commodities: [
          {
            hsHeading: '1801',
            descriptionOfGoods: 'Cocoa beans',
            netWeight: 25_000,
            percentageEstimationOrDeviation: 5,
          },
        ],
      },
    ],
  },
);

const Exclude = Type.Optional(
  Type.Array(Type.String({ maxLength: 40 }), {
    maxItems: EXCLUDABLE.length,
    description: `Leave plots out by their verdict: ${EXCLUDABLE.join(', ')}.`,
  }),
);
const PlacesSchema = Type.Optional(
  Type.Unsafe<Places>({
    type: 'string',
    enum: PLACES,
    default: 'geometry',
    description: 'How a declaration says where plots are; a statement takes their geometry alone.',
  }),
);
const Confirm = Type.Optional(
  Type.String({ maxLength: 200, description: 'In production: the text of `confirm_with`, typed by a person.' }),
);

const OfCheck = {
  collection_id: Type.String({
    maxLength: 100,
    description: 'A completed collection.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
  statement: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 1, description: 'Number of the statement in its export.' }),
  ),
  kind: Type.Optional(KindSchema),
  environment: Type.Optional(EnvironmentSchema),
  places: PlacesSchema,
  exclude: Exclude,
  answers: Type.Optional(Answers),
};
export const CheckBody = Type.Object(OfCheck, closed);
export const SubmitBody = Type.Object({ ...OfCheck, confirm: Confirm }, closed);
export const AmendBody = Type.Object(
  { places: PlacesSchema, exclude: Exclude, answers: Type.Optional(Answers), confirm: Confirm },
  closed,
);
export const RetractBody = Type.Object({ confirm: Confirm }, closed);

const Summary = Type.Object(
  {
    plots: Type.Integer(),
    commodities: Type.Integer(),
    producers: Type.Integer(),
    geodata_bytes: Type.Integer({ description: 'As Base64.' }),
    operator_role: Type.String(),
    activity_type: Type.String(),
    headings: Type.Array(Type.String()),
  },
  { description: 'What is in the statement.' },
);

export const CheckSchema = Type.Object(
  {
    environment: EnvironmentSchema,
    ready: Type.Boolean({
      description: 'Nothing is missing or invalid. No promise that the information system takes it.',
    }),
    collection_name: Type.String(),
    statements: Type.Integer({ description: 'Statements that the plots of the collection take.' }),
    summary: Summary,
    issues: Type.Array(
      Type.Object({
        code: Type.Unsafe<IssueCode>({ type: 'string', enum: Object.keys(FILING_ISSUES) }),
        level: Type.Unsafe<'missing' | 'invalid' | 'confirm' | 'warning'>({
          type: 'string',
          enum: ['missing', 'invalid', 'confirm', 'warning'],
          description: '`missing` and `invalid` stop a submission; `confirm` and `warning` are for people to look at.',
        }),
        field: Type.String(),
        detail: Type.String(),
        advice: Type.String({ description: 'How it is given or put right.' }),
        messages: Messages,
      }),
    ),
    proposals: Type.Array(Type.Unknown(), { description: 'Headings of Annex I for each commodity.' }),
    confirm_with: Type.Union([Type.String(), Type.Null()], {
      description: 'What a person types as `confirm`; null outside production.',
    }),
  },
  { description: 'What stands between the statement and its submission. Nothing was sent.' },
);

const Failure = Type.Union([
  Type.Object({
    code: Type.Unsafe<FilingCode>({ type: 'string', enum: Object.keys(FILING_CODES) }),
    detail: Type.String(),
    advice: Type.String(),
    messages: Messages,
    findings: Type.Array(
      Type.Object({ code: Type.String(), service_code: Type.String(), message: Type.String(), field: Text }),
      { description: 'What the information system said, with its own codes.' },
    ),
    request_id: Text,
  }),
  Type.Null(),
]);

export const SubmissionSchema = Type.Object(
  {
    id: Type.String(),
    collection_id: Type.String(),
    statement: Type.Integer(),
    kind: KindSchema,
    environment: EnvironmentSchema,
    state: Type.Unsafe<SubmissionState>({ type: 'string', enum: SUBMISSION_STATES }),
    change: Type.Union(
      [Type.Unsafe<'amend' | 'retract'>({ type: 'string', enum: ['amend', 'retract'] }), Type.Null()],
      {
        description: 'A change that is under way.',
      },
    ),
    internal_reference: Type.String({ description: 'Recorded before anything was sent; never used twice.' }),
    uuid: Text,
    reference_number: Type.Union([Type.String(), Type.Null()], {
      description: 'Null until the statement is available.',
    }),
    verification_number: Text,
    rejection_reason: Text,
    communication: Type.Union([Type.String(), Type.Null()], {
      description: 'What an authority wrote to the operator.',
    }),
    failure: Failure,
    summary: Summary,
    content_sha256: Type.String({ description: 'Of the statement as JSON.' }),
    sends: Type.Integer({ description: 'How often it was handed over.' }),
    allowed: Type.Array(
      Type.Unsafe<'cancel' | 'amend' | 'retract'>({ type: 'string', enum: ['cancel', 'amend', 'retract'] }),
    ),
    confirm_with: Type.Object(
      { amend: Text, retract: Text },
      { description: 'What a person types as `confirm`; null outside production.' },
    ),
    changeable_until: Type.Union([Type.Object({ surely: Time, at_most: Time }), Type.Null()], {
      description: '72 hours from when the number was made available, which lies between two answers.',
    }),
    created_at: Time,
    handed_over_at: Moment,
    queried_at: Moment,
    available_at: Moment,
    next_at: Type.Union([Time, Type.Null()], {
      description: 'When the next step is due; null when nothing more happens by itself.',
    }),
  },
  { description: 'One filing of one statement.' },
);

export const SubmissionPageSchema = Type.Object(
  {
    submissions: Type.Array(SubmissionSchema),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'Give it as `before` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.' },
);

export const StatusSchema = Type.Object(
  {
    environments: Type.Array(EnvironmentSchema, {
      description: 'Those that this service files in, the default first.',
    }),
    credentials: Type.Array(Type.Object({ environment: EnvironmentSchema, updated_at: Time }), {
      description: 'Where you have credentials; they are never shown.',
    }),
  },
  { description: 'Where you can file.' },
);

export const CredentialsBody = Type.Object(
  {
    username: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'User name of EU Login.',
      examples: ['n00123ab'],
    }),
    authentication_key: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Under "Web Services Access" of the profile.',
      examples: ['kept-in-a-password-manager'],
    }),
    client_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'WebServiceClientId.',
      examples: ['eudr-test'],
    }),
    body_identity: Type.Optional(
      Type.Union([
        Type.Object(
          {
            kind: Type.Unsafe<keyof typeof IDENTITY_LENGTHS>({ type: 'string', enum: Object.keys(IDENTITY_LENGTHS) }),
            value: Type.String({ minLength: 1, maxLength: 32 }),
          },
          closed,
        ),
        Type.Null(),
      ]),
    ),
  },
  closed,
);

export const VerificationSchema = Type.Object(
  {
    result: Type.String({ examples: ['EXISTING_USABLE', 'EXISTING_NON_USABLE', 'NON_EXISTENT'] }),
    status: Text,
    date_time: Text,
  },
  { description: 'What the information system says of the pair.' },
);
