/**
 * Requests one address again and again over so many kept connections, and prints how often and how long each took in
 * milliseconds. Run: node bench/request-load.ts URL CONNECTIONS SECONDS TOKEN
 */
import { Pool } from 'undici';

const [address, connections, seconds, token] = process.argv.slice(2);
const { origin, pathname, search } = new URL(address);
const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 });
const latencies: number[] = [];
const end = performance.now() + 1_000 * Number(seconds);

async function send(): Promise<void> {
  while (performance.now() < end) {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${token}` };
    const { statusCode, body } = await pool.request({ method: 'GET', path: pathname + search, headers });
    await body.dump({ limit: 1_000_000 });
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    latencies.push(performance.now() - begun);
  }
}

await Promise.all(Array.from({ length: Number(connections) }, send));
await pool.close();
console.log(JSON.stringify({ done: latencies.length, latencies: latencies.map((ms) => Number(ms.toFixed(2))) }));
