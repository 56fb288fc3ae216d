import { describe, expect, test } from 'bun:test'
import { dialects } from '../e2e/dialects.ts'
import { makeAsk } from './clients/asks.ts'
import type { Outcome } from './clients/crowd.ts'
import { createLogReader, judgeRefusals } from './judge-nodes.ts'
import type { World } from './world.ts'

const ask = makeAsk(Math.random, 1, { kind: 'plain', payer: 'rich', dialect: dialects.chat })
const bills = new Map()

describe('what clients are told', () => {
  const told: readonly (readonly [Outcome, ...('refusals' | 'cut')[]])[] = [
    [{ ask, ending: 'unreached' }, 'refusals'],
    [{ ask, ending: 'refused', status: 500 }, 'refusals'],
    [{ ask, ending: 'broken', status: 200 }, 'cut'],
  ]
  test.each(told)('$ending only where a fault allows it', (outcome, ...allows) => {
    expect(judgeRefusals([{}], [outcome], { bills })).toHaveLength(1)
    expect(judgeRefusals([{}, { allows }], [outcome], { bills })).toEqual([])
  })

  test('other refusals, and what the client itself or its upstream ended', () => {
    const bill = { number: 1, isWhole: false } as never
    const outcomes: Outcome[] = [
      { ask, ending: 'refused', status: 429 },
      { ask, ending: 'left' },
      { ask, ending: 'broken', status: 200 },
    ]
    expect(judgeRefusals([{}], outcomes, { bills: new Map([[1, [bill]]]) })).toEqual([])
  })
})

test('errors of a log, and all that is no line of it', () => {
  const lines = ['{"level":"info","message":"a"}', '{"level":"error","message":"disk"}']
  const world = { nodes: [{ name: 'node', log: () => lines }] } as unknown as World
  const read = createLogReader(world)
  expect(read([{ logs: /disk/ }])).toEqual([])
  lines.push('{"level":"error","message":"disk"}', '    at run (/src/a.ts:1)', 'panic: no')
  expect(read([{}])).toHaveLength(3)
  expect(read([{}])).toEqual([])
})
