/** Writes the messages that `validate.py` reads to standard output. */
import { ORACLE_KEY, oracleMessages } from './messages.ts';

process.stdout.write(`${JSON.stringify({ key: ORACLE_KEY, messages: oracleMessages() }, null, 1)}\n`);
