// Starts the built server quickly: later starts reuse compiled code instead of compiling again.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'compile'))

await import('../dist/server/main.js')
