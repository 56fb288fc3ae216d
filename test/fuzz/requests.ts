import { listDropped } from '../../src/gateway/relay/reply.ts'
import { type Quirk, quirkNames, quirks } from '../../src/protocols/canonical/quirks.ts'
import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { countRequestTokens } from '../../src/protocols/translation/count-tokens.ts'
import { stripSeals } from '../../src/protocols/translation/seal.ts'
import { tokenFamily } from '../../src/protocols/translation/token-families.ts'
import { protocols } from '../protocols/translation/pairs.ts'
import { corpora, material } from './corpus.ts'
import type { Dice } from './dice.ts'
import { mutate } from './mutate.ts'
import { checkRefusal, modelFrom, othersThan, type Read, readRequest, translate } from './scene.ts'
import { demand, type Trial } from './trial.ts'

interface RequestCase {
  readonly body: unknown
  readonly isStrict: boolean
  /** For each protocol that it is translated to. */
  readonly targets: readonly {
    readonly upstream: ProtocolName
    readonly model: string
    readonly quirks: readonly string[]
  }[]
}

/** Requests of a protocol: refused in words, or such that the vendors of all others take them. */
export function requestTrial(protocol: ProtocolName): Trial<RequestCase> {
  const tally = { read: 0, translated: 0 }
  return {
    name: 'requests',
    protocol,
    tally,
    weight: () => 1,
    make(dice) {
      const body = JSON.parse(corpora[protocol].requests.pick(dice))
      mutate(body, dice, material)
      const targets = othersThan(protocol).map((upstream) => ({
        upstream,
        model: modelFrom(dice, upstream),
        quirks: quirksFrom(dice, upstream),
      }))
      return { body, isStrict: dice.once(40), targets }
    },
    async check({ body, isStrict, targets }) {
      const read = readRequest(protocol, JSON.stringify(body))
      if (read === undefined) return
      tally.read++
      const before = [read.body.value, read.request].map(asText)
      for (const { upstream, model, quirks } of targets) {
        const translation = translate(read, upstream, model, quirks, isStrict)
        if (translation === undefined) continue
        checkDropped(translation.dropped)
        const text = await encoded(() => translation.encode(new AbortController().signal))
        if (text === undefined) continue
        tally.translated++
        checkBody(upstream, text)
      }
      await checkBeside(read)
      const after = [read.body.value, read.request].map(asText)
      demand(before[0] === after[0], 'the body was changed')
      demand(before[1] === after[1], 'the decoded request was changed')
    },
  }
}

const asText = (value: unknown) => JSON.stringify(value)

function quirksFrom(dice: Dice, upstream: ProtocolName): readonly Quirk[] {
  if (!dice.once(3)) return []
  return quirkNames.filter((name) => quirks[name].protocol === upstream && dice.once(3))
}

async function encoded(encode: () => Promise<Uint8Array>): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await encode())
  } catch (error) {
    checkRefusal(error)
    return undefined
  }
}

/** What was left out is told in a header. */
function checkDropped(dropped: readonly string[]): void {
  const header = listDropped(dropped)
  const isGood = dropped.length === 0 || /^[\x21-\x7e][\x20-\x7e]*$/.test(header)
  demand(isGood, () => `dropped without a name: ${JSON.stringify(dropped)}`)
}

/** What is sent must be what the gateway would itself take. */
function checkBody(upstream: ProtocolName, text: string): void {
  const fault = protocols[upstream].generation.check(JSON.parse(text))
  demand(fault === undefined, () => `${upstream} would refuse it: ${fault?.message}`)
  demand(!hasHalf(text), () => `half a character for ${upstream}`)
}

/** A `\ud83d` that JSON has written for half of a character. */
const hasHalf = (text: string) => text.includes('\\ud') && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)

/** What else becomes of requests: a count of their input, and seals of others taken out. */
async function checkBeside({ client, body, request }: Read): Promise<void> {
  const family = tokenFamily({ model: request.model, protocol: client })
  const count = await countRequestTokens(request, family, async (text) => text.length >> 2)
  demand(Number.isSafeInteger(count) && count >= 0, () => `counted as ${count} LLM tokens`)
  const stripped = stripSeals(body.value())
  const again = stripSeals(stripped.body)
  demand(again.dropped.length === 0, () => `seals stay: ${again.dropped.join(', ')}`)
}
