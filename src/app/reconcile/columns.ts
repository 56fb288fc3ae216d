import { suggest } from '../../lib/suggest.ts'
import { UserError } from '../instance.ts'

/** What of a usage file is read. */
export const fieldNames = ['id', 'input', 'output', 'cached', 'cost', 'time'] as const
export type FieldName = (typeof fieldNames)[number]

/** Which column holds a field, by its place; undefined: the file has none. */
export type Columns = { readonly [Name in FieldName]: number | undefined }

/** Columns that the operator has named. */
export type NamedColumns = { readonly [Name in FieldName]?: string | undefined }

/**
 * Usual names, the surest first, without case and punctuation: of vendors' exports, of gateways'
 * logs, and of this program's own `export requests`.
 */
const usualNames: { readonly [Name in FieldName]: readonly string[] } = {
  id: [
    'upstreamrequestid',
    'requestid',
    'xrequestid',
    'apimrequestid',
    'reqid',
    'generationid',
    'responseid',
    'id',
  ],
  input: [
    'inputtokens',
    'prompttokens',
    'tokensprompt',
    'tokensinput',
    'inputtokencount',
    'prompttokencount',
    'ncontexttokenstotal',
    'uncachedinputtokens',
    'input',
    'prompt',
  ],
  output: [
    'outputtokens',
    'completiontokens',
    'tokenscompletion',
    'tokensoutput',
    'outputtokencount',
    'candidatestokencount',
    'ngeneratedtokenstotal',
    'output',
    'completion',
  ],
  cached: [
    'cachedtokens',
    'cachedinputtokens',
    'inputcachedtokens',
    'cachereadtokens',
    'cachereadinputtokens',
    'tokenscached',
    'cachedcontenttokencount',
    'ncachedcontexttokenstotal',
    'cached',
  ],
  cost: [
    'costusd',
    'totalcostusd',
    'costinusd',
    'totalcost',
    'costtotal',
    'cost',
    'amountusd',
    'amountnano',
    'amount',
    'spend',
    'charge',
    'price',
  ],
  time: [
    'createdat',
    'created',
    'timestamp',
    'time',
    'datetime',
    'starttime',
    'startedat',
    'requesttime',
    'createdtime',
    'date',
  ],
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/**
 * Finds the columns, those that were named first. Throws with the columns that there are when one
 * that was named is missing, or when none is known to hold the request's id.
 */
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
  const found = {
    id: find('id'),
    input: find('input'),
    output: find('output'),
    cached: find('cached'),
    cost: find('cost'),
    time: find('time'),
  }
  if (found.id === undefined)
    throw new UserError(
      `No column of ${file} is known to hold the upstream's request id. ${has} Name it with ` +
        '--id-column.',
    )
  return found
}

/** Whether a row with these columns can be told to be a request. */
export const hasIdColumn = (columns: readonly string[]): boolean =>
  recognise('id', columns) !== undefined

/** `usage.prompt_tokens` is known by its last part, too; an id inside of something is another's. */
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
