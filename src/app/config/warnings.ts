import { canSignIn } from '../../admin/sign-in/hashing.ts'
import { parseDecimal } from '../../billing/money.ts'
import { isPrivateHost } from '../../gateway/outbound/dial.ts'
import { quirks } from '../../protocols/canonical/quirks.ts'
import type { Tell } from './checks.ts'
import type { ConfigFile } from './schema.ts'

/** Shorter keys can be guessed. */
const shortKey = 20

/** Points out what is allowed, but may not be what was meant. */
export function findWarnings(file: ConfigFile, tell: Tell): void {
  if (file.settings?.country_header !== undefined && !file.server?.trusted_proxies?.length)
    tell(
      'settings.country_header',
      'is believed of trusted proxies only, and there are none: name them in server.trusted_proxies',
    )
  warnOfChannels(file, tell)
  warnOfGroups(file, tell)
  warnOfProviders(file, tell)
  const groups = new Set(file.groups?.map((group) => group.name))
  warnOfEmails(file, tell)
  for (const [i, account] of (file.accounts ?? []).entries())
    for (const [j, token] of (account.tokens ?? []).entries()) {
      const path = `accounts[${i}].tokens[${j}]`
      if (!groups.has(token.group)) tell(`${path}.group`, elsewhere('group', token.group))
      if (/[^\x21-\x7e]/.test(token.key))
        tell(`${path}.key`, "has characters that an HTTP header can't carry: clients can't send it")
      else if (token.key.length < shortKey)
        tell(`${path}.key`, `is shorter than ${shortKey} characters: it can be guessed`)
    }
}

function warnOfChannels(file: ConfigFile, tell: Tell): void {
  for (const [i, channel] of (file.channels ?? []).entries()) {
    for (const [j, name] of (channel.quirks ?? []).entries()) {
      const { protocol } = quirks[name]
      if (protocol !== 'all' && channel.speaks[protocol] === undefined)
        tell(
          `channels[${i}].quirks[${j}]`,
          `is ${name}, which is about the protocol ${protocol}, but the channel does not speak that: it changes nothing`,
        )
    }
    if (channel.allow_private) continue
    for (const [protocol, base] of Object.entries(channel.speaks))
      if (URL.canParse(base) && isPrivateHost(new URL(base).hostname))
        tell(
          `channels[${i}].speaks.${protocol}`,
          'is an address of this machine or network: requests to it are refused unless the channel has allow_private: true',
        )
  }
}

function warnOfGroups(file: ConfigFile, tell: Tell): void {
  const channels = new Set(file.channels?.map((channel) => channel.name))
  for (const [i, group] of (file.groups ?? []).entries()) {
    const path = `groups[${i}]`
    for (const [j, channel] of group.channels.entries())
      if (!channels.has(channel)) tell(`${path}.channels[${j}]`, elsewhere('channel', channel))
    if (parseDecimal(group.rate_multiplier ?? 1, 6) === 0)
      tell(`${path}.rate_multiplier`, 'is 0: every request in this group is free')
  }
}

function warnOfEmails({ accounts = [] }: ConfigFile, tell: Tell): void {
  for (const [i, { email, password }] of accounts.entries())
    if (password !== undefined && !canSignIn(email))
      tell(
        `accounts[${i}].email`,
        "can't be signed in with: the console takes addresses such as admin@example.com",
      )
}

function warnOfProviders({ sign_in: { oidc = [], oauth = [] } = {} }: ConfigFile, tell: Tell) {
  const named = [
    ...oidc.map(({ discovery_url }, i) => [`oidc[${i}].discovery_url`, discovery_url] as const),
    ...oauth.map(({ token_url }, i) => [`oauth[${i}].token_url`, token_url] as const),
  ]
  for (const [path, url] of named) {
    const { protocol, hostname } = new URL(url)
    if (protocol === 'http:' && !isPrivateHost(hostname))
      tell(
        `sign_in.${path}`,
        'is without TLS: whoever is in between can sign in as anybody. Write https://',
      )
  }
}

const elsewhere = (kind: string, name: string) =>
  `names the ${kind} ${JSON.stringify(name)}, which this file does not have: it must already be in the database`
