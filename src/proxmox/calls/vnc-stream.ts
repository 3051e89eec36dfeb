import { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'

/** pveproxy closes the connection on a longer frame (facts §15). */
const MAX_FRAME_BYTES = 128 * 1024

/** A few messages: with a smaller buffer the socket pauses and resumes at each one. */
const BUFFER_BYTES = 256 * 1024

/** A node that loses power never closes: a ping unanswered by the next one counts as lost. */
const HEARTBEAT_MS = 15_000

/**
 * The socket as a byte stream with backpressure both ways. The stream in `ws` sends each write as
 * one frame, but PVE accepts frames of up to 128 KiB only.
 */
export function socketStream(socket: WebSocket, heartbeatMs = HEARTBEAT_MS): Duplex {
  const stream = new Duplex({
    readableHighWaterMark: BUFFER_BYTES,
    read: () => socket.resume(),
    write(chunk: Buffer, _encoding, done) {
      sendInFrames(socket, chunk, done)
    },
    final(done) {
      socket.close()
      done()
    },
    destroy(error, done) {
      socket.terminate()
      done(error)
    },
  })
  socket.on('message', (data: RawData) => {
    if (!stream.push(bytesOf(data))) socket.pause()
  })
  socket.once('error', (error) => stream.destroy(error))
  const stop = heartbeat(socket, heartbeatMs, () =>
    stream.destroy(new Error('the node no longer answers')),
  )
  socket.once('close', () => {
    stop()
    stream.push(null)
    // A pending writer learns that the reader is gone.
    stream.end()
  })
  return stream
}

/**
 * A slow reader is not a dead node: the pong comes after all that was sent before it, so any message
 * is an answer, and while the socket is paused none can be seen.
 */
function heartbeat(socket: WebSocket, everyMs: number, lost: () => void): () => void {
  let isAnswered = true
  const answered = () => {
    isAnswered = true
  }
  socket.on('pong', answered)
  socket.on('message', answered)
  const timer = setInterval(() => {
    if (socket.isPaused) return answered()
    if (!isAnswered) return lost()
    isAnswered = false
    socket.ping()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function sendInFrames(socket: WebSocket, chunk: Buffer, done: (error?: Error | null) => void) {
  const frame = chunk.subarray(0, MAX_FRAME_BYTES)
  const rest = chunk.subarray(MAX_FRAME_BYTES)
  socket.send(frame, { binary: true }, (error) => {
    if (error || rest.length === 0) done(error)
    else sendInFrames(socket, rest, done)
  })
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? Buffer.from(data) : data
}
