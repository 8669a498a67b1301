import { writeFileSync } from 'node:fs';
import { apiTypes, type OpenApiDocument } from './api-types.ts';
import { testServer } from '../../test/memory/test-server.ts';

// The types that console and client are compiled with, made of the routes themselves. They are not tracked: `npm run check` and
// the builds of the console and of the package write them.
await using server = testServer();
await server.app.ready();
const types = apiTypes(server.app.swagger() as unknown as OpenApiDocument);
writeFileSync(new URL('../../clients/typescript/schema.ts', import.meta.url), types);
