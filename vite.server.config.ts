import { defineConfig, type Plugin } from 'vite'

/**
 * What the server uses of packages that would load more: of undici a pool of connections, not a
 * second `fetch`; of pg-boss schedules in the form of cron, not the rules of calendars; of the rate
 * limits two stores of twenty; of Fastify no schemas, and of its files no listing. 10 MB. Of passkeys
 * no chains of certificates: one with a certificate is refused before (decision 040).
 */
const PARTS: Record<string, string> = {
  undici: `export { default as Pool } from 'undici/lib/dispatcher/pool.js'
    export { default as buildConnector } from 'undici/lib/core/connect.js'`,
  'rrule-temporal': 'export const RRuleTemporal = undefined',
  'rate-limiter-flexible': `export { default as RateLimiterMemory } from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
    export { default as RateLimiterPostgres } from 'rate-limiter-flexible/lib/RateLimiterPostgres.js'
    export { default as RateLimiterRes } from 'rate-limiter-flexible/lib/RateLimiterRes.js'`,
  '@fastify/ajv-compiler': 'export default undefined',
  '@fastify/fast-json-stringify-compiler': 'export default undefined',
  glob: 'export const glob = undefined',
  '@peculiar/x509': `export const X509Certificate = undefined, X509ChainBuilder = undefined
    export const X509Crl = undefined, CRLDistributionPointsExtension = undefined
    export const AuthorityKeyIdentifierExtension = undefined, SubjectKeyIdentifierExtension = undefined`,
  'reflect-metadata': '',
}

const partsOfPackages = (): Plugin => ({
  name: 'hushbox-parts-of-packages',
  enforce: 'pre',
  resolveId: (id) => (id in PARTS ? `\0${id}` : undefined),
  load: (id) => PARTS[id.slice(1)],
})

/** One character above Latin-1 doubles the memory of a whole source text. */
const plainText = (): Plugin => ({
  name: 'hushbox-plain-text',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue
      part.code = part.code.replaceAll(
        /[^\n\t -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
})

/** The server as few files, for its memory (decision 021). Lines and names stay, for its stacks. */
export default defineConfig({
  plugins: [partsOfPackages(), plainText()],
  ssr: { noExternal: true },
  build: {
    ssr: 'src/server/main.ts',
    outDir: 'dist/server',
    copyPublicDir: false,
    target: 'es2024',
    minify: false,
    rolldownOptions: {
      // With a native part or WASM of their own, or watched by src/server/testing/die-at.ts.
      external: ['@electric-sql/pglite', '@node-rs/argon2', 'pg', /^undici\//],
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
        comments: false,
      },
    },
  },
})
