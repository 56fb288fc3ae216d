import type { Fault } from '../../admin/api-error.ts'
import { nanoDecimals, parseDecimal } from '../../billing/money.ts'
import { parseDurationMs } from '../../lib/format.ts'
import { isPostgresUrl } from '../../resources/values.ts'
import { isReleaseAddress } from '../updates/release.ts'
import { joinPath } from './problem.ts'
import type { ConfigFile } from './schema.ts'

/** A file that was read with faults: everything in it may be missing. */
export type Partly<T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> | undefined)[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partly<T[Key]> | undefined }
    : T

/** Tells one finding: the path at fault, and a complaint that continues a sentence about it. */
export type Tell = (path: string, complaint: string, fault?: Fault) => void

type File = Partly<ConfigFile>

/** Checks across values: repeated names, exclusive keys, prices. `stands`: the file has it. */
export function checkFile(file: File, stands: (path: string) => boolean, tell: Tell): void {
  const { listen, metrics } = file.server ?? {}
  if (metrics !== undefined && metrics === listen && !metrics.endsWith(':0'))
    tell('server.metrics', 'is the address of server.listen: give it another port')
  checkUpdates(file, tell)
  checkStore(file, tell)
  checkSpool(file, tell)
  checkChannels(file, stands, tell)
  checkGroups(file, tell)
  checkRegions(file, stands, tell)
  for (const [model, price] of Object.entries(file.prices ?? {}))
    if (price) checkPrice(price, joinPath('prices', model), tell)
  checkAccounts(file, tell)
  checkMembers(file, tell)
  const known = ['google', 'github'].filter((id) => file.sign_in && id in file.sign_in)
  const named = (['oidc', 'oauth'] as const).flatMap((kind) =>
    eachKey(file.sign_in?.[kind], `sign_in.${kind}`, 'id'),
  )
  const providers = [...known.map((id) => ({ path: `sign_in.${id}`, value: id })), ...named]
  checkUnique(providers, tell)
}

/** Who listens must not learn what this gateway looks for. */
function checkUpdates({ updates }: File, tell: Tell): void {
  const url = URL.parse(updates ?? '')
  if (url !== null && !isReleaseAddress(url))
    tell('updates', 'is not encrypted: write an address that begins with https://')
}

/** How safely PostgreSQL writes is a setting of its own. */
function checkStore({ store }: File, tell: Tell): void {
  if (typeof store !== 'object' || store.synchronous === undefined || !store.url) return
  if (isPostgresUrl(store.url))
    tell(
      'store.synchronous',
      'is for SQLite: leave it out, and set synchronous_commit of PostgreSQL',
    )
}

/** Beside a file that can be written there is always a place for one. */
function checkSpool({ store, server }: File, tell: Tell): void {
  const url = typeof store === 'object' ? store.url : store
  if (server?.spool === 'off' && !isPostgresUrl(url ?? ''))
    tell(
      'server.spool',
      'is for nodes without a disk, on PostgreSQL: name a folder, or leave it out',
    )
}

type Entries = readonly { readonly path: string; readonly value: string | undefined }[]

const inSmallLetters = (entries: Entries): Entries =>
  entries.map(({ path, value }) => ({ path, value: value?.toLowerCase() }))

/** Complains of every value that an earlier entry already has. Secret values are not named. */
function checkUnique(entries: Entries, tell: Tell, secret = false): void {
  const first = new Map<string, string>()
  for (const { path, value } of entries) {
    if (value === undefined) continue
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, path)
    else if (secret) tell(path, `has the same value as ${earlier}: each needs its own`, 'repeated')
    else tell(path, `repeats ${JSON.stringify(value)}, which ${earlier} already has`, 'repeated')
  }
}

const list = <Item>(items: readonly Item[] | undefined) => items ?? []

