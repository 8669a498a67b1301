import type { CommandEntry } from '../command.ts';

/** What files statements with the EU information system. */
export const TRACES_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'traces credentials',
    summary: 'Keeps your credentials for the EU information system, sealed; shows where there are some.',
    load: async () => (await import('./credentials.ts')).tracesCredentials,
  },
  {
    name: 'traces echo',
    summary: 'Tries your credentials with the echo of the EU information system; files nothing.',
    load: async () => (await import('./echo.ts')).tracesEcho,
  },
  {
    name: 'traces check',
    summary: 'Lists what is missing before a statement of a collection can be filed; sends nothing.',
    load: async () => (await import('./check.ts')).tracesCheck,
  },
  {
    name: 'traces submit',
    summary:
      'Files a statement of a collection with the EU information system, exactly once; acceptance is the default.',
    load: async () => (await import('./submit.ts')).tracesSubmit,
  },
  {
    name: 'traces status',
    summary: 'Lists your submissions, or shows one with its reference and verification number.',
    load: async () => (await import('./status.ts')).tracesStatus,
  },
  {
    name: 'traces amend',
    summary: 'Files the statement of a submission again, in place of what is there, within 72 hours.',
    load: async () => (await import('./amend.ts')).tracesAmend,
  },
  {
    name: 'traces retract',
    summary: 'Retracts a filed statement within 72 hours, or stops one that was not sent yet.',
    load: async () => (await import('./retract.ts')).tracesRetract,
  },
  {
    name: 'traces verify',
    summary: 'Verifies a reference number with its verification number, such as those of a supplier.',
    load: async () => (await import('./verify.ts')).tracesVerify,
  },
];
