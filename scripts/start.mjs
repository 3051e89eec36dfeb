// Starts the server with Node's compile cache: the second start need not strip and compile again.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))
await import('../src/server/main.ts')
