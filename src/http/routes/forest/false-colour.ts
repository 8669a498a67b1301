import { Type } from 'typebox';
import type { FileWork } from '../../../service/files/file-work.ts';
import { PICTURE_PIXELS, type FalseColourAnswer } from '../../../service/forest/false-colour.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { nullable } from './point-lookup-schemas.ts';

const Query = Type.Object(
  {
    longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees.', examples: [102.61] }),
    latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees.', examples: [4.6] }),
    years: Type.Optional(
      Type.String({
        pattern: '^\\d{4}(,\\d{4})?$',
        description: 'One year, or two to be compared, which are then in the same colours; default the newest.',
        examples: ['2025'],
      }),
    ),
  },
  { additionalProperties: false },
);

const Picture = Type.Object({
  year: Type.Integer({ description: 'Year of the embeddings.' }),
  width: Type.Integer({ description: 'Pixels.' }),
  height: Type.Integer({ description: 'Pixels.' }),
  corners: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
    minItems: 4,
    maxItems: 4,
    description: 'Longitude and latitude of its corners: north-west, north-east, south-east, south-west.',
  }),
  nodata_share: Type.Number({ description: 'Share of the pixels without data, which are dark violet.' }),
  png: Type.String({ description: 'The PNG file in base 64.' }),
});

const Answer = Type.Object(
  {
    status: Type.Unsafe<FalseColourAnswer['status']>({
      type: 'string',
      enum: ['found', 'outside_coverage', 'unavailable'],
      description:
        '`outside_coverage`: no dataset covers the place in these years; `unavailable`: what may cover it could not be read, so nothing is known.',
    }),
    detail: nullable(Type.String(), 'Why there is no picture, or not of every year that was requested.'),
    dataset: nullable(Type.String(), 'Dataset of the embeddings.'),
    dataset_version: nullable(Type.String(), 'Its version.'),
    attribution: nullable(Type.String(), 'Whom to credit.'),
    synthetic: Type.Boolean({ description: 'true: the dataset is generated and describes no real place.' }),
    years: Type.Array(Type.Integer(), {
      description: 'All years of the dataset at the place; how much data is in one, its picture says.',
    }),
    explained: nullable(Type.Number(), 'Share of the variance of the 64 bands that the three colours hold.'),
    pictures: Type.Array(Picture, { description: 'In the order of the years that were requested.' }),
  },
  { description: 'Embeddings in false colour.' },
);

/** `GET /forest_polygon/false_colour`: what a segmentation sees, for eyes. */
export function addFalseColour(app: App, files: Pick<FileWork, 'run'>): void {
  app.get(
    '/forest_polygon/false_colour',
    {
      config: { access: 'forest' },
      schema: {
        operationId: 'getFalseColour',
        summary: 'Satellite embeddings around a place in false colour',
        description: `A picture of ${PICTURE_PIXELS} x ${PICTURE_PIXELS} pixels with the place in its middle: the three directions in which the 64 bands vary most there, as red, green and blue. Colours mean nothing beyond the answer: they say where the ground is alike, not what it is.`,
        tags: ['forest'],
        querystring: Query,
        response: { 200: Answer, ...problemResponses(['queue_full']) },
      },
    },
    async (request, reply) => {
      const { longitude: lon, latitude: lat, years } = request.query;
      const params = { lon, lat, years: years === undefined ? null : years.split(',').map(Number) };
      const whose = { userId: principalOf(request).userId, size: 0, signal: leavingSignal(reply) };
      const answer = await files.run({ kind: 'false_colour', params }, whose);
      return answer as never;
    },
  );
}
