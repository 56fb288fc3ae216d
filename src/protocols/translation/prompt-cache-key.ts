import type { Quirk } from '../canonical/quirks.ts'
import type { CanonicalRequest, Part } from '../canonical/request.ts'
import { countLeadingInstructions, expectsNextTurn } from '../canonical/turns.ts'
import { protocols } from '../index.ts'
import { parseJsonObject, stringIn } from '../json.ts'
import type { ProtocolName } from '../protocol.ts'
import type { Sealer } from './seal.ts'

interface KeyTarget {
  readonly protocol: ProtocolName
  readonly host: string
  readonly quirks: ReadonlySet<Quirk>
  readonly owner: string
  /** The client's own request: its target may lack the fields that identify its conversation. */
  readonly asked: CanonicalRequest
}

/** Adds a prompt cache key, equal for all turns of a conversation. Source: OpenAI, "Prompt caching". */
export function withCacheKey(
  request: CanonicalRequest,
  target: KeyTarget,
  sealer: Sealer,
): CanonicalRequest {
  const { protocol, host, quirks } = target
  const takesKey = protocols[protocol].takesCacheKey?.(host, quirks)
  if (request.promptCacheKey !== undefined || !takesKey) return request
  if (!expectsNextTurn(request)) return request
  const conversation = digestOf(sessionIn(target.asked.userId) ?? openingOf(target.asked))
  const sealed = sealer.seal(JSON.stringify(['prompt_cache_key', target.owner, conversation]))
  return { ...request, promptCacheKey: digestOf([sealed]) }
}

/** As base64url: 43 characters of the vendor's 64 at most. */
const digestOf = (texts: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(texts.join('\0')).digest('base64url')

/** The session in Claude Code's `metadata.user_id`: JSON, or `user_…_session_…` before 2.1. */
function sessionIn(userId = ''): readonly string[] | undefined {
  const told = stringIn(parseJsonObject(userId), 'session_id') ?? /_session_(.+)$/.exec(userId)?.[1]
  return told === undefined ? undefined : ['session', told]
}

/** The characters used: the rest does not identify the conversation any better. */
const longestOpening = 65_536

function openingOf({ turns, userId = '' }: CanonicalRequest): readonly string[] {
  const count = countLeadingInstructions(turns) + 1
  const texts = ['opening', userId]
  let left = longestOpening
  for (const part of turns.slice(0, count).flatMap(({ parts }) => parts)) {
    const text = textOf(part).slice(0, Math.max(0, left))
    left -= text.length
    texts.push(text)
  }
  return texts
}

function textOf(part: Part): string {
  if (part.type === 'text') return part.text
  if (!('source' in part)) return part.type
  const { source } = part
  return source.type === 'data' ? source.data : source.type === 'url' ? source.url : source.text
}
