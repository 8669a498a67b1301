import { Type } from 'typebox';

/** A word or sentence within a sentence, with parameters of its own. */
const Said = Type.Object({
  code: Type.String(),
  params: Type.Optional(Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true })),
  message: Type.String(),
});

/** Parameters of a sentence with a code. */
export const MessageParams = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Said, Type.Array(Type.Union([Type.String(), Said]))]),
  {
    description:
      'What fills the blanks of the sentence: numbers and names, or words and sentences that are codes with parameters themselves.',
  },
);

const Part = Type.Object({ code: Type.String(), params: MessageParams });

/** What texts say that stand next to it. */
export const Messages = Type.Optional(
  Type.Record(Type.String(), Type.Union([Type.Array(Part), Type.Array(Type.Union([Type.Array(Part), Type.Null()]))]), {
    description:
      'What texts next to it say, by the name of their property: codes with parameters, for a list of texts a list of these. A text without codes is left out.',
  }),
);
