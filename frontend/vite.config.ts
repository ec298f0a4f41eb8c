import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

const server = process.env['DISCERN_SERVER'] ?? 'http://127.0.0.1:8000';

export default defineConfig(({ command }) => ({
  // Django serves the built files below /static/; while developing, Vite serves pages itself and passes the rest on.
  base: command === 'build' ? '/static/' : '/',
  plugins: [svelte()],
  build: {
    target: 'es2022',
    // Nothing inlined: the content security policy allows fonts and images from this site alone.
    assetsInlineLimit: 0,
    // Plotly is by far the largest part; it is loaded only where a chart is drawn.
    chunkSizeWarningLimit: 1200,
  },
  server: {
    proxy: {
      '/api': { target: server },
      '/ws': { target: server, ws: true },
      '/admin': { target: server },
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'logic',
          include: ['src/**/*.test.ts'],
          exclude: ['src/**/*.component.test.ts'],
          environment: 'node',
        },
      },
      {
        extends: true,
        plugins: [svelteTesting()],
        test: { name: 'components', include: ['src/**/*.component.test.ts'], environment: 'happy-dom' },
      },
    ],
  },
}));
