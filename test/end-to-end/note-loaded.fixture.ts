import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// Preloaded into a process and its threads: writes the address of every module that is loaded into the file LOADED_MODULES.
registerHooks({
  load(url, context, next) {
    appendFileSync(String(process.env['LOADED_MODULES']), `${url}\n`);
    return next(url, context);
  },
});
