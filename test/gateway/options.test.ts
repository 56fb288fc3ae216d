import { describe, expect, test } from 'bun:test'
import type { Candidate, Offer } from '../../src/catalog/catalog.ts'
import {
  type CallForm,
  canExpress,
  type Option,
  optionsOf,
  preferred,
  type Translate,
} from '../../src/gateway/admit/options.ts'
import { GatewayError } from '../../src/gateway/errors.ts'
import type { Translation } from '../../src/gateway/translate/translation.ts'
import { chat } from '../../src/protocols/chat/index.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { messages } from '../../src/protocols/messages/index.ts'
import { type ProtocolName, protocolNames } from '../../src/protocols/protocol.ts'
import { responses } from '../../src/protocols/responses/index.ts'
import { plainChannel } from '../support/no-limits.ts'
import { plainTerms } from './exchange-parts.ts'

const protocols = { chat, responses, messages, gemini } as const

interface ChannelOptions {
  readonly priority?: number
  readonly weight?: number
}

/** A channel that is called by what it speaks. */
function speaking(
  names: readonly ProtocolName[],
  { priority = 0, weight = 1 }: ChannelOptions = {},
): Candidate {
  const channel = {
    ...{ id: 1, name: `${names.join('+')}@${priority}`, keys: ['k'], priority, weight },
    speaks: Object.fromEntries(names.map((name) => [name, `https://${name}.example/v1`])),
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    ...{ allowPrivate: false, quirks: [] },
    ...plainChannel,
  }
  return { channel, upstreamModel: 'm' }
}

const offerOf = (...candidates: readonly Candidate[]): Offer => ({
  model: 'm',
  price: { id: 1, model: 'm', validFrom: 0, terms: plainTerms, note: '' } as Offer['price'],
  candidates,
  contextWindow: null,
})

const askedIn = (name: ProtocolName, operation = protocols[name].generation): CallForm => ({
  protocol: protocols[name],
  operation,
  framing: 'sse',
})

const refusal = (path: string) =>
  new GatewayError('unsupported_parameter', `${path} is refused`, { param: path })

/** Translates to all protocols but those that refuse; counts what it was asked for. */
function translator(refused: readonly ProtocolName[] = []) {
  const asked: string[] = []
  const translate: Translate = ({ channel }, { name }) => {
    asked.push(`${channel.name} ${name}`)
    if (refused.includes(name)) throw refusal(`field of ${channel.name} in ${name}`)
    return { dropped: [name] } as unknown as Translation
  }
  return { asked, translate }
}

const namesOf = (options: readonly Option[]) => options.map(({ channel }) => channel.name)

describe('who may answer', () => {
  test.each(protocolNames)('%s: channels of its own protocol are known for it', (name) => {
    const others = protocolNames.filter((one) => one !== name)
    const offer = offerOf(...others.map((one) => speaking([one])), speaking([name]))
    const options = optionsOf(offer, askedIn(name), translator().translate)
    const native = options.filter(({ isNative }) => isNative)
    const foreign = options.filter(({ isNative }) => !isNative)
    expect(namesOf(native)).toEqual([`${name}@0`])
    expect(namesOf(foreign).toSorted()).toEqual(others.map((one) => `${one}@0`).toSorted())
  })

  test.each(protocolNames)(
    'a channel that speaks several is asked in the client’s own: %s',
    (name) => {
      const { asked, translate } = translator()
      const [only] = optionsOf(offerOf(speaking(protocolNames)), askedIn(name), translate)
      const route = only?.route()
      expect([route?.protocol.name, route?.translation, only?.isNative]).toEqual([
        name,
        undefined,
        true,
      ])
      expect(asked).toEqual([])
      expect(preferred(protocolNames, protocols[name]).name).toBe(name)
    },
  )

  test('else in the one that carries most: responses, messages, gemini, chat', () => {
    const left: ProtocolName[] = ['chat', 'gemini', 'messages', 'responses']
    for (const client of protocolNames) {
      for (let from = 0; from < left.length; from++) {
        const spoken = left.slice(0, left.length - from).filter((name) => name !== client)
        const best = spoken.at(-1)
        if (best === undefined) continue
        const [only] = optionsOf(offerOf(speaking(spoken)), askedIn(client), translator().translate)
        expect([client, only?.route().protocol.name]).toEqual([client, best])
        expect(preferred(spoken, protocols[client]).name).toBe(best)
      }
    }
  })

  test('another one of its protocols when that one refuses', () => {
    const { translate } = translator(['responses', 'messages'])
    const spoken: ProtocolName[] = ['chat', 'responses', 'messages']
    const [only] = optionsOf(offerOf(speaking(spoken)), askedIn('gemini'), translate)
    expect(only?.route().protocol.name).toBe('chat')
    expect(only?.route().operation).toBe(chat.generation)
    expect(only && canExpress(only)).toBeTrue()
  })
})

