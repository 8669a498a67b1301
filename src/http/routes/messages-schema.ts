import { Type } from 'typebox';
import { codesOf } from '../../messages/recognised/codes-of.ts';

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
  Type.Unsafe<NonNullable<ReturnType<typeof codesOf>['messages']>>(
    Type.Record(
      Type.String(),
      Type.Union([Type.Array(Part), Type.Array(Type.Union([Type.Array(Part), Type.Null()]))]),
      {
        description:
          'What texts next to it say, by the name of their property: codes with parameters, for a list of texts a list of these. A text without codes is left out.',
      },
    ),
  ),
);

/** The answer of a request that leaves nothing to show: that it was done. */
export const DoneSchema = (description: string) =>
  Type.Object({ message: Type.String(), messages: Messages }, { description });

/** Says that it was done. */
export function done(message: string): { message: string } & ReturnType<typeof codesOf> {
  return { message, ...codesOf({ message }) };
}
