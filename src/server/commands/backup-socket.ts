import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { backupFolder, backupName, writeBackup } from '../backup/backup.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { doOperatorAct, OperatorRequest } from './operator-acts.ts'

const socketPath = (dataDir: string) => join(dataDir, 'backup.sock')
const LONGEST_REQUEST = 4096

type SocketDeps = {
  database: Database
  dataDir: string
  secret: string
  clock?: Clock
  log: Log
}

/**
 * The embedded database belongs to the process that has it open, so that process runs the
 * operator's commands. The socket is in the data folder: only its owner can open it.
 */
export async function serveBackups(deps: SocketDeps): Promise<() => Promise<void>> {
  const { dataDir, log } = deps
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // Registered at once: the reader may disconnect while the file is being written.
    socket.on('error', (error) => log.warn({ err: error }, 'an operator’s command was cut off'))
    answer(deps, socket).catch((error: unknown) => {
      log.error({ err: error }, 'an operator’s command failed')
      socket.destroy()
    })
  })
  // Left behind by kill -9. This process holds the folder's lock, so no other listens there.
  await rm(socketPath(dataDir), { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath(dataDir), resolve)
  })
  server.on('error', (error) => log.error({ err: error }, 'the socket for backups'))
  return () =>
    new Promise((resolve) => {
      for (const socket of open) socket.destroy()
      server.close(() => resolve())
    })
}

async function answer(deps: SocketDeps, socket: Socket): Promise<void> {
  const request = OperatorRequest.parse(JSON.parse(await firstLine(socket)))
  if (request.act === 'backup') return await sendBackup(deps, socket)
  const { lines, isGood } = await doOperatorAct(deps.database.db, request, deps.clock)
  socket.end(JSON.stringify({ lines, isGood }))
}

async function firstLine(socket: Socket): Promise<string> {
  let length = 0
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > LONGEST_REQUEST) socket.destroy()
  })
  for await (const line of createInterface({ input: socket })) return line
  throw new Error('the command said nothing')
}

/** Writes to a file first: a slow reader must not hold the only connection. */
async function sendBackup({ database, dataDir, secret }: SocketDeps, socket: Socket) {
  const file = join(backupFolder(dataDir), backupName(`.sending-${process.hrtime.bigint()}`))
  try {
    await writeBackup(database, secret, file)
    await pipeline(createReadStream(file), socket)
  } finally {
    await rm(file, { force: true })
  }
}

/** The answer of the server that runs on this folder; undefined if none does. */
export function askServer(dataDir: string, request: OperatorRequest): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath(dataDir), allowHalfOpen: true })
    socket.once('connect', () => {
      socket.write(`${JSON.stringify(request)}\n`)
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
  })
}
