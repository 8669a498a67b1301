import { leaseEnd } from '../lease.ts';

/** Seconds without renewal after which a run counts as dead. With the looks of the runners it begins again within 12 s. */
const LEASE_S = 8;

/** When a lease taken or renewed by this statement runs out. */
export const LEASE_END = leaseEnd(LEASE_S);
