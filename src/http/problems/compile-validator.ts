import type { FastifySchemaCompiler } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import { bodyChecker } from './check-body.ts';
import { textFieldReader, type FieldPlace } from '../uploads/read-text-fields.ts';

const PLACES: Readonly<Record<string, FieldPlace>> = { querystring: 'query', params: 'path', headers: 'header' };

/** Makes the validator of one part of a route's requests; it returns the typed value, or the `Problem` to answer with. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const place = PLACES[httpPart ?? ''];
  const read: (value: never) => unknown =
    place === undefined ? bodyChecker(schema) : textFieldReader(schema as TObject, place);
  return (value: unknown) => {
    try {
      return { value: read(value as never) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};
