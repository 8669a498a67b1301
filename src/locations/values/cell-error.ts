/**
 * Errors that spreadsheets write into cells in place of a value, in any language: `#REF!`, `#N/A`, `#DIV/0!`, `#NAME?`,
 * `#¡VALOR!`, `#BEZUG!`, `#GETTING_DATA`, LibreOffice's `Err:502`.
 */
const CELL_ERROR = /^(#[¡¿]?[\p{Lu}\d/_]{2,20}[!?]|#N\/[AD]|#NV|#GETTING_DATA|Err:\d{3})$/u;

/** Whether a cell holds an error of a spreadsheet and no value. */
export function isCellError(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 30 && CELL_ERROR.test(value.trim());
}
