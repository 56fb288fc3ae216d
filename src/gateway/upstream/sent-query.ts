import { isOfBody } from '../../protocols/field-names.ts'
import { queryOf } from '../serve/query.ts'

/** A longer query is not sent on: no client of the field comes near, in characters. */
const longestQuery = 1_024

/** Names that credentials go by, in any case and with any signs between their words. */
const secretName = /key|token|secret|auth|passw|credential|signature|^sig$|bearer|jwt/
/** A key of this gateway's, under whatever name. */
const ownKey = /\bsk-/

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

const isSecret = (name: string, value: string) =>
  secretName.test(lettersOf(name)) || ownKey.test(value)

/** Other names are read in more than one way: `$httpHeaders`, `a[b]`, what is encoded twice. */
const plainName = /^[a-z][a-z0-9_.-]{0,63}$/i

/**
 * What Google's servers read before each of its services, those in OpenAI's protocol too: `fields` leaves
 * the usage out of an answer, `alt` and `callback` its form. Source: Google's "System parameters".
 */
const ofServers = new Set([
  ...['alt', 'callback', 'fields', 'pp', 'prettyprint', 'quotauser', 'trace', 'uploadprotocol'],
  ...['uploadtype', 'userip', 'userproject', 'xgafv'],
])

/**
 * What goes upstream of a query on a channel of the client's protocol (`?beta=true`), without its
 * question mark. Not sent: credentials; what a body says (`model`, `service_tier` …), for the body alone
 * decides what is asked and charged; what decides the answer's form; and what the channel's own address has
 * already, `url`'s query.
 */
export function sentQuery(request: Pick<Request, 'url'>, url: string): string {
  if (!request.url.includes('?')) return ''
  const query = queryOf(request)
  const own = new Set([...queryOf({ url }).keys()].map((name) => name.toLowerCase()))
  const sent = new URLSearchParams()
  for (const [name, value] of query) {
    if (!plainName.test(name) || isSecret(name, value) || isOfBody(name)) continue
    if (ofServers.has(lettersOf(name))) continue
    if (!own.has(name.toLowerCase())) sent.append(name, value)
  }
  const text = sent.toString()
  return text.length > longestQuery ? '' : text
}

/** A query, with its question mark, whose every other name is good, but no credential. */
export function withoutKeys(search: string): string {
  const query = new URLSearchParams(search)
  const kept = [...query].filter(([name, value]) => !isSecret(name, value))
  if (kept.length === query.size) return search
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}
