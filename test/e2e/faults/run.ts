import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runBinary } from '../../support/binary.ts'
import { upstreamKey } from '../../support/tollgate-yaml.ts'
import type { Fault } from './fault.ts'
import {
  expectAnswers,
  expectAsked,
  expectAvailability,
  expectCooling,
  expectRecords,
} from './judge.ts'
import { type Row, rowsOf } from './rows.ts'
import { runTable, type Table, type TableOptions } from './table.ts'

/** Defines the tests of a part of the scenario table: one for each row, and some for the whole. */
export function testFaults(
  faults: Readonly<Record<string, Fault>>,
  options: TableOptions = {},
): void {
  const rows = rowsOf(faults)
  let table: Table
  beforeAll(async () => {
    table = await runTable(rows, options)
  }, 120_000)
  afterAll(() => table?.[Symbol.asyncDispose]())

  const rowOf = (model: string): Row => {
    const found = table.rows.find((row) => row.model === model)
    if (found === undefined) throw new Error(`no row ${model}`)
    return found
  }

  const models = rows.map(({ model }) => [model] as const)
  test.each(models)('%s', async (model) => {
    const row = rowOf(model)
    expectAnswers(table, row)
    await expectRecords(table, row)
    expectCooling(table, row)
    expectAvailability(table, row)
    expectAsked(table, row)
  })

  describe('all of it', () => {
    test('no answer has an upstream’s key or address in it', () => {
      const all = [...table.outcomes.values()].flatMap(({ answers }) => answers)
      const shown = all.map(({ headers, body }) => JSON.stringify([...headers]) + body).join('\n')
      expect([shown.includes(upstreamKey), /127\.0\.0\.1/.test(shown)]).toEqual([false, false])
    })

    test('the gateway has no fault of its own in its log', () => {
      const log = [...table.tollgate.stdout, ...table.tollgate.stderr]
      const fault = /"level":"error"|internal error|unhandled/i
      expect(log.filter((line) => fault.test(line) || line.includes(upstreamKey))).toEqual([])
    })

    test('what was kept is right by itself, and nothing is still set aside', async () => {
      const file = join(table.tollgate.cwd, 'tollgate.yaml')
      const { exitCode, stdout, stderr } = await runBinary(['verify', '--config', file])
      expect([exitCode, exitCode === 0 ? '' : stdout + stderr]).toEqual([0, ''])
      expect(await table.tables.one('SELECT count(*) FROM reservation')).toBe(0)
    }, 60_000)
  })
}
