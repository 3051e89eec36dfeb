import type { Duplex } from 'node:stream'

export type Reader = { take(bytes: number): Promise<Buffer> }

/** Reads exactly as many bytes as requested, however they arrive in pieces. */
export function byteReader(stream: Duplex): Reader {
  let buffer: Buffer = Buffer.alloc(0)
  let wanted:
    | { bytes: number; resolve: (data: Buffer) => void; reject: (why: Error) => void }
    | undefined
  let ended = false

  function serve(): void {
    if (!wanted || buffer.length < wanted.bytes) return
    const { bytes, resolve } = wanted
    wanted = undefined
    const head = buffer.subarray(0, bytes)
    buffer = buffer.subarray(bytes)
    resolve(head)
  }

  stream.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    serve()
  })
  const end = () => {
    ended = true
    wanted?.reject(new Error('connection closed'))
  }
  stream.once('end', end)
  stream.once('close', end)

  return {
    take: (bytes) =>
      new Promise((resolve, reject) => {
        if (ended && buffer.length < bytes) return reject(new Error('connection closed'))
        wanted = { bytes, resolve, reject }
        serve()
      }),
  }
}
