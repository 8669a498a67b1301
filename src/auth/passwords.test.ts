import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { hashPassword, passwordMatches } from './passwords.ts';

const CHEAP = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
const PASSWORD = 'correct horse battery staple';

describe('a password', () => {
  let hash = '';
  before(async () => {
    hash = await hashPassword(PASSWORD);
  });

  it('matches its own hash and no other', async () => {
    assert.match(hash, /^\$scrypt\$ln=15,r=8,p=3\$/);
    assert.equal(await passwordMatches(PASSWORD, hash), true);
    assert.equal(await passwordMatches(`${PASSWORD} `, hash), false);
    assert.equal(await passwordMatches('', hash), false);
  });

  it('has another hash each time', async () => {
    assert.notEqual(await hashPassword(PASSWORD), hash);
  });

  it('matches however its accents are composed', async () => {
    assert.equal(
      await passwordMatches('mot de passe caf\u0065\u0301', await hashPassword('mot de passe caf\u00e9')),
      true,
    );
  });

  it('is never right for nobody, and costs as much as a wrong one', async () => {
    const wrong = await cpuTime(() => passwordMatches('something else', hash));
    const nobody = await cpuTime(() => passwordMatches(PASSWORD, null));
    assert.equal(nobody.value, false);
    assert.equal(wrong.value, false);
    assert.ok(nobody.ms > wrong.ms / 4 && nobody.ms < wrong.ms * 4, `${nobody.ms} ms next to ${wrong.ms} ms`);
  });

  it('is refused when it is too short or absurdly long', async () => {
    await assert.rejects(hashPassword('short'), { code: 'invalid_body' });
    await assert.rejects(hashPassword('x'.repeat(1025)), { code: 'invalid_body' });
  });

  it('is not compared with a damaged hash or one that would take all memory', async () => {
    await assert.rejects(passwordMatches(PASSWORD, 'plain text'), /form/);
    await assert.rejects(passwordMatches(PASSWORD, hash.replace('ln=15', 'ln=30')), /cost/);
  });

  it('is checked a few at a time, and refused with queue_full beyond a bounded line', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => passwordMatches(PASSWORD, CHEAP)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 16);
    for (const { reason } of refused) assert.equal((reason as { code: string }).code, 'queue_full');
    assert.equal(await passwordMatches(PASSWORD, null), false, 'the line empties');
  });
});

async function cpuTime<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const before = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: (user + system) / 1000 };
}
