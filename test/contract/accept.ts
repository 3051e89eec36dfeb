// `npm run api:accept`: the specification's calls as they are now become what must not break.

import { presentFacts, readBaseline, writeBaseline } from './baseline.ts'
import { breakingChanges } from './breaking-changes.ts'

const present = presentFacts()
const broken = breakingChanges(readBaseline(), present)
writeBaseline(present)
process.stdout.write(
  broken.length === 0
    ? 'Accepted: nothing breaks. Commit test/fixtures/api/specified-calls.json.\n'
    : `Accepted, and programs must be told by the changelog:\n${broken.map((line) => `- ${line}\n`).join('')}`,
)
