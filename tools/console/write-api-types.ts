import { writeFileSync } from 'node:fs';
import { apiTypes } from './api-types.ts';
import { apiDocument } from '../../test/console/api-document.ts';
import { API_TYPES } from '../../test/console/api-types-file.ts';

writeFileSync(API_TYPES, apiTypes(await apiDocument()));
