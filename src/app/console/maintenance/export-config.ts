import { Document, isScalar, Scalar, visit } from 'yaml'
import { isoTime } from '../../../lib/format.ts'
import type { SecretBox } from '../../../lib/secrets.ts'
import { createPauses } from '../../../lib/slices.ts'
import type { CatalogRows, ChannelRow } from '../../../store/ports/catalog.ts'
import type { Listed, ListedToken, ListStore, PageAsked } from '../../../store/ports/lists.ts'
import type { Config } from '../../config/config.ts'
import { settingsValues, siteValues } from '../../config/file-values.ts'
import {
  accountEntry,
  channelEntry,
  createPlaceholders,
  groupEntry,
  type NextPlaceholder,
  Placeholder,
  priceEntry,
  tokenEntry,
} from './export-entries.ts'

export interface ExportParts {
  readonly config: Config
  readonly rows: CatalogRows
  readonly lists: ListStore
  readonly secrets: SecretBox
  readonly now: number
}

/** A file can't be larger: with more accounts or tokens it would not be read. */
const mostRows = 10_000

/**
 * The present state as a tollgate.yaml, piece by piece. Every secret is a reference to an environment
 * variable; prices are those that were set, not the list prices that come with the program.
 */
export async function* exportConfig(parts: ExportParts): AsyncGenerator<string> {
  const { config, rows } = parts
  const next = createPlaceholders()
  yield head(isoTime(parts.now))
  const site = Object.entries(siteValues(config.site)).filter(([, value]) => value !== null)
  const { customEndpoints } = config.site
  yield section('site', {
    ...Object.fromEntries(site),
    ...(customEndpoints.length > 0 && { custom_endpoints: customEndpoints }),
  })
  yield section('settings', settingsValues(config.settings))
  yield section(
    'channels',
    rows.channels.map((row) => channelEntry(opened(row, parts.secrets), next)),
  )
  yield section('groups', rows.groups.map(groupEntry))
  yield* prices(rows)
  yield* accounts(parts, next)
}

const head = (
  time: string,
) => `# The state of a gateway at ${time}, as "tollgate plan" and "tollgate apply" read it.
# Secrets are not here: each \${NAME} is to be set in the environment. Neither are server:, store: and
# sign_in:, requests, the ledger and passwords; a backup has all of them but the first three.

`

/** How many keys it has; none of them leaves this function. */
function opened(row: ChannelRow, secrets: SecretBox) {
  const keys: unknown = JSON.parse(secrets.open(row.keysSealed))
  const keyCount = Array.isArray(keys) ? keys.length : 0
  return { ...row, keyCount, hasProxy: row.proxySealed !== null }
}

function* prices({ prices: rows }: CatalogRows): Generator<string> {
  const own = rows.filter(({ source }) => source !== 'vendor')
  const entries = own.flatMap((row) => {
    const entry = priceEntry(row)
    return entry ? [[row.model, entry] as const] : []
  })
  const away = own.filter(({ terms }) => terms.unit === 'none').map(({ model }) => model)
  if (away.length > 0) {
    yield `# Taken away by hand, which the file has no word for: ${oneLine(away.join(', '))}\n`
  }
  yield section('prices', new Map(entries))
}

async function* accounts({ lists }: ExportParts, next: NextPlaceholder): AsyncGenerator<string> {
  const pause = createPauses()
  const tokens = new Map<number, ListedToken[]>()
  yield 'accounts:\n'
  let left = mostRows
  for await (const token of allOf((page) => lists.tokens({}, page))) {
    if (left-- === 0) {
      yield `# There are more than ${mostRows} tokens: the oldest are left out.\n`
      break
    }
    const known = tokens.get(token.accountId)
    if (known) known.push(token)
    else tokens.set(token.accountId, [token])
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

/** Every page of a list, each read away from this thread. */
async function* allOf<Row>(read: (page: PageAsked) => Promise<Listed<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const { rows, next } = await read({ size: 100, isCounted: false, ...(cursor && { cursor }) })
    yield* rows
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

const section = (name: string, value: object) => `${textOf(asDocument({ [name]: value }), '')}\n`

const textOf = (document: Document, indent: string) =>
  document.toString({ lineWidth: 0 }).replace(/^(?=.)/gm, indent)

const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')

/** Placeholders become references; what only looks like a reference is told from one. */
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
