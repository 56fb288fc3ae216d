import { Document, isScalar, Scalar, visit } from 'yaml'
import { download } from '../../../admin/download.ts'
import type { ConfigExport } from '../../../admin/reading-api.ts'
import type { Clock } from '../../../lib/clock.ts'
import { isoTime } from '../../../lib/format.ts'
import type { Logger } from '../../../lib/log.ts'
import { createPauses } from '../../../lib/slices.ts'
import type { PriceRow } from '../../../store/ports/catalog.ts'
import type { Listed, ListedToken, ListStore, PageAsked } from '../../../store/ports/lists.ts'
import {
  accountEntry,
  channelEntry,
  createPlaceholders,
  groupEntry,
  type NextPlaceholder,
  Placeholder,
  priceEntry,
  tokenEntry,
} from './entries.ts'
import type { ConfigState } from './state.ts'

const file = { name: 'tollgate.yaml', type: 'application/yaml; charset=utf-8' }

/** The present state as a file, written while it is sent. */
export function createConfigExport(
  configState: () => Promise<ConfigState>,
  lists: ListStore,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
) {
  async function* text(): AsyncGenerator<string> {
    yield configBeforeAccounts(await configState(), clock())
    yield* accountsText(lists)
  }
  const send: ConfigExport = (signal) => download(text(), file, { signal, log })
  return send
}

/** The state as a tollgate.yaml without accounts and tokens. Secrets become variable references. */
export function configBeforeAccounts(state: ConfigState, now: number): string {
  const next = createPlaceholders()
  const { channels, groups } = state
  return [
    head(isoTime(now)),
    section('site', named(state.site)),
    section('settings', named(state.settings)),
    section(
      'channels',
      channels.map((channel) => channelEntry(channel, next)),
    ),
    section('groups', groups.map(groupEntry)),
    prices(state.prices),
  ].join('')
}

const named = (values: object) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && !isEmptyList(value)),
  )

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

const head = (
  time: string,
) => `# The state of a gateway at ${time}, as "tollgate plan" and "tollgate apply" read it.
# Secrets are not here: each \${NAME} is to be set in the environment. Neither are server:, store: and
# sign_in:, requests, the ledger and passwords; a backup has all of them but the first three.

`

function prices(rows: readonly PriceRow[]): string {
  const entries = rows.flatMap((row) => {
    const entry = priceEntry(row)
    return entry ? [[row.model, entry] as const] : []
  })
  const away = rows.filter(({ terms }) => terms.unit === 'none').map(({ model }) => model)
  const remark = `# Taken away by hand, which the file has no word for: ${oneLine(away.join(', '))}\n`
  return (away.length > 0 ? remark : '') + section('prices', new Map(entries))
}

type AccountAndTokenLists = Pick<ListStore, 'accounts' | 'tokens'>

/** The largest number of rows that a configuration file may have. */
const mostRows = 10_000

/** All accounts with their tokens in pieces of a tollgate.yaml. */
export async function* accountsText(lists: AccountAndTokenLists): AsyncGenerator<string> {
  const next = createPlaceholders()
  const pause = createPauses()
  const tokens = new Map<number, ListedToken[]>()
  yield 'accounts:\n'
  let left = mostRows
  for await (const token of allOf((page) => lists.tokens({}, page))) {
    if (left-- === 0) {
      yield `# There are more than ${mostRows} tokens: the oldest are left out.\n`
      break
    }
    tokens.getOrInsertComputed(token.accountId, () => []).push(token)
    await pause()
  }
  left = mostRows
  for await (const account of allOf((page) => lists.accounts({}, page))) {
    if (left-- === 0) {
      yield `# There are more than ${mostRows} accounts: the oldest are left out.\n`
      return
    }
    yield textOf(asDocument([accountEntry(account)]), accountIndent)
    const own = tokens.get(account.id) ?? []
    if (own.length > 0) yield '    tokens:\n'
    for (const token of own.toReversed()) {
      yield tokenText(token, next)
      await pause()
    }
    await pause()
  }
}

const accountIndent = '  '
const tokenIndent = '      '

function tokenText(token: ListedToken, next: NextPlaceholder): string {
  const document = asDocument([tokenEntry(token, next)])
  const key = document.getIn([0, 'key'], true)
  if (isScalar(key)) key.comment = ` ${oneLine(token.keyHint)}`
  return textOf(document, tokenIndent)
}

async function* allOf<Row>(read: (page: PageAsked) => Promise<Listed<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const { rows, next } = await read({ size: 100, isCounted: false, ...(cursor && { cursor }) })
    yield* rows
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

/** A section of the file. */
export const section = (name: string, value: object) =>
  `${textOf(asDocument({ [name]: value }), '')}\n`

/** A document's text, indented. */
export const textOf = (document: Document, indent: string) =>
  document.toString({ lineWidth: 0 }).replace(/^(?=.)/gm, indent)

/** A text that fits into a comment. */
export const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/** Placeholders become references; texts that look like references are escaped. */
function asDocument(value: object): Document {
  const document = new Document(value, (_key, one: unknown) =>
    one instanceof Placeholder ? reference(one) : typeof one === 'string' ? literal(one) : one,
  )
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && node.value.includes('${'))
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document
}

const reference = ({ variable }: Placeholder) => `\${${variable}}`
const literal = (text: string) => text.replaceAll('${', () => '$${')
