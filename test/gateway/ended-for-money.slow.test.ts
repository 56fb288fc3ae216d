import { describe, expect, test } from 'bun:test'
import { countTokens } from '../../src/app/count-tokens.ts'
import { estimateTokens } from '../../src/gateway/money/estimate.ts'
import { allDialects, type Dialect, dialects } from '../e2e/dialects.ts'
import { cutBytes } from '../support/fake-upstream.ts'
import { createRandom, pick } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createMoneyScene } from './money-scene.ts'

// B2, as a property: whatever the text, the chunks and the prices, what a stream that was ended for
// money costs is never more than what was set aside for it, and so near to it that the next event
// would have been too much.

const cases = rounds(40, 400)
const asked = { input: 10, output: 1 }
const sampleLength = 65_536

/** Texts from 12 characters to a token up to three tokens to a character. */
const kinds: readonly ((random: () => number) => string)[] = [
  (random) => pick(random, [' the', ' quick', ' house', ' of', ' international', ' story']),
  (random) => `${Math.floor(random() * 1e6)}`,
  (random) => String.fromCodePoint(0x4e00 + Math.floor(random() * 0x5000)), // Chinese
  (random) => String.fromCodePoint(0x1f300 + Math.floor(random() * 0x2ff)), // emoji
  (random) => String.fromCodePoint(0x1200 + Math.floor(random() * 0x100)), // Ethiopic
  (random) => pick(random, ['{', '}', '();', '\n  ', '=>', 'const ', '[0]']),
  () => '        ',
  () => 'aaaaaaaaaaaaaaaa',
]

/** A play whose answer is longer than its money: its text changes its kind on the way. */
function makePlay(random: () => number) {
  const dialect = pick(random, allDialects)
  const [early, late] = [pick(random, kinds), pick(random, kinds)]
  const worth = 200 + Math.floor(10 ** (2 + random() * 2.3)) // tokens that can be paid
  const pieceLength = 1 + Math.floor(10 ** (random() * 2.5))
  const turn = random() * worth * 3
  const pieces: string[] = []
  for (let length = 0; length < worth * 20; length += pieces.at(-1)?.length ?? 0) {
    let piece = ''
    while (piece.length < pieceLength) piece += (length < turn ? early : late)(random)
    pieces.push(piece)
  }
  const input = 1 + Math.floor(10 ** (random() * 8))
  const output = 100 + Math.floor(10 ** (2 + random() * 6))
  // The multiplier is 0.8; some of the balance is for the question.
  const balanceNano = Math.ceil((worth * output + 60 * input) * 0.8e-3)
  const cuts = random() < 0.1 ? ('whole' as const) : 1 + Math.floor(10 ** (random() * 5))
  return { dialect, pieces, input, output, balanceNano, cuts }
}

type Play = ReturnType<typeof makePlay>

async function playOut({ dialect, pieces, input, output, balanceNano, cuts }: Play) {
  const base = { input, output, cacheRead: null, cacheWrite: null, cacheWrite1h: null }
  const terms = { unit: 'tokens', base, tiers: [] } as const
  // With a limit that it can reach, an answer is set aside for in whole, and an upstream that
  // overlooks the limit is noticed later: messages always has one, so here it is beyond reach.
  const more = dialect.name === 'messages' ? { max_tokens: 10_000_000 } : {}
  await using scene = await createMoneyScene({ balanceNano, terms, dialect, more })
  const stream = dialect.first(asked) + pieces.map(dialect.piece).join('')
  const { text, heldNano, request } = await scene.play(
    cutBytes(new TextEncoder().encode(stream), cuts),
  )
  const { balanceNano: left, reservedNano } = await scene.sum()
  expect(reservedNano).toBe(0)
  expect(left).toBe(balanceNano - request.amountNano)
  return { text, heldNano, request }
}

/** How many of the pieces were delivered, and not half of one. */
function deliveredPieces(dialect: Dialect, pieces: readonly string[], text: string): number {
  let at = dialect.first(asked).length
  const first = pieces.findIndex((piece) => {
    const event = dialect.piece(piece)
    if (!text.startsWith(event, at)) return true
    at += event.length
    return false
  })
  expect(text.slice(at)).toMatch(
    /^((event: \S+\n)?data: .*used up.*\n\n)+$|^data: .*used up.*\r\n\r\n$/,
  )
  return first
}

