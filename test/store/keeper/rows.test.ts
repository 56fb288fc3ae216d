import { expect, test } from 'bun:test'
import { packSettlement, unpackSettlement } from '../../../src/store/keeper/rows.ts'
import type { Settlement } from '../../../src/store/ports/records.ts'
import { attemptFields, requestFields } from '../../../src/store/schema/columns.ts'
import { attemptRow, requestRow } from '../support.ts'

/** A row in which each field has a value of its own. */
const distinct = <Row extends object>(fields: object, row: Row): Row => ({
  ...row,
  ...Object.fromEntries(Object.keys(fields).map((field) => [field, `the ${field}`])),
})

const throughJson = (settlement: Settlement) =>
  unpackSettlement(JSON.parse(JSON.stringify(packSettlement(settlement))))

test('a settlement arrives with each of its fields', () => {
  const settlement: Settlement = {
    request: distinct(requestFields, requestRow({ requestId: 'a' })),
    attempts: [distinct(attemptFields, attemptRow()), attemptRow()],
    neverReserved: true,
    leasedNano: 7,
    budgetLeasedNano: 6,
  }
  expect(throughJson(settlement)).toEqual(settlement)
})

test('nothing arrives as nothing', () => {
  const whole = requestRow({ requestId: 'a', model: null, stream: false })
  const { extrasJson: _, stateJson: __, ...request } = whole
  const { keyMark: ___, ...attempt } = attemptRow()
  const found = throughJson({ request, attempts: [attempt] })
  expect(found).toEqual({ request: whole, attempts: [{ ...attempt, keyMark: null }] })
})
