import { Problem } from '../../../errors.ts';

/** The refusal of a file as a whole: `code` is stable, `detail` names what was wanted and what came. */
export function malformed(code: string, detail: string, cause?: unknown): Problem {
  return new Problem('malformed_file', detail, {
    errors: [{ pointer: '/form/file', code, detail }],
    ...(cause === undefined ? {} : { cause }),
  });
}

export function tooLarge(detail: string): Problem {
  return new Problem('too_large', detail, { errors: [{ pointer: '/form/file', code: 'too_large', detail }] });
}
