import { text } from 'node:stream/consumers'
import type { Config } from '../config/config.ts'
import { askServer } from './backup-socket.ts'
import { doOperatorAct, type OperatorAct, OperatorAnswer } from './operator-acts.ts'
import { command, usingDatabase } from './with-database.ts'

/**
 * On PostgreSQL over its own connection; on the embedded database through the server that has it
 * open.
 */
export const runOperatorAct = (requestOf: (config: Config) => OperatorAct): Promise<void> =>
  command(async (config) => {
    const request = requestOf(config)
    const { lines, isGood } = await answerTo(config, request)
    for (const line of lines) (isGood ? console.log : console.error)(line)
    if (!isGood) process.exitCode = 1
  })

async function answerTo(config: Config, request: OperatorAct): Promise<OperatorAnswer> {
  const running = config.databaseUrl ? undefined : await askServer(config.dataDir, request)
  if (!running) return await usingDatabase(config, ({ db }) => doOperatorAct(db, request))
  const answer = await text(running)
  try {
    return OperatorAnswer.parse(JSON.parse(answer))
  } catch (error) {
    throw new Error('The running server did not do it; its log says why. Or stop it first.', {
      cause: error,
    })
  }
}