describe('what can’t be expressed', () => {
  test('a channel that can’t is known by it; the others are asked', () => {
    const { translate } = translator(['gemini'])
    const offer = offerOf(speaking(['gemini']), speaking(['messages'], { priority: 1 }))
    const options = optionsOf(offer, askedIn('chat'), translate)
    expect(options.filter(canExpress).map(({ channel }) => channel.name)).toEqual(['messages@1'])
  })

  test('when none can, the refusal names the field for the best protocol of the first channel', () => {
    const { translate } = translator(['messages', 'gemini', 'responses'])
    const offer = offerOf(
      speaking(['gemini', 'responses']),
      speaking(['messages'], { priority: 1 }),
    )
    expect(() => optionsOf(offer, askedIn('chat'), translate)).toThrow(
      expect.objectContaining({
        kind: 'unsupported_parameter',
        details: expect.objectContaining({
          param: 'field of gemini+responses@0 in responses',
        }) as object,
      }) as Error,
    )
  })

  test('each channel is translated for once, whether it can or not', () => {
    for (const refused of [[], ['gemini', 'messages']] as const) {
      const { asked, translate } = translator(refused)
      const native = speaking(['chat'])
      const options = optionsOf(
        offerOf(native, speaking(['gemini', 'messages'])),
        askedIn('chat'),
        translate,
      )
      // Beside a channel that takes it as it is, none is looked at before it is its turn.
      expect(asked).toEqual([])
      const [, foreign] = options
      for (let again = 0; again < 3; again++) {
        expect(foreign && canExpress(foreign)).toBe(refused.length === 0)
        if (refused.length === 0) expect(foreign?.route()).toBe(foreign?.route() as never)
      }
      expect(asked).toEqual(
        refused.length === 0
          ? ['gemini+messages@0 messages']
          : ['gemini+messages@0 messages', 'gemini+messages@0 gemini'],
      )
    }
  })

  test('no more channels are translated for than must be', () => {
    const { asked, translate } = translator()
    const offer = offerOf(...Array.from({ length: 20 }, () => speaking(['gemini'])))
    optionsOf(offer, askedIn('chat'), translate)
    expect(asked.length).toBe(1)
  })

  test('a fault of the gateway’s own is no refusal', () => {
    const translate: Translate = () => {
      throw new TypeError('a bug')
    }
    expect(() => optionsOf(offerOf(speaking(['gemini'])), askedIn('chat'), translate)).toThrow(
      TypeError,
    )
  })
})

