import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { lastResort } from './last-resort.ts'

function world() {
  const emitter = new EventEmitter()
  const heard: string[] = []
  const ended: string[] = []
  const atStart: unknown[] = []
  const time = { now: 0 }
  const resort = lastResort(
    emitter as unknown as Pick<NodeJS.Process, 'on'>,
    (error) => atStart.push(error),
    () => time.now,
  )
  const react = () =>
    resort.react({ report: (_, kind) => heard.push(kind), end: (why) => ended.push(why) })
  return { emitter, heard, ended, atStart, time, react }
}

describe('a fault nobody caught', () => {
  test('ends the start, while there is no server to keep running', () => {
    const { emitter, heard, atStart } = world()
    emitter.emit('uncaughtException', new Error('early'))
    expect([atStart.length, heard.length]).toEqual([1, 0])
  })

  test('is reported, and the process continues', () => {
    const { emitter, heard, ended, atStart, react } = world()
    react()
    emitter.emit('uncaughtException', new Error('one'))
    emitter.emit('unhandledRejection', 'not even an error')
    expect(heard).toEqual(['uncaughtException', 'unhandledRejection'])
    expect([ended, atStart]).toEqual([[], []])
  })

  test('ends the process in order, once, if faults do not stop', () => {
    const { emitter, ended, time, react } = world()
    react()
    for (let n = 0; n < 100; n += 1) emitter.emit('uncaughtException', new Error('again'))
    time.now += 61_000
    for (let n = 0; n < 100; n += 1) emitter.emit('uncaughtException', new Error('again'))
    expect(ended).toEqual([])
    for (let n = 0; n < 5; n += 1) emitter.emit('uncaughtException', new Error('again'))
    expect(ended).toEqual(['too many faults within a minute'])
  })

  test('ends it at once if the memory of the embedded database is in doubt', () => {
    const { emitter, ended, react } = world()
    react()
    const trap = Object.assign(new Error('unreachable'), { name: 'RuntimeError' })
    emitter.emit('unhandledRejection', new Error('a query failed', { cause: trap }))
    expect(ended).toEqual(['the embedded database broke off'])
  })
})
