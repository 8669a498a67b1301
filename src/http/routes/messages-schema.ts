import { Type } from 'typebox';

const Part = Type.Object({
  code: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown(), {
    description: 'A number, a text, words or a sentence with a code of their own, or a list of these.',
  }),
});

/** What texts say that stand next to it. */
export const Messages = Type.Optional(
  Type.Record(Type.String(), Type.Union([Type.Array(Part), Type.Array(Type.Union([Type.Array(Part), Type.Null()]))]), {
    description:
      'What texts next to it say, by the name of their property: codes with parameters, for a list of texts a list of these. A text without codes is left out.',
  }),
);
