import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import { backupFolder, backupName, writeBackup } from './backup.ts'

const socketPath = (dataDir: string) => join(dataDir, 'backup.sock')

type SocketDeps = { database: Database; dataDir: string; secret: string; log: Log }

/**
 * The embedded database belongs to the process that has it open, so that one takes its backups.
 * Whoever opens the socket, which only the owner of the data folder can, is sent a sealed file.
 */
export async function serveBackups(deps: SocketDeps): Promise<() => Promise<void>> {
  const { dataDir, log } = deps
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // Heard from the first moment on: the reader may go while the file is being written.
    socket.on('error', (error) => log.info({ err: error }, 'a reader of a backup broke off'))
    send(deps, socket).catch((error: unknown) => {
      log.error({ err: error }, 'a backup failed')
      socket.destroy()
    })
  })
  // Left behind by kill -9. The folder's lock is ours, so nobody listens there.
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

/** To a file first: a reader that dawdles must not hold the one connection there is. */
async function send({ database, dataDir, secret }: SocketDeps, socket: Socket): Promise<void> {
  const file = join(backupFolder(dataDir), backupName(`.sending-${process.hrtime.bigint()}`))
  try {
    await writeBackup(database, secret, file)
    await pipeline(createReadStream(file), socket)
  } finally {
    await rm(file, { force: true })
  }
}

/** The socket of a server that runs on this folder; undefined where none does. */
export function askForBackup(dataDir: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath(dataDir))
    socket.once('connect', () => resolve(socket))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
  })
}