const eachKey = <Key extends string>(
  items: readonly ({ readonly [key in Key]?: string | undefined } | undefined)[] | undefined,
  path: string,
  key: Key,
) => list(items).map((item, i) => ({ path: `${path}[${i}].${key}`, value: item?.[key] }))

const eachText = (items: readonly (string | undefined)[] | undefined, path: string) =>
  list(items).map((value, i) => ({ path: `${path}[${i}]`, value }))

function checkChannels(file: File, stands: (path: string) => boolean, tell: Tell): void {
  checkUnique(eachKey(file.channels, 'channels', 'name'), tell)
  for (const [i, channel] of list(file.channels).entries()) {
    const path = `channels[${i}]`
    if (!channel) continue
    const one = stands(`${path}.api_key`)
    const many = stands(`${path}.api_keys`)
    if (one && many) tell(`${path}.api_keys`, "can't stand beside api_key: write one of them")
    if (!one && !many)
      tell(
        `${path}.api_key`,
        'is missing: write api_key, or api_keys with a list of keys',
        'missing',
      )
    checkUnique(eachText(channel.api_keys, `${path}.api_keys`), tell, true)
    const models = list(channel.models).map((model, j) =>
      typeof model === 'string'
        ? { path: `${path}.models[${j}]`, value: model }
        : { path: `${path}.models[${j}].id`, value: model?.id },
    )
    checkUnique(models, tell)
    checkUnique(eachText(channel.quirks, `${path}.quirks`), tell)
    checkProbe(channel, `${path}.probe`, tell)
  }
}

/** An upstream that is asked more often would count it as abuse. */
const leastProbeMs = 5_000

type ChannelPart = Partly<NonNullable<ConfigFile['channels']>[number]>

function checkProbe({ probe, models }: ChannelPart, path: string, tell: Tell): void {
  if ((parseDurationMs(probe?.every ?? '') ?? leastProbeMs) < leastProbeMs)
    tell(`${path}.every`, 'is too often: at least 5s', 'probe_too_often')
  const ids = list(models).map((model) => (typeof model === 'string' ? model : model?.id))
  // With a model that could not be read, it may be that one.
  if (probe?.model === undefined || ids.length === 0 || ids.includes(undefined)) return
  if (!ids.includes(probe.model))
    tell(
      `${path}.model`,
      `is ${JSON.stringify(probe.model)}, which the channel does not offer: name one of its models, as clients do`,
      'not_known',
    )
}

function checkGroups(file: File, tell: Tell): void {
  checkUnique(eachKey(file.groups, 'groups', 'name'), tell)
  for (const [i, group] of list(file.groups).entries()) {
    checkUnique(eachText(group?.channels, `groups[${i}].channels`), tell)
    checkUnique(eachText(group?.models, `groups[${i}].models`), tell)
    checkUnique(eachText(group?.tools, `groups[${i}].tools`), tell)
    checkUnique(inSmallLetters(eachText(group?.accounts, `groups[${i}].accounts`)), tell)
  }
}

/** Without a header that tells them, nobody's country is known. */
function checkRegions(file: File, stands: (path: string) => boolean, tell: Tell): void {
  const groups = list(file.groups).map((group, i) => ({ path: `groups[${i}].regions`, of: group }))
  const accounts = list(file.accounts).map((account, i) => ({
    path: `accounts[${i}].regions`,
    of: account,
  }))
  for (const { path, of } of [...groups, ...accounts]) {
    const { allow, deny } = of?.regions ?? {}
    for (const [name, codes] of Object.entries({ allow, deny }))
      checkUnique(
        eachText(codes, `${path}.${name}`).map((one) => ({
          ...one,
          value: one.value?.toUpperCase(),
        })),
        tell,
      )
    if (stands(`${path}.allow`) && stands(`${path}.deny`))
      tell(`${path}.deny`, "can't stand beside allow: write one of them")
    if (of?.regions && !stands('settings.country_header'))
      tell(
        path,
        'can not be judged: set settings.country_header to the header in which your trusted proxies ' +
          'tell the country, such as CF-IPCountry, or remove regions',
        'no_country_header',
      )
  }
}

