import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { routeTable } from './scripts/route-table.ts'

/**
 * Our relay signs in to the screen itself and offers the browser none of it, so noVNC's ways to prove
 * a password stay out of the console's bundle (a tenth of it).
 */
const consoleWithoutSignIn = (): Plugin => ({
  name: 'hushbox-console-without-sign-in',
  enforce: 'pre',
  resolveId: (id, importer) =>
    importer?.includes('@novnc/novnc') && /\/(ra2|crypto\/crypto)\.js$/.test(id)
      ? '\0no-sign-in'
      : undefined,
  load: (id) => (id === '\0no-sign-in' ? 'export default undefined' : undefined),
})

/** Smaller copies beside each file, made once here instead of at every request. */
const precompressed = (): Plugin => ({
  name: 'hushbox-precompressed',
  apply: 'build',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle)) {
      if (dir === undefined || !/\.(js|css|svg)$/.test(name)) continue
      const file = join(dir, name)
      const bytes = readFileSync(file)
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
      writeFileSync(`${file}.br`, brotliCompressSync(bytes))
    }
  },
})

/** Nouns whose calls come with the pages that make them; the others are so small that one file is less. */
const OWN_CALLS = [
  'apiKeys',
  'audit',
  'backupOverview',
  'backups',
  'books',
  'cds',
  'credit',
  'delivery',
  'firewall',
  'isos',
  'marketplace',
  'operatingSystems',
  'ownWebhooks',
  'packageChange',
  'passkeys',
  'paymentLinks',
  'payments',
  'pools',
  'protection',
  'recovery',
  'reverseDns',
  'secondFactor',
  'vouchers',
]

/**
 * What a visitor's first page needs comes as one file: rolldown would cut it into forty crumbs,
 * which compress badly and cost a request each. What only signed-in pages use must not be here.
 */
const FIRST_PAGE = [
  'node_modules/(react|react-dom|scheduler|wouter|regexparam|clsx|get-nonce)/',
  'node_modules/@tanstack/(query-core|react-query)/',
  'lucide-react/dist/esm/(createLucideIcon|Icon|defaultAttributes|shared)',
  'src/web/(main|routes)\\.tsx',
  'src/web/api/(api-error|call|notices|press|query|query-client|request|session|table|toasts)\\.ts',
  'src/web/lib/browser/(lazy-page|page-facts|storage|theme)\\.ts',
  'src/web/lib/format/(time|words)\\.ts',
  'src/web/lib/paths/(paths|return-path|use-search-param)\\.ts',
  'src/web/layout/(header/theme-button|navigation/brand)',
  'src/web/layout/page/(page-boundary|site-layout|skip-link|start-spinner|use-page)',
  'src/web/ui/(form/button|layout/card)',
  'src/web/ui/feedback/(empty-state|error-boundary|error-state)',
  'src/web/ui/indicator/',
  'src/web/widgets/(time/countdown|package/)',
  'src/web/features/(landing/(?!delivery)|pricing/pricing-page)',
  'src/shared/rules/money/(money|plan-period)',
  `virtual:route-table/(?!(?:${OWN_CALLS.join('|')})$)`,
]

/** The signs of the power buttons, which are always shown together: one file instead of three. */
const POWER_ICONS = /lucide-react\/dist\/esm\/icons\/(play|rotate-cw|square)\./

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwindcss(), routeTable(), consoleWithoutSignIn(), precompressed()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first-page', test: new RegExp(FIRST_PAGE.join('|')) },
            { name: 'power-icons', test: POWER_ICONS },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { '/api': 'http://127.0.0.1:3000' } },
})
