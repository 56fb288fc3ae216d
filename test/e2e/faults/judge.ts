import { expect } from 'bun:test'
import { GatewayError } from '../../../src/gateway/errors.ts'
import { usualTokens, words } from '../../support/fault/well.ts'
import { validateBody, validateStream } from '../../support/validators/validate-stream.ts'
import { expectError, expectHeaders } from '../contract/expected.ts'
import { costNano, type Dialect } from '../dialects.ts'
import type { RawAnswer } from '../raw-client.ts'
import { type ExpectedAnswer, type ExpectedAsk, expectedOf } from './expected.ts'
import { faultyChannels, goodChannels, type Row, upstreamModelOf } from './rows.ts'
import type { SeenCooling, Table } from './table.ts'

/** What the client of a row got. */
export function expectAnswers(table: Table, row: Row): void {
  const answers = table.outcomes.get(row)?.answers ?? []
  const { asks } = expectedOf(row)
  expect(answers.length).toBe(asks.length)
  for (const [turn, { answer }] of asks.entries()) {
    const got = answers[turn]
    if (got) expectAnswer(row, got, answer)
  }
}

const shapes = {
  chat: 'openai',
  responses: 'openai',
  messages: 'messages',
  gemini: 'gemini',
} as const

function expectAnswer(row: Row, got: RawAnswer, expected: ExpectedAnswer): void {
  const { dialect, fault } = row
  expectHeaders(got)
  if (expected.kind === 'error') {
    const { answer, message } = expected.class
    const { status } = new GatewayError(answer, '')
    const says = new RegExp(`^${message.replaceAll(/[.()]/g, '\\$&')}$`)
    expectError(got, shapes[dialect.name], 'plain', { status, reason: answer, code: answer, says })
    const wait = got.headers.get('retry-after')
    if (status === 429) expectWait(row, Number(wait))
    else expect(wait).toBeNull()
    return
  }
  expect(got.headers.get('x-tollgate-reason')).toBeNull()
  if (expected.kind !== 'passed') expect(got.status).toBe(200)
  else if (fault.answers) expect(got).toMatchObject(fault.answers)
  else expect(got.body).toMatch(/error/)
  if (expected.kind === 'well') expectWell(row, got)
  if (expected.kind === 'broken') expect(got.body).toContain(words[0])
  if (expected.kind === 'broken' || expected.kind === 'told') {
    expectToldError(dialect, got, expected.cause)
  }
}

/** `Retry-After`: what the upstream has asked for, in whole seconds, or a few of them. */
function expectWait({ fault }: Row, seconds: number): void {
  const [least, most] = fault.coolsForMs ?? [1_000, 10_000]
  expect(seconds).toBeWithin(Math.floor(least / 1000), Math.ceil(most / 1000) + 1)
}

function expectWell({ dialect, isStreamed, ends }: Row, { body }: RawAnswer): void {
  if (ends.kind === 'well' && ends.isReformed) {
    // What the other form of it says, which is another text, as one of its protocol.
    if (isStreamed) expect(validateStream(dialect.name, body, { usage: true })).toEqual([])
    else expect(validateBody(dialect.name, JSON.parse(body))).toEqual([])
    expect(body).toContain(isStreamed ? 'hell' : words.join(''))
  } else if (isStreamed) {
    const isFollowed = ends.kind === 'well' && ends.isFollowed === true
    expect(dialect.isWhole(body) || isFollowed).toBeTrue()
    expect(body).toContain(dialect.last(usualTokens))
    expect(dialect.isError(body)).toBeFalse()
    for (const word of words) expect(body).toContain(word)
  } else expect(JSON.parse(body)).toEqual(dialect.body(usualTokens))
}

