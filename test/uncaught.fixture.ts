import { it } from 'node:test';
import './groups.ts';

it('passes before its errors come', async () => {
  await new Promise((done) => setTimeout(done, 1));
  void (async () => {
    await new Promise((done) => setTimeout(done, 1));
    throw new Error('nobody caught this');
  })();
});
it('waits for it', () => new Promise((done) => setTimeout(done, 20)));
