import { buildImage } from './build-image.ts'
import { missingBuilder } from './guest-image.ts'

/** `npm run guest-image`: builds, once, what the real guests of the simulator boot. */
async function main(): Promise<string> {
  const missing = missingBuilder()
  if (missing) throw new Error(`it is made of Debian's packages, and ${missing} is not installed`)
  const { folder, release } = await buildImage()
  return `The guest image with Linux ${release} is in ${folder}.`
}

main().then(
  (text) => process.stdout.write(`${text}\n`),
  (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(`The guest image was not built: ${why}.\n`)
    process.exitCode = 1
  },
)
