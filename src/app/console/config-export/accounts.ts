import { isScalar } from 'yaml'
import { createPauses } from '../../../lib/slices.ts'
import type { Listed, ListedToken, ListStore, PageAsked } from '../../../store/ports/lists.ts'
import { accountEntry, createPlaceholders, type NextPlaceholder, tokenEntry } from './entries.ts'
import { asDocument, oneLine, textOf } from './yaml.ts'

type AccountAndTokenLists = Pick<ListStore, 'accounts' | 'tokens'>

/** A file can't be larger: with more accounts or tokens it would not be read. */
const mostRows = 10_000

/** All accounts with their tokens, as a tollgate.yaml has them, piece by piece. */
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

/** All pages of a list. */
async function* allOf<Row>(read: (page: PageAsked) => Promise<Listed<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined
  do {
    const { rows, next } = await read({ size: 100, isCounted: false, ...(cursor && { cursor }) })
    yield* rows
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
