import { defineConfig, type Plugin } from 'vite'

/** For packages that the first use loads: no cluster, no connections to one; no script, no YAML. */
const LATER = `import { createRequire } from 'node:module'
  const load = createRequire(import.meta.url)`
const yaml = (name: string) => `export const ${name} = (...given) => load('yaml').${name}(...given)`

/**
 * What the server uses of packages that would load more: of undici a pool of connections, not a
 * second `fetch`; of pg-boss schedules in the form of cron, not the rules of calendars, and by UTC,
 * because the name of the local time zone costs 6 MB of tables; of the rate limits two stores of
 * twenty; of Fastify no schemas, and of its files no listing. 20 MB. Of passkeys no chains of
 * certificates: one with a certificate is refused before (decision 040).
 */
const PARTS: Record<string, string> = {
  undici: `${LATER}
    export const Pool = function (...given) { return new (load('undici/lib/dispatcher/pool.js'))(...given) }
    export const buildConnector = (...given) => load('undici/lib/core/connect.js')(...given)`,
  yaml: `${LATER}
    ${['isMap', 'isScalar', 'parse', 'parseDocument', 'stringify'].map(yaml).join('\n')}
    export const LineCounter = function () { return new (load('yaml').LineCounter)() }`,
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
  '@opentelemetry/api':
    'export const trace = { getSpan: () => undefined }, context = { active: () => undefined }',
  luxon: `import { DateTime, Settings } from 'luxon'
    Settings.defaultZone = 'utc'
    Settings.defaultLocale = 'en-US'
    export { DateTime }`,
}

const partsOfPackages = (): Plugin => ({
  name: 'hushbox-parts-of-packages',
  enforce: 'pre',
  resolveId: (id, importer) => (id in PARTS && importer !== `\0${id}` ? `\0${id}` : undefined),
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

/**
 * Imported as a module `node:http` brings all that Node has for `fetch` and WebSockets, required only
 * itself. 3 MB.
 */
const httpAlone = (): Plugin => ({
  name: 'hushbox-http-alone',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue
      part.code = part.code.replace(
        /^import \{(.+)\} from "node:http";$/m,
        (_import, names: string) =>
          `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("node:http");`,
      )
    }
  },
})

/** The server as few files, for its memory (decision 021). Lines and names stay, for its stacks. */
export default defineConfig({
  plugins: [partsOfPackages(), plainText(), httpAlone()],
  ssr: { noExternal: true },
  build: {
    ssr: 'src/server/main.ts',
    outDir: 'dist/server',
    copyPublicDir: false,
    target: 'es2024',
    minify: false,
    rolldownOptions: {
      // With a native part or WASM of their own, or watched by src/server/testing/die-at.ts.
      external: ['@electric-sql/pglite', '@node-rs/argon2', 'pg'],
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name].js',
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
        comments: false,
      },
    },
  },
})
