import { it } from 'node:test';
import './groups.ts';

it('passes before its error comes', () => {
  setTimeout(() => {
    throw new Error('nobody caught this');
  }, 1);
});
it('waits for it', () => new Promise((done) => setTimeout(done, 20)));
