import { describe, expect, test } from 'vitest'
import { currentStage, isUnderWay, percentText, stagesOf, stateWords } from './job-stages.ts'

const at = (step: string | null, state = 'running' as const) => ({ state, step })

describe('the current stage', () => {
  const stages = stagesOf('ip_mac')

  test.each([
    [null, 'claimed'],
    ['claim', 'claimed'],
    ['vm-id', 'claimed'],
    ['clone', 'cloning'],
    ['configure', 'configuring'],
    ['resize', 'configuring'],
    ['firewall', 'configuring'],
    ['plan-seed', 'configuring'],
    ['seed', 'configuring'],
    ['start', 'starting'],
    ['wait', 'starting'],
    ['unseed', 'starting'],
    ['assign', 'ready'],
  ])('step %s is stage %s', (step, stage) => {
    expect(stages[currentStage(at(step), stages)]).toBe(stage)
  })

  test('a finished job is past the last stage', () => {
    const done = { state: 'done', step: 'assign' } as const
    expect(currentStage(done, stages)).toBe(stages.length)
  })

  test('a ready server is not cloned', () => {
    const short = stagesOf('ready')
    const seen = ['claim', 'clone', 'configure', 'start', 'assign'].map(
      (step) => short[currentStage(at(step), short)],
    )
    expect(seen).toEqual(['claimed', 'claimed', 'configuring', 'configuring', 'ready'])
  })
})

test('only done and failed are final', () => {
  const states = ['queued', 'running', 'waiting', 'undoing', 'done', 'failed'] as const
  expect(states.filter((state) => isUnderWay({ state }))).toEqual(states.slice(0, 4))
  expect(states.filter((state) => stateWords({ state }))).toEqual(['queued', 'waiting', 'undoing'])
})

test('percent', () => {
  expect([0, 0.426, 1.2].map(percentText)).toEqual(['0 %', '43 %', '100 %'])
})
