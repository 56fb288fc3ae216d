import { nanoDecimals, parseDecimal } from '../../billing/money.ts'
import { dayMs } from '../../lib/clock.ts'
import { suggest } from '../../lib/suggest.ts'
import type { BilledRow } from '../../store/ports/matching.ts'
import { UserError } from '../user-error.ts'
import type { Row, UsageFile } from './usage-file.ts'

export const fieldNames = ['id', 'input', 'output', 'cached', 'cost', 'time'] as const
type FieldName = (typeof fieldNames)[number]

/** Column index of each field; undefined: the file lacks it. */
export type Columns = { readonly [Name in FieldName]: number | undefined }

export type NamedColumns = { readonly [Name in FieldName]?: string | undefined }

const words = (text: string) => text.trim().split(/\s+/)

/** Usual column names without case and punctuation, the surest first. */
const usualNames: { readonly [Name in FieldName]: readonly string[] } = {
  id: words(`
    upstreamrequestid requestid xrequestid apimrequestid reqid generationid responseid id
  `),
  input: words(`
    inputtokens prompttokens tokensprompt tokensinput inputtokencount prompttokencount
    ncontexttokenstotal uncachedinputtokens input prompt
  `),
  output: words(`
    outputtokens completiontokens tokenscompletion tokensoutput outputtokencount
    candidatestokencount ngeneratedtokenstotal output completion
  `),
  cached: words(`
    cachedtokens cachedinputtokens inputcachedtokens cachereadtokens cachereadinputtokens
    tokenscached cachedcontenttokencount ncachedcontexttokenstotal cached
  `),
  cost: words(`
    costusd totalcostusd costinusd totalcost costtotal cost amountusd amountnano amount
    spend charge price
  `),
  time: words(`
    createdat created timestamp time datetime starttime startedat requesttime createdtime
    date
  `),
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Finds the columns, named ones first. Throws when a named one or the request id is missing. */
export function findColumns(
  file: string,
  columns: readonly string[],
  named: NamedColumns = {},
): Columns {
  const has = `It has: ${columns.map((name) => JSON.stringify(name)).join(', ') || 'none'}.`
  const find = (field: FieldName): number | undefined => {
    const name = named[field]
    if (name === undefined) return recognise(field, columns)
    const at = columns.indexOf(name)
    const near = at === -1 ? columns.findIndex((one) => plain(one) === plain(name)) : at
    if (near !== -1) return near
    const meant = suggest(name, columns)
    throw new UserError(
      `${file} has no column ${JSON.stringify(name)} (--${field}-column). ` +
        `${meant === undefined ? '' : `Did you mean ${JSON.stringify(meant)}? `}${has}`,
    )
  }
  const found = Object.fromEntries(fieldNames.map((field) => [field, find(field)])) as Columns
  if (found.id === undefined)
    throw new UserError(
      `No column of ${file} is known to hold the upstream's request id. ${has} Name it with ` +
        '--id-column.',
    )
  return found
}

/** Whether these columns identify a request. */
export const hasIdColumn = (columns: readonly string[]): boolean =>
  recognise('id', columns) !== undefined

/** `usage.prompt_tokens` is known by its last part too; a nested id belongs to something else. */
function recognise(field: FieldName, columns: readonly string[]): number | undefined {
  const wholes = columns.map(plain)
  const lasts = columns.map((name) => plain(name.split('.').at(-1) ?? ''))
  for (const usual of usualNames[field]) {
    const whole = wholes.indexOf(usual)
    if (whole !== -1) return whole
    const last = field === 'id' ? -1 : lasts.indexOf(usual)
    if (last !== -1) return last
  }
  return undefined
}

export type Cell = string | number | null

/** Why a cell can't be read, to follow its value in a sentence. */
class UnreadableCell extends Error {
  override readonly name = 'UnreadableCell'
}

const blanks = new Set(['', '-', '–', 'null', 'none', 'n/a', 'nan'])

function textOf(cell: Cell | undefined): string {
  const text = String(cell ?? '').trim()
  return blanks.has(text.toLowerCase()) ? '' : text
}

export const readId = (cell: Cell | undefined): string | undefined => textOf(cell) || undefined

/** A count of LLM tokens, also as `1,234` or `12.0`; null: none. */
export function readTokens(cell: Cell | undefined): number | null {
  const text = textOf(cell)
  if (text === '') return null
  const digits = /^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text
  const value = parseDecimal(digits, 0)
  if (value === undefined || value < 0) throw new UnreadableCell('is not a whole number of tokens')
  return value
}

/** How amounts are written: with a decimal comma, or in nano-USD. */
interface CostForm {
  readonly decimalComma: boolean
  readonly unit: 'usd' | 'nano'
}

/** An amount in nano-USD, rounded; null: none. */
export function readCost(cell: Cell | undefined, { decimalComma, unit }: CostForm): number | null {
  const text = textOf(cell)
  if (text === '') return null
  const bare = text.replace(/^(-?)(?:US)?\$\s*|\s*USD$/gi, '$1')
  const plain = decimalComma ? bare.replaceAll('.', '').replace(',', '.') : bare.replaceAll(',', '')
  const value = parseDecimal(plain, unit === 'nano' ? 0 : nanoDecimals) ?? roundedNano(plain, unit)
  if (value === undefined) throw new UnreadableCell('is not an amount')
  return value
}

/** Vendors compute in floating point: digits below a nano-USD are no money. */
function roundedNano(text: string, unit: CostForm['unit']): number | undefined {
  if (unit === 'nano' || !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Math.round(Number(text) * 10 ** nanoDecimals)
  return Number.isSafeInteger(value) ? value : undefined
}

/** A time of a file: at least `from`, before `until`, in milliseconds. */
interface Moment {
  readonly from: number
  readonly until: number
}

const isoForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?([.,]\d{1,9})?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i

/** A date and time (UTC without offset), or seconds or milliseconds since 1970; null: none. */
export function readMoment(cell: Cell | undefined): Moment | null {
  const text = textOf(cell)
  if (text === '') return null
  const moment = /^\d+(\.\d+)?$/.test(text) ? readUnix(text) : readIso(text)
  if (moment === undefined)
    throw new UnreadableCell(
      'is not a time: 2026-11-21, 2026-11-21T08:00:00Z and seconds or milliseconds since 1970 are',
    )
  return moment
}

/** Larger numbers are milliseconds: as seconds this is the year 5138. */
const firstMilliseconds = 100_000_000_000

function readUnix(text: string): Moment | undefined {
  const value = Number(text)
  const isSeconds = value < firstMilliseconds
  const from = Math.floor(isSeconds ? value * 1000 : value)
  // Numbers outside this range are no times.
  if (from < Date.UTC(2000, 0) || from > Date.UTC(2200, 0)) return undefined
  return { from, until: from + (isSeconds && !text.includes('.') ? 1000 : 1) }
}

function readIso(text: string): Moment | undefined {
  const match = isoForm.exec(text)
  if (!match) return undefined
  const [, day = '', minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = match
  const offset = /^(z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^(...):?/, '$1:')
  const milliseconds = fraction === '' ? '' : `.${fraction.slice(1, 4)}`
  const from = Date.parse(`${day}T${minute}${second}${milliseconds}${offset}`)
  const isDay = new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(8))
  if (Number.isNaN(from) || !isDay) return undefined
  return { from, until: from + precisionMs(match) }
}

function precisionMs([, , minute, second, fraction]: readonly (string | undefined)[]): number {
  if (minute === undefined) return dayMs
  if (second === undefined) return 60_000
  return fraction === undefined ? 1000 : 1
}

/** A reader of rows; undefined: without an id. Throws a `UserError` that names row, column and value. */
export function createRowReader(
  path: string,
  { columns: names, decimalComma }: UsageFile,
  columns: Columns,
) {
  const costName = names[columns.cost ?? -1] ?? ''
  const costForm = { decimalComma, unit: /nano$/i.test(costName) ? 'nano' : 'usd' } as const
  let number = 0

  return (row: Row) => {
    number++
    const read = <Value>(field: FieldName, parse: (cell: Cell | undefined) => Value): Value => {
      const column = columns[field]
      const cell = column === undefined ? undefined : row(column)
      try {
        return parse(cell)
      } catch (cause) {
        if (!(cause instanceof UnreadableCell)) throw cause
        throw new UserError(
          `${path}, row ${number}, column ${JSON.stringify(names[column ?? -1])}: ` +
            `${JSON.stringify(cell)} ${cause.message}. Put it right, or name another column with ` +
            `--${field}-column.`,
          { cause },
        )
      }
    }
    const id = read('id', readId)
    if (id === undefined) return undefined
    const moment = read('time', readMoment)
    const billed: BilledRow = {
      id,
      time: moment?.from ?? null,
      inputTokens: read('input', readTokens),
      outputTokens: read('output', readTokens),
      cachedTokens: read('cached', readTokens),
      costNano: read('cost', (cell) => readCost(cell, costForm)),
    }
    return { billed, moment }
  }
}
