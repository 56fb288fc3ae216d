import { TranslationError } from '../../src/protocols/canonical/error.ts'
import type { ReasoningPart } from '../../src/protocols/canonical/request.ts'
import type { JsonObject, ProtocolName } from '../../src/protocols/protocol.ts'
import { openRequest, sealPrefix } from '../../src/protocols/translation/seal.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import type { Dice } from './dice.ts'
import { sealer } from './oddities.ts'
import { othersThan } from './scene.ts'
import { demand, type Trial } from './trial.ts'

interface SealCase {
  /** What was sealed. */
  readonly secrets: readonly Secret[]
  /** What the client sends back. */
  readonly sent: string
}

interface Secret {
  readonly origin: string
  readonly text: string
  readonly signature: string
  readonly isRedacted?: boolean
  readonly id?: string
  readonly callId?: string
}

/** Seals that clients of a protocol send back changed: they open to what was sealed, or not at all. */
export function sealTrial(protocol: ProtocolName): Trial<SealCase> {
  const origins = othersThan(protocol).flatMap((name) => [`${name} a.test`, `${name} b.test`])
  const tally = { opened: 0, refused: 0 }
  return {
    name: 'seals',
    protocol,
    tally,
    weight: () => 1,
    make(dice) {
      const secrets = [makeSecret(dice, origins), makeSecret(dice, origins)]
      const seals = secrets.map((secret) => sealPrefix + sealer.seal(JSON.stringify(secret)))
      const [first = '', second = ''] = seals
      const sent = dice.once(40) ? first : change(first, second, dice)
      return { secrets, sent }
    },
    check({ secrets, sent }) {
      const genuine = secrets.map((secret) => JSON.stringify(secret))
      for (const piece of sent.split('~')) {
        const plain = sealer.open(piece.slice(sealPrefix.length))
        const isGenuine = plain === undefined || genuine.includes(plain)
        demand(isGenuine, () => `opens to ${plain}`)
      }
      for (const origin of new Set([...secrets.map((secret) => secret.origin), 'chat c.test'])) {
        const opened = openFor(protocol, origin, sent)
        if (opened.length > 0) tally.opened++
        else tally.refused++
        for (const part of opened) checkOpened(part, origin, secrets, sent)
      }
    },
  }
}

const makeSecret = (dice: Dice, origins: readonly string[]): Secret => ({
  origin: dice.pick(origins),
  text: dice.pick(['', 'hm', 'ü😀', 'x'.repeat(300)]),
  signature: `s${dice.below(1e9)}`,
  ...(dice.once(4) ? { isRedacted: true } : {}),
  ...(dice.once(2) ? { id: `rs_${dice.below(1e6)}` } : {}),
  ...(dice.once(3) ? { callId: `call_${dice.below(1e6)}` } : {}),
})

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** A seal with something done to it; `other` is a seal, too. */
function change(seal: string, other: string, dice: Dice): string {
  const [at, to] = [dice.below(seal.length), dice.below(seal.length)]
  const [start, end] = [seal.slice(0, at), seal.slice(at)]
  const odd = dice.pick(['~', '=', '==', '\n', ' ', '\u0000', 'tgs1.', '+/', 'é', ...alphabet])
  switch (dice.below(12)) {
    case 0:
    case 1:
    case 2:
      return start + dice.pick([...alphabet]) + end.slice(1)
    case 3:
      return start + odd + end
    case 4:
      return start
    case 5:
      return start + end.slice(1)
    case 6:
      return seal.slice(0, Math.min(at, to)) + seal.slice(Math.max(at, to))
    case 7:
      return start + other.slice(at)
    case 8:
      return dice.pick([`${seal}~${other}`, `${seal}~${other}~`, `~${seal}`, seal + other])
    case 9:
      return seal + odd
    case 10:
      return dice.pick([seal.toLowerCase(), seal.replaceAll('_', '/'), seal.replaceAll('-', '+')])
    default:
      return sealPrefix + [...seal.slice(sealPrefix.length)].reverse().join('')
  }
}

/** The signed reasoning that an upstream would get of a client's request. */
function openFor(protocol: ProtocolName, origin: string, sent: string): readonly ReasoningPart[] {
  const target = { model: 'm', stream: false }
  return carriers[protocol](sent).flatMap((body) => {
    const request = unlessUnreadable(() => protocols[protocol].codec.decodeRequest(body, target))
    if (request === undefined) return []
    return openRequest(request, origin, sealer).turns.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'reasoning' && part.signature !== undefined ? [part] : [],
      ),
    )
  })
}

/** Some protocols take no empty signature. */
function unlessUnreadable<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TranslationError)) throw error
    return undefined
  }
}

/** Requests whose answers of before hold a signature, where their protocol has one. */
const carriers: { readonly [name in ProtocolName]: (signature: string) => readonly JsonObject[] } =
  {
    chat: (data) => [
      {
        messages: [
          { role: 'user', content: 'q' },
          {
            role: 'assistant',
            content: 'a',
            reasoning_content: 'shown',
            reasoning_details: [
              { type: 'reasoning.encrypted', data, id: 'r', format: 'tollgate', index: 0 },
            ],
          },
        ],
      },
    ],
    responses: (encrypted_content) => [
      {
        input: [
          {
            type: 'reasoning',
            id: 'rs_9',
            summary: [{ type: 'summary_text', text: 'shown' }],
            encrypted_content,
          },
          { role: 'user', content: 'q' },
        ],
      },
    ],
    messages: (signature) =>
      [
        { type: 'thinking', thinking: 'shown', signature },
        { type: 'redacted_thinking', data: signature },
      ].map((block) => ({
        max_tokens: 5,
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [block, { type: 'text', text: 'a' }] },
        ],
      })),
    gemini: (thoughtSignature) =>
      [
        { text: 'shown', thought: true, thoughtSignature },
        { text: '', thoughtSignature },
        { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature },
      ].map((part) => ({
        contents: [
          { role: 'user', parts: [{ text: 'q' }] },
          { role: 'model', parts: [part] },
        ],
      })),
  }

/** Signed reasoning must be what was sealed, for the upstream that it is from, and sent whole. */
function checkOpened(
  part: ReasoningPart,
  origin: string,
  secrets: readonly Secret[],
  sent: string,
): void {
  const was = secrets.find(({ signature }) => signature === part.signature)
  demand(was !== undefined, () => `signed as nobody did: ${JSON.stringify(part)}`)
  demand(was.origin === origin, () => `opened for ${origin}, but it is from ${was.origin}`)
  const isSame =
    part.text === was.text &&
    part.isRedacted === was.isRedacted &&
    part.id === was.id &&
    part.callId === was.callId
  demand(isSame, () => `opened to something else: ${JSON.stringify(part)}`)
  const seal = sealPrefix + sealer.seal(JSON.stringify(was))
  demand(sent.split('~').includes(seal), 'opened, though it was not sent whole')
}
