import { Problem } from '../../errors.ts';
import { nearestName } from '../../nearest-name.ts';
import { isAddedByOthers } from '../problems/read-value.ts';

/** The form fields of an upload as they arrive; throws `Problem('invalid_body')` for one that is not known or comes twice. */
interface UploadFields {
  add(name: string, value: unknown): void;
  readonly values: Readonly<Record<string, string>>;
}

export const FILE_PART = 'file';

export function createUploadFields(known: readonly string[], maxBytes: number): UploadFields {
  const values: Record<string, string> = Object.create(null);
  return {
    values,
    add(name, value) {
      if (!known.includes(name) && isAddedByOthers(name)) return;
      if (!known.includes(name)) throw unknownField(name, known);
      if (name in values) throw refused(name, 'duplicate_field', `The field "${name}" came twice; wanted it once.`);
      // A part of type application/json arrives parsed.
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes)
        throw refused(
          name,
          'field_too_long',
          `The field "${name}" is too long; wanted at most ${maxBytes} bytes, got more.`,
        );
      values[name] = text;
    },
  };
}

/** The refusal of a part that the endpoint does not know; names the known part it most resembles. */
export function unknownField(name: string, known: readonly string[]): Problem {
  const choices = [FILE_PART, ...known];
  const nearest = nearestName(name, choices);
  const shown = JSON.stringify(name.slice(0, 100));
  const hint =
    name === 'async_mode'
      ? '; send it in the address: ?async_mode=true.'
      : nearest === null
        ? '.'
        : `; did you mean "${nearest}"?`;
  return refused(
    name,
    'unknown_field',
    `The form has an unknown part; wanted parts named ${choices.join(', ')}, got ${shown}${hint}`,
  );
}

/** The refusal of the part `name` of a form; its pointer is `/form/<name>`. */
export function refused(name: string, code: string, detail: string): Problem {
  return new Problem('invalid_body', detail, { errors: [{ pointer: formPointer(name), code, detail }] });
}

export function formPointer(name: string): string {
  return `/form/${name.slice(0, 100)}`;
}
