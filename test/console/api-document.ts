import type { OpenApiDocument } from '../../tools/console/api-types.ts';
import { testServer } from '../memory/test-server.ts';

/** The OpenAPI document of the service, without starting it. */
export async function apiDocument(): Promise<OpenApiDocument> {
  await using server = testServer();
  await server.app.ready();
  return server.app.swagger() as unknown as OpenApiDocument;
}