describe('a model that does not make what is asked for', () => {
  const refusalOf = (model: string, asked: CallForm, ...spoken: readonly ProtocolName[]) => {
    const candidate = { ...speaking(spoken), upstreamModel: model }
    try {
      optionsOf({ ...offerOf(candidate), model }, asked, translator().translate)
      return 'found'
    } catch (error) {
      return error instanceof GatewayError ? `${error.kind}: ${error.message}` : error
    }
  }
  const { embeddings, imageGenerations } = chat.operations

  test.each<[string, CallForm, readonly ProtocolName[], string]>([
    ['text-embedding-3-small', askedIn('chat'), ['chat'], 'Ask for it by POST /v1/embeddings.'],
    ['text-embedding-3-small', askedIn('messages'), ['chat'], 'Ask for it by POST /v1/embeddings.'],
    [
      'gemini-embedding-001',
      askedIn('chat'),
      ['gemini'],
      'Ask for it by POST /v1beta/models/…:embedContent.',
    ],
    [
      'openai/text-embedding-3-small',
      askedIn('chat', imageGenerations),
      ['gemini'],
      'Ask for it by POST /v1beta/models/…:embedContent.',
    ],
    [
      'mistral-embed',
      askedIn('chat'),
      ['responses'],
      'None of its channels offers embeddings here: ask for another model.',
    ],
    ['dall-e-3', askedIn('messages'), ['chat'], 'Ask for it by POST /v1/images/generations.'],
    ['gpt-image-1', askedIn('gemini'), ['chat'], 'Ask for it by POST /v1/images/generations.'],
    ['gpt-5.1', askedIn('chat', embeddings), ['responses'], 'Ask for it by POST /v1/responses.'],
  ])('%s is refused, with the endpoint that serves it', (model, asked, spoken, wayOut) => {
    const refusal = refusalOf(model, asked, ...spoken)
    expect(refusal).toStartWith('unsupported_parameter: ')
    expect(refusal).toEndWith(wayOut)
  })

  test.each<[string, CallForm, readonly ProtocolName[]]>([
    ['text-embedding-3-small', askedIn('chat', embeddings), ['chat']],
    ['gemini-embedding-001', askedIn('gemini', gemini.operations.embed), ['gemini']],
    ['gemini-2.5-flash-image', askedIn('chat'), ['gemini']],
    // Some hosts take it so.
    ['gpt-image-1', askedIn('chat'), ['chat']],
    ['embedded-expert', askedIn('chat'), ['chat']],
  ])('%s is asked as its vendor has it', (model, asked, spoken) => {
    expect(refusalOf(model, asked, ...spoken)).toBe('found')
  })
})

describe('a model without a way', () => {
  const { translate } = translator()
  const kindOf = (offer: Offer, asked: CallForm) => {
    try {
      optionsOf(offer, asked, translate)
      return 'found'
    } catch (error) {
      return error instanceof GatewayError ? `${error.kind}: ${error.message}` : error
    }
  }

  test('no channel at all: 502', () => {
    expect(kindOf(offerOf(), askedIn('chat'))).toStartWith('no_channel: No channel is fit')
    // A channel of no known protocol is no way either.
    expect(kindOf(offerOf(speaking([])), askedIn('chat'))).toStartWith('no_channel: ')
  })

  test.each([
    ['imageGenerations', chat.operations.imageGenerations],
    ['imageEdits', chat.operations.imageEdits],
  ] as const)('%s are never translated', (_, operation) => {
    const foreign = offerOf(speaking(['gemini', 'responses', 'messages']))
    expect(kindOf(foreign, askedIn('chat', operation))).toStartWith('unsupported_parameter: ')
    const mixed = offerOf(speaking(['gemini']), speaking(['chat'], { priority: 3 }))
    const options = optionsOf(mixed, askedIn('chat', operation), translate)
    expect(namesOf(options)).toEqual(['chat@3'])
  })

  test('embeddings are translated between chat and gemini, and nowhere else', () => {
    for (const [mine, other, operation] of [
      ['chat', 'gemini', chat.operations.embeddings],
      ['gemini', 'chat', gemini.operations.embed],
      ['gemini', 'chat', gemini.operations.batchEmbed],
    ] as const) {
      const asked = askedIn(mine, operation)
      expect(kindOf(offerOf(speaking([other])), asked)).toBe('found')
      const foreign = offerOf(speaking(['responses', 'messages']))
      expect(kindOf(foreign, asked)).toStartWith('unsupported_parameter: ')
    }
  })

  test('a compaction is the vendor’s own', () => {
    const asked = askedIn('responses', responses.operations.compact)
    expect(kindOf(offerOf(speaking(['chat'])), asked)).toStartWith('unsupported_parameter: ')
  })

  test('counts that no upstream makes are made here', () => {
    for (const { counting, name } of [responses, messages, gemini]) {
      const others = protocolNames.filter((one) => one !== name)
      expect(optionsOf(offerOf(speaking(others)), askedIn(name, counting), translate)).toEqual([])
    }
  })
})