type Price = Partly<NonNullable<ConfigFile['prices']>[string]>

function checkPrice(price: Price, path: string, tell: Tell): void {
  const onPurpose = 'costs nothing: if the model is free on purpose, write { free: true }'
  if ('per_call' in price && isZero(price.per_call))
    tell(`${path}.per_call`, onPurpose, 'costs_nothing')
  if ('service_tiers' in price) checkServiceTiers(price.service_tiers, path, tell)
  if (!('input' in price || 'tiers' in price)) return
  const { tiers, note: _, context_window: __, tools: ___, service_tiers: ____, ...rates } = price
  const values = Object.values(rates)
  if ('output' in rates && values.length >= 2 && values.every(isZero))
    tell(path, onPurpose, 'costs_nothing')
  let before = 0
  for (const [i, tier] of list(tiers).entries()) {
    const { above, ...tierRates } = tier ?? {}
    const asked = Object.values(tierRates)
    if (asked.length >= 2 && asked.every(isZero))
      tell(`${path}.tiers[${i}]`, onPurpose, 'costs_nothing')
    if (above === undefined) continue
    if (above <= before)
      tell(
        `${path}.tiers[${i}].above`,
        `is ${above}, but must be larger than ${before}: tiers go up`,
        'tiers_must_rise',
      )
    before = Math.max(before, above)
  }
}

/** Answers name tiers by such words, several joined by +. */
const tierWord = /^[a-z0-9][a-z0-9_.-]*$/

function checkServiceTiers(
  tiers: { readonly [tier: string]: string | number | undefined } | undefined,
  path: string,
  tell: Tell,
): void {
  for (const [tier, factor] of Object.entries(tiers ?? {})) {
    const at = joinPath(`${path}.service_tiers`, tier)
    if (!tierWord.test(tier))
      tell(at, 'is not the name of a service tier: write one word in small letters, such as flex')
    if (isZero(factor)) tell(at, 'must be more than 0: leave it out, or set the model free')
  }
}

const isZero = (value: string | number | undefined) =>
  value !== undefined && parseDecimal(value, nanoDecimals) === 0

function checkAccounts(file: File, tell: Tell): void {
  const accounts = list(file.accounts)
  checkUnique(inSmallLetters(eachKey(accounts, 'accounts', 'email')), tell)
  const keys = accounts.flatMap((account, i) =>
    eachKey(account?.tokens, `accounts[${i}].tokens`, 'key'),
  )
  checkUnique(keys, tell, true)
  for (const [i, account] of accounts.entries()) {
    const path = `accounts[${i}].tokens`
    checkUnique(eachKey(account?.tokens, path, 'name'), tell)
    for (const [j, token] of list(account?.tokens).entries())
      checkUnique(eachText(token?.models, `${path}[${j}].models`), tell)
  }
}

/** A token's group must be for its account; who is in no group of this file is looked up later. */
function checkMembers(file: File, tell: Tell): void {
  const closed = new Map<string | undefined, ReadonlySet<string | undefined>>()
  for (const group of list(file.groups)) {
    const { name, accounts } = group ?? {}
    if (accounts) closed.set(name, new Set(accounts.map((email) => email?.toLowerCase())))
  }
  for (const [i, account] of list(file.accounts).entries()) {
    for (const [j, token] of list(account?.tokens).entries()) {
      const members = closed.get(token?.group)
      if (!members || account?.email === undefined) continue
      if (members.has(account.email.toLowerCase())) continue
      tell(
        `accounts[${i}].tokens[${j}].group`,
        `is ${JSON.stringify(token?.group)}, which is not open to ${account.email}: name it in the accounts of that group, or choose another one`,
        'not_known',
      )
    }
  }
}
