// Starts the server quickly: the second start need not strip and compile again.
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))

// Node reads a package's description for every file of it, to know that it is a module. drizzle-orm's
// is 180 kB long and it has a hundred files: half a second of every start, said here in advance.
const DRIZZLE = '/node_modules/drizzle-orm/'
registerHooks({
  resolve(specifier, context, next) {
    const { parentURL } = context
    if (!specifier.startsWith('.') || !parentURL?.includes(DRIZZLE)) return next(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  },
})

await import('../src/server/main.ts')
