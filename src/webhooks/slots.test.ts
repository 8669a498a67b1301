import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_PER_USER, type DueUser } from './delivery-queue.ts';
import { createSlots, QUICK_MS, SLOT_LIMITS, type Slots } from './slots.ts';

const LIMITS = { total: 40, young: 20, perAddress: 8, youngPerHost: 16 };
const user = (userId: string, more: Partial<DueUser> = {}): DueUser => ({
  userId,
  host: userId,
  url: `https://${more.host ?? userId}/${userId}`,
  due: 100,
  ...more,
});
let serial = 0;
const place = (userId: string, at = user(userId)) => ({
  id: `delivery ${serial++}`,
  userId,
  host: at.host,
  url: at.url,
});

/** Takes what is planned and returns it by user. */
function fill(slots: Slots, users: readonly DueUser[]): Record<string, number> {
  const plan = slots.plan(users);
  for (const { userId, count } of plan) {
    const found = users.find((one) => one.userId === userId) as DueUser;
    for (let i = 0; i < count; i++) slots.take(place(userId, found));
  }
  return Object.fromEntries(plan.map(({ userId, count }) => [userId, count]));
}

/** Lets the user's receiver answer as often as it takes to earn all it can. */
function earnAll(slots: Slots, userId: string): void {
  for (let i = 0; i < MAX_PER_USER; i++) {
    const one = place(userId);
    slots.take(one);
    slots.release(one, true);
  }
}

describe('slots', () => {
  it('give a user one request at first, more for quick answers, and one again after a slow one', () => {
    const slots = createSlots(LIMITS, () => 0);
    const counts: number[] = [];
    for (let i = 0; i < 5; i++) {
      const planned = slots.plan([user('ana')])[0]?.count ?? 0;
      counts.push(planned);
      const places = Array.from({ length: planned }, () => place('ana'));
      for (const one of places) slots.take(one);
      for (const one of places) slots.release(one, true);
    }
    assert.deepEqual([counts[0], counts[1], counts.at(-1)], [1, 2, MAX_PER_USER]);
    const slow = place('ana');
    slots.take(slow);
    slots.release(slow, false);
    assert.equal(slots.plan([user('ana')])[0]?.count, 1);
  });

  it('never give more than is due, than the address may have, or than is left', () => {
    const slots = createSlots(LIMITS, () => 0);
    for (let i = 0; i < 12; i++) earnAll(slots, `u${i}`);
    assert.deepEqual(fill(slots, [user('u0', { due: 2 })]), { u0: 2 });
    const sharers = Array.from({ length: 4 }, (_, i) => user(`u${i + 1}`, { url: 'https://shared/hook' }));
    assert.deepEqual(fill(slots, sharers), { u1: 4, u2: 4 });
    assert.deepEqual(fill(slots, sharers), {});
    const others = Array.from({ length: 7 }, (_, i) => user(`u${i + 5}`));
    const given = Object.values(fill(slots, others)).reduce((sum, count) => sum + count, 0);
    assert.equal(given, LIMITS.young - 2 - 8);
    assert.deepEqual([slots.used, slots.free], [LIMITS.young, 0]);
  });

  it('stop counting a request among the young ones once it is slow, up to the total', () => {
    let now = 0;
    const slots = createSlots(LIMITS, () => now);
    const strangers = (from: number) => Array.from({ length: 40 }, (_, i) => user(`s${from + i}`));
    // Unknown receivers leave a quarter of each limit to those that are known to be quick.
    assert.equal(Object.keys(fill(slots, strangers(0))).length, 15);
    assert.deepEqual(fill(slots, strangers(100)), {});
    now = QUICK_MS;
    assert.equal(Object.keys(fill(slots, strangers(200))).length, 15);
    now = 2 * QUICK_MS;
    assert.deepEqual(fill(slots, strangers(300)), {});
    assert.equal(slots.free, 10);
  });

  it('keep the last quarter for receivers known to be quick', () => {
    let now = 0;
    const slots = createSlots(LIMITS, () => now);
    earnAll(slots, 'quick');
    for (let wave = 0; wave < 3; wave++, now += QUICK_MS)
      fill(
        slots,
        Array.from({ length: 40 }, (_, i) => user(`s${wave}-${i}`)),
      );
    assert.equal(slots.used, 30);
    assert.deepEqual(fill(slots, [user('stranger'), user('quick')]), { quick: MAX_PER_USER });
  });

  it('let receivers of one host through at a pace that those that hang cannot stop', () => {
    let now = 0;
    const slots = createSlots(SLOT_LIMITS, () => now);
    const shared = (name: string, i: number) => user(`${name}${i}`, { host: 'shared', due: 3 });
    const hanging = Array.from({ length: 500 }, (_, i) => shared('hanging', i));
    const healthy = Array.from({ length: 10 }, (_, i) => shared('healthy', i));
    // The healthy ones stand last in the queue, and nothing is known of any receiver.
    let waiting = [...hanging, ...healthy];
    const begun = new Map<string, number>();
    for (; begun.size < 510; now += 10) {
      for (const { userId, count } of slots.plan(waiting)) {
        const found = waiting.find((one) => one.userId === userId) as DueUser;
        for (let i = 0; i < count; i++) {
          const one = place(userId, found);
          slots.take(one);
          if (userId.startsWith('healthy')) slots.release(one, true);
        }
        begun.set(userId, now);
      }
      waiting = waiting.filter(({ userId }) => !begun.has(userId));
      assert.ok(now < 2_000, `${begun.size} of 510 have begun after 2 s`);
    }
    assert.equal(slots.used, 500);
    // From now on those that answered need not wait for anything, whatever comes from the others.
    const more = Array.from({ length: 500 }, (_, i) => shared('new', i));
    assert.ok(Object.keys(fill(slots, more)).length < 500);
    for (const one of healthy) assert.deepEqual(fill(slots, [one]), { [one.userId]: 2 });
  });
});
