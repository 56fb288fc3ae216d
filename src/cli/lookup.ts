import { Argument } from 'commander'
import type { Instance } from '../app/instance.ts'
import { UserError } from '../app/user-error.ts'
import { suggest } from '../lib/suggest.ts'
import type { AccountView, TokenFilter, TokenView } from '../store/ports/admin.ts'
import { parseWhole } from './values.ts'

/** The actor of changes by commands, for the audit. */
export const commandLine = 'command line'

export const byCommandLine = { actor: commandLine } as const

export const emailArgument = () => new Argument('<email>', 'its e-mail address')

export const channelArgument = () => new Argument('<name>', 'its name, exactly')

export const groupArgument = () => new Argument('<name>', 'its name, exactly')

export const tokenArgument = () =>
  new Argument('<id>', 'its number, as "tollgate token list" shows it').argParser(parseWhole)

/** Finds by name, byte for byte. Throws with the nearest name when there is none. */
export function findNamed<Row extends { readonly name: string }>(
  kind: string,
  name: string,
  rows: readonly Row[],
): Row {
  const row = rows.find((one) => one.name === name)
  if (row) return row
  throw new UserError(
    `There is no ${kind} ${JSON.stringify(name)}. ${hint(kind, name, namesOf(rows))}`,
  )
}

export const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name)

function hint(kind: string, name: string, known: readonly string[]): string {
  const near = suggest(name, known)
  if (near !== undefined) return `Did you mean ${JSON.stringify(near)}?`
  return `"tollgate ${kind} list" shows all.`
}

export function requireFree(kind: string, name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return
  throw new UserError(
    `The ${kind} ${JSON.stringify(name)} exists already, and was left as it is. ` +
      'Choose another name, or remove that one first.',
  )
}

export async function findAccount({ store }: Instance, email: string): Promise<AccountView> {
  const account = await store.admin.account(email)
  if (account) return account
  const emails = (await store.admin.accounts()).map((one) => one.email)
  throw new UserError(
    `There is no account ${JSON.stringify(email)}. ${hint('account', email, emails)}`,
  )
}

export async function findToken({ store }: Instance, id: number): Promise<TokenView> {
  const [token] = await store.admin.tokens({ id })
  if (token) return token
  throw new UserError(`There is no token ${id}. "tollgate token list" shows all with their ids.`)
}

/** All matching tokens, read page by page. */
export async function allTokens({ store }: Instance, filter: TokenFilter): Promise<TokenView[]> {
  const tokens: TokenView[] = []
  for (;;) {
    const page = await store.admin.tokens({ ...filter, afterId: tokens.at(-1)?.id ?? 0 })
    if (page.length === 0) return tokens
    tokens.push(...page)
  }
}
