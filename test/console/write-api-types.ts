import { writeFileSync } from 'node:fs';
import { apiTypes } from '../../src/console/build/api-types.ts';
import { apiDocument } from './api-document.ts';
import { API_TYPES } from './api-types-file.ts';

writeFileSync(API_TYPES, apiTypes(await apiDocument()));