/** CONTRACT 2.6: what came, and then the failure in the client's protocol. */
function expectToldError(dialect: Dialect, { body }: RawAnswer, cause: string): void {
  const isLate = cause === 'upstream_timeout'
  expect(dialect.isWhole(body)).toBeFalse()
  const last = body
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^data: /, '')
  const message = expect.stringMatching(/^The upstream /) as unknown
  const told: Readonly<Record<Dialect['name'], object>> = {
    chat: { error: { code: cause, message, type: 'api_error' } },
    responses: {
      type: 'response.failed',
      response: { error: { code: 'server_error', message } },
    },
    messages: { type: 'error', error: { type: isLate ? 'timeout_error' : 'api_error', message } },
    gemini: { error: { status: isLate ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE', message } },
  }
  expect(JSON.parse(last ?? '')).toMatchObject(told[dialect.name])
}

interface Recorded {
  readonly id: number
  readonly status: number
  readonly cause: string | null
  readonly ending: string
  readonly amount_nano: number
  readonly charged_nano: number | null
}

/** What is kept of a row's requests: the records with their attempts, and what was charged. */
export async function expectRecords({ tables, outcomes }: Table, row: Row): Promise<void> {
  const { asks } = expectedOf(row)
  for (const [turn, answer] of (outcomes.get(row)?.answers ?? []).entries()) {
    const id = answer.headers.get('x-request-id')
    const [record] = await tables.rows<Recorded>(
      `SELECT request.*, ledger.amount_nano AS charged_nano FROM request
       LEFT JOIN ledger ON ledger.request_id = request.request_id WHERE request.request_id = ?`,
      id,
    )
    if (record === undefined) throw new Error(`There is no record of ${id}.`)
    const attempts = await tables.rows<{ cause: string | null; name: string }>(
      `SELECT attempt.cause, channel.name FROM attempt JOIN channel ON channel.id = channel_id
       WHERE request_row = ? ORDER BY position`,
      record.id,
    )
    const expected = asks[turn]
    if (expected) expectRecord(row, expected, record, attempts)
    expect(record.status).toBe(answer.status)
  }
}

function expectRecord(
  row: Row,
  expected: ExpectedAsk,
  record: Recorded,
  attempts: readonly { readonly cause: string | null; readonly name: string }[],
): void {
  const { ending, cause, charge } = expected
  expect({
    ending: record.ending,
    cause: record.cause,
    attempts: attempts.map((attempt) => attempt.cause),
  }).toEqual({ ending, cause, attempts: [...expected.attempts] })
  const names = attempts.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const known = [...faultyChannels(row), ...(row.setting === 'three' ? goodChannels : [])]
  expect(names.filter((name) => !known.includes(name))).toEqual([])
  expect(record.charged_nano).toBe(record.amount_nano === 0 ? null : -record.amount_nano)
  if (charge === 'none') expect(record.amount_nano).toBe(0)
  else if (charge === 'told') expect(record.amount_nano).toBeWithin(0, 2_001)
  else if (charge === 'usual') expect(record.amount_nano).toBe(costNano(usualTokens))
  else expect(record.amount_nano).toBeGreaterThan(0)
}

/** What cools behind a row: its faulty channels, so far as their failures say, and nothing else. */
export function expectCooling({ cooling }: Table, row: Row): void {
  const { cools, failed } = expectedOf(row)
  for (const [place, name] of faultyChannels(row).entries()) {
    const seen = cooling.get(name) ?? []
    expect(seen.map(summaryOf)).toEqual(
      cools === null || place >= failed
        ? []
        : [
            {
              key: cools.scope.startsWith('key') ? 'one' : 'all',
              model: cools.scope.endsWith('model') ? upstreamModelOf(row) : '',
              ...{ cause: place === failed - 1 ? cools.lastCause : cools.cause, rounds: 1 },
            },
          ],
    )
    const { coolsForMs: [least, most] = [cools?.baseMs ?? 0, cools?.baseMs ?? 0] } = row.fault
    for (const { since, until } of seen) expect(until - since).toBeWithin(least, most + 1)
  }
}

const summaryOf = ({ key, model, cause, rounds }: SeenCooling) => ({
  ...{ key: key === '' ? 'all' : 'one', model, cause, rounds },
})

/** An attempt is one request upstream, whatever becomes of it. */
export function expectAsked({ outcomes }: Table, row: Row): void {
  const attempts = expectedOf(row).asks.flatMap((ask) => ask.attempts)
  const isElsewhere = row.setting === 'three' && row.ends.kind !== 'well'
  const good = isElsewhere ? attempts.filter((cause) => cause === null).length : 0
  const { server, url, elsewhere } = row.fault
  const isRead = server === undefined && url === undefined && elsewhere === undefined
  if (isRead) expect(outcomes.get(row)?.asked).toBe(attempts.length - good)
}

/** How a row's requests count in what is told of the availability of its model. */
export function expectAvailability({ availability }: Table, row: Row): void {
  const minutes = availability.get(row.model) ?? []
  const seen = minutes.flatMap(({ succeeded, failed }) => [
    ...Array.from({ length: succeeded }, () => 'well'),
    ...Object.entries(failed).flatMap(([fault, count = 0]) =>
      Array.from({ length: count }, () => fault),
    ),
  ])
  const expected = expectedOf(row).asks.map(({ fault }) => fault ?? 'well')
  expect(seen.toSorted()).toEqual(expected.toSorted())
}
