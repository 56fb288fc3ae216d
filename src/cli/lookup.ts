import { Argument } from 'commander'
import { type Instance, UserError } from '../app/instance.ts'
import { suggest } from '../lib/suggest.ts'
import type { AccountView, TokenFilter, TokenView } from '../store/ports/admin.ts'
import { parseWhole } from './values.ts'

/** Who changes things here, for the audit. */
export const commandLine = 'command line'

/** The same for what is written as a set. */
export const byCommandLine = { actor: commandLine } as const

/** The argument of the commands that work on one account. */
export const emailArgument = () => new Argument('<email>', 'its e-mail address')

/** The argument of the commands that work on one channel. */
export const channelArgument = () => new Argument('<name>', 'its name, exactly')

/** The argument of the commands that work on one group. */
export const groupArgument = () => new Argument('<name>', 'its name, exactly')

/** The argument of the commands that work on one token. */
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
  const names = rows.map((one) => one.name)
  throw new UserError(`There is no ${kind} ${JSON.stringify(name)}. ${hint(kind, name, names)}`)
}

function hint(kind: string, name: string, known: readonly string[]): string {
  const near = suggest(name, known)
  if (near !== undefined) return `Did you mean ${JSON.stringify(near)}?`
  return `"tollgate ${kind} list" shows all.`
}

/** Throws when the name is taken. */
export function requireFree(kind: string, name: string, taken: boolean): void {
  if (!taken) return
  throw new UserError(
    `The ${kind} ${JSON.stringify(name)} exists already, and was left as it is. ` +
      'Choose another name, or remove that one first.',
  )
}

/** Finds an account by its e-mail address. */
export async function findAccount({ store }: Instance, email: string): Promise<AccountView> {
  const account = await store.admin.account(email)
  if (account) return account
  const emails = (await store.admin.accounts()).map((one) => one.email)
  throw new UserError(
    `There is no account ${JSON.stringify(email)}. ${hint('account', email, emails)}`,
  )
}

/** Finds a token by its id. */
export async function findToken({ store }: Instance, id: number): Promise<TokenView> {
  const [token] = await store.admin.tokens({ id })
  if (token) return token
  throw new UserError(`There is no token ${id}. "tollgate token list" shows all with their ids.`)
}

/** All tokens that fit, a page at a time. */
export async function allTokens({ store }: Instance, filter: TokenFilter): Promise<TokenView[]> {
  const tokens: TokenView[] = []
  for (;;) {
    const page = await store.admin.tokens({ ...filter, afterId: tokens.at(-1)?.id ?? 0 })
    if (page.length === 0) return tokens
    tokens.push(...page)
  }
}
