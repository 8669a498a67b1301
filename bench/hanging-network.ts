/**
 * Preloaded by `offline.ts`: makes connections to other machines hang, as where a firewall drops packets. Connections to
 * this machine are left alone.
 */
import { Socket } from 'node:net';

const LOCAL = /^(localhost|127\.|::1$|\[::1\])/;
const connect = Socket.prototype.connect as (this: Socket, ...args: unknown[]) => Socket;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const [first] = args;
  // Node hands its own calls on as a list of options and listener.
  const options = (Array.isArray(first) ? first[0] : first) as { readonly host?: string; readonly path?: string };
  const isOutside =
    typeof options === 'object' && options.path === undefined && !LOCAL.test(options.host ?? 'localhost');
  if (!isOutside) return connect.apply(this, args);
  // As a connection under way does, it keeps the process until it is given up.
  const held = setInterval(() => {}, 60_000);
  this.once('close', () => clearInterval(held));
  return this;
} as typeof Socket.prototype.connect;
