// Makes src/server/passwords/common-passwords.bin from a list of passwords, most common first.
//   npm pack zxcvbn@4.4.2 && tar xzf zxcvbn-4.4.2.tgz
//   node scripts/common-passwords.ts package/lib/frequency_lists.js
// The list is that of zxcvbn 4.4.2 (MIT, Dropbox, after Mark Burnett's ten million passwords). Only
// its hashes are kept: the first four bytes of SHA-256, sorted. See docs/decisions/017.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const COUNT = 10_000
/** Shorter ones are already refused for their length. */
const MIN = 8
const TARGET = join(import.meta.dirname, '../src/server/passwords/common-passwords.bin')

const [source] = process.argv.slice(2)
if (!source) throw new Error('Say where the list is: package/lib/frequency_lists.js of zxcvbn.')
const lists = createRequire(import.meta.url)(resolve(source)) as { passwords: string[] | string }
const ranked = (
  typeof lists.passwords === 'string' ? lists.passwords.split(',') : lists.passwords
).map((password) => password.toLowerCase())
const long = ranked.filter((password) => password.length >= MIN)
const chosen = [...new Set([...long, ...ranked])].slice(0, COUNT)

const prefixes = chosen.map((password) =>
  createHash('sha256').update(password).digest().readUInt32BE(0),
)
const sorted = Uint32Array.from(new Set(prefixes)).sort()
const bytes = Buffer.alloc(sorted.length * 4)
for (const [index, prefix] of sorted.entries()) bytes.writeUInt32BE(prefix, index * 4)
writeFileSync(TARGET, bytes)
console.log(`${sorted.length} hashes of ${chosen.length} passwords (${long.length} of 8 or more).`)