test(`B2: none of ${cases} streams costs, or delivers, more than was set aside for it`, async () => {
  let ended = 0
  const beyond: object[] = []
  for (let seed = 1; seed <= cases; seed++) {
    const play = makePlay(createRandom(seed))
    const { dialect, pieces, output, balanceNano } = play
    const { text, heldNano, request } = await playOut(play)
    const { amountNano, outputTokens, cause } = request
    expect([seed, heldNano <= balanceNano]).toEqual([seed, true])
    if (amountNano > heldNano) beyond.push({ seed, cause, heldNano, amountNano })
    if (cause !== 'balance_used_up') continue
    ended++
    const count = deliveredPieces(dialect, pieces, text)
    // Of long texts the beginning is counted, and the rest is taken to be like it.
    const tokensOf = (upTo: number) => {
      const told = pieces.slice(0, upTo).join('')
      const text = { sample: told.slice(0, sampleLength), length: told.length }
      return estimateTokens(text, countTokens)
    }
    // What is charged is what was delivered. (Messages tells at its start that it is one token.)
    const delivered = Math.max(await tokensOf(count), dialect.name === 'messages' ? 1 : 0)
    if (delivered !== outputTokens) beyond.push({ seed, cause, delivered, outputTokens })
    // One more event, and less than a hundredth would be left, or nothing.
    const more = Math.max((await tokensOf(count + 1)) - outputTokens, 0) * output * 0.8e-3
    expect([seed, amountNano + more > heldNano * 0.99]).toEqual([seed, true])
  }
  expect(beyond).toEqual([])
  expect(ended).toBeGreaterThan(cases / 2)
}, 180_000)

test('an answer that ends for money before its first word costs what it was asked with', async () => {
  const contextTokens = 1_000
  const dialect = dialects.responses
  await using scene = await createMoneyScene({
    ...{ dialect, balanceNano: contextTokens * 800 + 400_000 },
    more: { previous_response_id: 'resp_0' },
  })
  const origin = { channelId: 1, key: 'key', contextTokens }
  scene.parts.origins.of = () => origin
  const stream = dialect.first(asked) + dialect.piece(' one'.repeat(5_000))
  const { request, text } = await scene.play([new TextEncoder().encode(stream)])
  expect([request.cause, text.includes(' one')]).toEqual(['balance_used_up', false])
  expect(request.inputTokens).toBeGreaterThan(contextTokens)
})

test('B2: where the chunks end makes no difference, not even when the whole answer is one', async () => {
  const pieces = Array.from({ length: 2_000 }, () => ' one')
  const bills = []
  for (const cuts of ['whole', 50_000, 3_000, 100] as const) {
    for (const dialect of allDialects) {
      await using scene = await createMoneyScene({ balanceNano: 400_000, dialect })
      const last = dialect.last({ input: 10, output: 2_000 })
      const stream = dialect.first(asked) + pieces.map(dialect.piece).join('') + last
      const { text, heldNano, request } = await scene.play(
        cutBytes(new TextEncoder().encode(stream), cuts),
      )
      const { cause, amountNano } = request
      const isNear = amountNano > heldNano * 0.99 && amountNano <= heldNano
      bills.push([cuts, dialect.name, cause, heldNano, isNear, dialect.isError(text)])
    }
  }
  expect(bills).toEqual(
    bills.map(([cuts, name]) => [cuts ?? '', name ?? '', 'balance_used_up', 400_000, true, true]),
  )
})

test('of a model that may reason all that was set aside is charged, whatever was seen', async () => {
  for (const dialect of allDialects) {
    const { heldNano, request } = await playTo(dialect, '', {})
    expect(request.estimated).toBe(true)
    expect(request.amountNano).toBeWithin(heldNano - 2_000, heldNano + 1)
  }
})

/** Plays an answer of 2,000 words of a model that may reason, which is more than there is money for. */
async function playTo(dialect: Dialect, end: string, asked: object) {
  await using scene = await createMoneyScene({
    ...{ balanceNano: 400_000, dialect, upstreamModel: 'who-knows' },
    more: { ...(dialect.name === 'messages' && { max_tokens: 10_000_000 }), ...asked },
  })
  const pieces = Array.from({ length: 2_000 }, () => dialect.piece(' one')).join('')
  const stream = Buffer.from(dialect.first({ input: 10, output: 1 }) + pieces + end)
  const { text, heldNano, request } = await scene.play(cutBytes(stream, 3_000))
  expect([dialect.name, request.cause]).toEqual([dialect.name, 'balance_used_up'])
  // The client was told when its money ended.
  expect([dialect.isError(text), text.length < stream.length / 2]).toEqual([true, true])
  return { heldNano, request }
}

describe('an answer whose input only its upstream knows, when the money has ended', () => {
  const searching: { readonly [name in Dialect['name']]: object } = {
    chat: { web_search_options: {} },
    responses: { tools: [{ type: 'web_search' }] },
    messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    gemini: { tools: [{ googleSearch: {} }] },
  }

  test('is read to its end, and costs what it reports', async () => {
    for (const dialect of allDialects) {
      const end = dialect.last({ input: 10, output: 7_000 })
      const { request } = await playTo(dialect, end, searching[dialect.name])
      expect(request.outputTokens).toBe(7_000)
      expect(request.amountNano).toBeGreaterThanOrEqual((10 + 2 * 7_000) * 800)
      expect(request.estimated).toBe(false)
    }
  })

  test('and breaks off costs what came, at least what was set aside', async () => {
    for (const dialect of allDialects) {
      const { heldNano, request } = await playTo(dialect, '', searching[dialect.name])
      expect(request.estimated).toBe(true)
      expect(request.outputTokens).toBeGreaterThanOrEqual(2_000)
      expect(request.amountNano).toBeGreaterThan(heldNano)
    }
  })
})
