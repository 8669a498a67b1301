import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { find, parse, schemaFault } from '../../traces/v3-schema.ts';
import { oracleMessages } from './messages.ts';

interface Verdict {
  readonly name: string;
  readonly sha256: string;
  readonly valid: boolean;
  readonly digest: boolean;
}

const verdicts = JSON.parse(readFileSync(join(import.meta.dirname, 'verdicts.json'), 'utf8')) as readonly Verdict[];
const messages = oracleMessages();

describe('the messages to the information system, as lxml validates them', () => {
  it('are the ones that were validated', () => {
    const sums = messages.map(({ name, xml }) => [name, createHash('sha256').update(xml).digest('hex')]);
    assert.deepEqual(
      sums,
      verdicts.map(({ name, sha256 }) => [name, sha256]),
    );
  });

  it('are valid and have the digest that another program works out, for every operation', () => {
    const own = messages.flatMap(({ own }, i) => (own ? [verdicts[i]!] : []));
    assert.ok(own.length >= 18);
    assert.deepEqual(
      own.filter(({ valid, digest }) => !valid || !digest).map(({ name }) => name),
      [],
    );
  });

  it('are found valid or broken by the fake server exactly where lxml finds them so', () => {
    const mine = messages.map(({ name, xml }) => [name, schemaFault(find(parse(xml), 'Body')!.children[0]!) === null]);
    assert.deepEqual(
      mine,
      verdicts.map(({ name, valid }) => [name, valid]),
    );
    assert.ok(verdicts.filter(({ valid }) => !valid).length > 40);
  });
});
