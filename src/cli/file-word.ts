import { channelStatus } from '../app/config/build.ts'
import { balanceLowByHand, countryHeaderByHand } from '../app/config/settings.ts'
import { findFileWord } from '../app/find-config.ts'
import type { Instance } from '../app/instance.ts'
import type { GroupReport } from '../app/report/resources.ts'
import { accountFields } from '../resources/account.ts'
import { fileKeysOf } from '../resources/resource.ts'
import type { TokenView } from '../store/ports/admin.ts'
import type { ChannelStatus } from '../store/ports/catalog.ts'
import type { ConfigOption } from './config-option.ts'
import { complain } from './errors.ts'

/** The low-balance threshold in force: of the file, else of the console, else the default. */
export async function findBalanceLow(
  { config }: ConfigOption,
  { store }: Pick<Instance, 'store'>,
): Promise<number> {
  const { balanceLowNano, namesBalanceLow } = await findFileWord(config)
  if (namesBalanceLow) return balanceLowNano
  const { values } = await store.edits.storedSettings()
  return balanceLowByHand(values) ?? balanceLowNano
}

/** `settings.country_header` in force, by the same rule; null: none. */
export async function findCountryHeader(
  { config }: ConfigOption,
  { store }: Pick<Instance, 'store'>,
): Promise<string | null> {
  const { countryHeader } = await findFileWord(config)
  if (countryHeader !== undefined) return countryHeader
  const { values } = await store.edits.storedSettings()
  return countryHeaderByHand(values)
}

/** Warns that the file overrides the changed fields of an account; `named` has the API's keys. */
export async function warnOfAccount(
  { config }: ConfigOption,
  email: string,
  named: object,
): Promise<void> {
  const { accounts } = await findFileWord(config)
  const entry = accounts.find((account) => account?.email === email)
  // A missing role means `user`; other missing fields stay.
  const keys = fileKeysOf(accountFields, named).filter(
    (key) => entry && (key === 'role' || entry[key as keyof typeof entry] !== undefined),
  )
  if (keys.length > 0) complain(overridden(`sets ${keys.join(' and ')} of ${email}`))
}

/** Warns the same of a token, which the file names by its key. */
export async function warnOfToken(
  { config }: ConfigOption,
  { secrets }: Instance,
  { keyHash }: TokenView,
): Promise<void> {
  const { accounts } = await findFileWord(config)
  const keys = accounts.flatMap((account) => (account?.tokens ?? []).map((token) => token?.key))
  const isNamed = keys.some((key) => key !== undefined && secrets.keyedHash(key) === keyHash)
  if (isNamed) complain(overridden('names this token'))
}

/** Warns the same of a channel that was enabled, disabled or drained. */
export async function warnOfChannel(
  { config }: ConfigOption,
  name: string,
  status: ChannelStatus,
): Promise<void> {
  const { channels } = await findFileWord(config)
  const named = channels.find((channel) => channel?.name === name)
  if (named === undefined) return
  const said = channelStatus(named)
  if (said !== status) complain(overridden(`says that the channel "${name}" is ${said}`))
}

/** Warns the same of a group's accounts, tools and countries. */
export async function warnOfGroup(
  { config }: ConfigOption,
  name: string,
  { accounts, tools, regions }: Pick<GroupReport, 'accounts' | 'tools' | 'regions'>,
): Promise<void> {
  const { groups } = await findFileWord(config)
  const named = groups.find((group) => group?.name === name)
  if (named === undefined) return
  const said = named.accounts?.map((email) => email?.toLowerCase()).toSorted() ?? null
  if (!Bun.deepEquals(said, accounts?.toSorted() ?? null))
    complain(overridden(`says whom the group "${name}" is for`))
  if (!Bun.deepEquals(named.tools?.toSorted() ?? null, tools?.toSorted() ?? null))
    complain(overridden(`says which tools the group "${name}" allows`))
  if (regionWord(named.regions) !== regionWord(regions ?? undefined))
    complain(overridden(`says which countries the group "${name}" answers`))
}

function regionWord(
  regions:
    | {
        readonly allow?: readonly (string | undefined)[] | undefined
        readonly deny?: readonly (string | undefined)[] | undefined
      }
    | undefined,
): string {
  const inOrder = (codes: readonly (string | undefined)[] = []) =>
    [...new Set(codes.map((code) => code?.toUpperCase()))].toSorted().join()
  return `${inOrder(regions?.allow)} ${inOrder(regions?.deny)}`
}

const overridden = (what: string) =>
  `warning: the configuration file ${what}; the next start or "tollgate apply" puts back what it ` +
  'says: change it there'
