import type { Command } from './command.ts';
import { dataList } from './data-list.ts';
import { serve } from './serve.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';
import { userAdd } from './user-add.ts';
import { validate } from './validate.ts';
import { worker } from './worker.ts';

/** Every command, in the order the help shows them. */
export const COMMANDS: readonly Command[] = [
  serve,
  worker,
  validate,
  tokenCreate,
  tokenList,
  tokenRevoke,
  userAdd,
  dataList,
];
