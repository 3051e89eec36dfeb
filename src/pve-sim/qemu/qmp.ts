import type { Socket } from 'node:net'

type Waiting = { resolve: (value: unknown) => void; reject: (why: Error) => void }
type Message = { id?: number; return?: unknown; error?: { desc: string }; QMP?: unknown }

/** The process has exited, or exits before it answers. */
export class VmEndedError extends Error {
  constructor() {
    super('the VM ended')
    this.name = 'VmEndedError'
  }
}

export type Qmp = {
  command(execute: string, args?: Record<string, unknown>): Promise<unknown>
  close(): void
}

/** QEMU's own protocol: one JSON object per line; an answer carries the id of its command. */
export function qmpOver(socket: Socket): Qmp {
  const waiting = new Map<number, Waiting>()
  let asked = 0

  function answer({ id = 0, error, return: value }: Message): void {
    const question = waiting.get(id)
    waiting.delete(id)
    if (error) question?.reject(new Error(error.desc))
    else question?.resolve(value)
  }
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${text}${chunk}`.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) answer(JSON.parse(line) as Message)
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new VmEndedError())
    waiting.clear()
  })

  return {
    command: (execute, args) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new VmEndedError())
        asked += 1
        waiting.set(asked, { resolve, reject })
        const question = { execute, id: asked, ...(args ? { arguments: args } : {}) }
        socket.write(`${JSON.stringify(question)}\n`)
      }),
    close: () => socket.destroy(),
  }
}
