import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../auth/principal.ts';
import type { Scope } from '../../auth/scopes.ts';

/** The server as routes see it: a handler's query, path and body have the types of its TypeBox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Adds the routes of one resource. Each gets its own scope: a body parser added in one is unknown to the others. */
export type Routes = (app: App) => void | Promise<void>;

/** Who may call a route: anybody, any principal, or a principal with the scope. */
export type Access = 'public' | 'authenticated' | Scope;

/** A route that was registered, for the answer 405 and for tests that walk through all of them. */
export interface KnownRoute {
  readonly method: string;
  readonly url: string;
  readonly access: Access;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required of every route; a route without it stops the start. */
    access?: Access;
    /** A look at one's own task: counted apart from requests, so that waiting for work costs none of them. */
    polling?: true;
    /** A tile of a map, counted apart from requests: one look at a map takes dozens. */
    tile?: true;
    /** Media types the route can answer with, the preferred one first; default JSON. Others are refused with 406. Empty: not negotiated. */
    produces?: readonly string[];
    /** Takes a file as the whole body, not only in the form that its schema describes. */
    takesWholeBody?: true;
  }
  interface FastifyRequest {
    /** Null on public routes; see `principalOf`. */
    principal: Principal | null;
    /** The media type out of `produces` that the client likes best; empty where nothing is negotiated. */
    accepted: string;
  }
  interface FastifyInstance {
    /** Aborts when the server begins to shut down: streams without an end of their own stop then. */
    draining: AbortSignal;
    /** Every route, as soon as it is registered. */
    knownRoutes: readonly KnownRoute[];
  }
}

/** The principal of a request to a route that is not public. */
export function principalOf(request: Pick<FastifyRequest, 'principal'>): Principal {
  if (request.principal === null) throw new Error('a public route read its principal');
  return request.principal;
}

/** What hooks get; nothing in them depends on a route's schemas. */
export type AnyRequest = FastifyRequest;
export type AnyReply = FastifyReply;
