import { defineConfig } from 'vite';

/** The page is served below /console by the service itself, whose addresses it calls. `npx vite console` serves it while it is being worked on. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '^/(?!console/(?!settings|map/))': 'http://127.0.0.1:8080' } },
});
