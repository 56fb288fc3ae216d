import type { Dice } from '../fuzz/dice.ts'
import type { Ask, Endpoint, Leave, Step } from './script.ts'

/** Makes the steps of one kind of attack, for the accounts of a script. */
export interface Making {
  readonly dice: Dice
  /** How many accounts there are. */
  readonly customers: number
  /** Of the next step. */
  id(): number
}

type Kind = (making: Making) => readonly Step[]

const textual = ['chat', 'responses', 'messages', 'gemini'] as const
type Textual = (typeof textual)[number]

/** A model for an endpoint: one of its own protocol, one of all, or one that has to be translated. */
function modelFor(dice: Dice, endpoint: Textual): string {
  const own = `${endpoint}-1`
  return dice.pick([own, own, 'any-1', 'any-1', `${dice.pick(textual)}-1`])
}

const leaving = (dice: Dice): Leave => ({
  beat: dice.below(13),
  part: dice.pick([0, 0, dice.below(1000), 1000]),
  reads: !dice.once(3),
})

/** A request for text, as most of them are. */
function plainAsk(dice: Dice, given: Partial<Ask> = {}): Ask {
  const endpoint = (given.endpoint ?? dice.pick(textual)) as Textual
  return {
    ...{ endpoint, model: modelFor(dice, endpoint), stream: !dice.once(3) },
    words: 1 + dice.below(dice.pick([5, 60, 600])),
    limit: 20 + dice.below(400),
    plan: { words: 1 + dice.below(dice.pick([4, 40])), pace: dice.below(2) },
    ...given,
  }
}

const by = ({ dice, customers }: Making) => dice.below(customers)

function ask(making: Making, made: Ask, more: { times?: number; again?: number } = {}): Step {
  return { do: 'ask', id: making.id(), by: by(making), ask: made, ...more }
}

/** The same, left by chance. */
const maybeLeft = (dice: Dice, made: Ask): Ask =>
  dice.once(2) ? { ...made, leave: leaving(dice) } : made

const stored = (dice: Dice, given: Partial<Ask> = {}): Ask => ({
  ...plainAsk(dice, { endpoint: 'responses', model: dice.pick(['responses-1', 'any-1']) }),
  ...given,
})

function backgroundSteps(making: Making): readonly Step[] {
  const { dice } = making
  const id = making.id()
  const owner = by(making)
  const tier = dice.once(2) ? { tier: 'priority' } : {}
  const first = stored(dice, { background: true, ...tier })
  const begun: Step = {
    do: 'ask',
    id,
    by: owner,
    ask: dice.once(2) ? maybeLeft(dice, first) : first,
  }
  const after: Step[] = [
    { do: 'pause', ms: dice.below(30) },
    { do: 'fetch', by: owner, of: id, times: 1 + dice.below(3) },
    { do: 'delete', by: owner, of: id },
    { do: 'ask', id: making.id(), by: owner, ask: stored(dice, { after: id, words: 2 }) },
  ]
  return [begun, ...after.filter(() => dice.once(2))]
}

function storedSteps(making: Making): readonly Step[] {
  const { dice } = making
  const id = making.id()
  const owner = by(making)
  const isThread = dice.once(4)
  const long = isThread
    ? plainAsk(dice, {
        endpoint: 'messages',
        model: 'messages-1',
        extra: { thread: { type: 'create' } },
      })
    : stored(dice)
  const next: Ask = { ...long, extra: {}, after: id, words: 2 }
  return [
    { do: 'ask', id, by: owner, ask: { ...long, words: 200 + dice.below(1500) } },
    { do: 'ask', id: making.id(), by: owner, ask: maybeLeft(dice, next), times: 1 + dice.below(8) },
  ]
}

const several = (dice: Dice) => 2 + dice.below(12)

const unitEndpoints: readonly (readonly [Endpoint, readonly string[]])[] = [
  ['chat', ['chat-1', 'called-1', 'any-1']],
  ['gemini', ['gemini-1', 'called-1', 'any-1']],
  ['completions', ['called-1', 'any-1', 'messages-1', 'responses-1', 'gemini-1']],
  ['embeddings', ['embed-1', 'called-1', 'gemini-1']],
  ['gemini-embeddings', ['embed-1', 'called-1', 'chat-1']],
  ['images', ['painter-1', 'painter-2']],
]

const foreignModels = ['chat-1', 'messages-1', 'gemini-1'] as const

/** A response that the gateway translates, and keeps; then others that go on with it, side by side. */
function turnSteps(making: Making): readonly Step[] {
  const { dice } = making
  const owner = by(making)
  const model = dice.pick(foreignModels)
  const id = making.id()
  const first = plainAsk(dice, { endpoint: 'responses', model, words: 20 + dice.below(1_500) })
  const steps: Step[] = [{ do: 'ask', id, by: owner, ask: first }]
  for (let turn = 0, from = id; turn <= dice.below(3); turn++) {
    const next = plainAsk(dice, { endpoint: 'responses', model, after: from, words: 2 })
    from = making.id()
    const times = 1 + dice.below(8)
    steps.push({ do: 'ask', id: from, by: owner, ask: maybeLeft(dice, next), times })
  }
  const other = (making.customers - 1) as number
  const after: Step[] = [
    { do: 'ask', id: making.id(), by: other, ask: { ...first, after: id, words: 2 } },
    { do: 'fetch', by: owner, of: id, times: 2 },
    { do: 'delete', by: owner, of: id },
  ]
  return [...steps, ...after.filter(() => dice.once(2))]
}

/** Everything that customers try, by kinds. */
export const kinds = {
  /** Nothing special. */
  plain: (making) => [ask(making, plainAsk(making.dice), making.dice.once(4) ? { again: 1 } : {})],
  /** Leaves at any byte. */
  leaves: (making) => [ask(making, { ...plainAsk(making.dice), leave: leaving(making.dice) })],
  /** Thinking that nobody sees. */
  thinks: ({ dice, ...rest }) => {
    const plan = { words: 1 + dice.below(20), reasoning: 100 + dice.below(3_000) }
    const made = plainAsk(dice, { effort: !dice.once(4), plan, limit: 4_000 })
    return [ask({ dice, ...rest }, { ...made, leave: leaving(dice) })]
  },
  background: backgroundSteps,
  stored: storedSteps,
  /** Many stored answers are fetched at once. */
  fetches: (making) => {
    const { dice } = making
    const owner = by(making)
    const ids = Array.from({ length: several(dice) }, () => making.id())
    const begun = ids.map((id): Step => {
      const first = stored(dice, { background: true, stream: false, limit: 200 })
      return { do: 'ask', id, by: owner, ask: first }
    })
    const fetched = ids.map((of): Step => ({ do: 'fetch', by: owner, of, times: 2 }))
    return [...begun, { do: 'pause', ms: 20 }, { do: 'together', steps: fetched }]
  },
  /** Two limits, of which the gateway may believe the smaller one. */
  limits: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'gemini'] as const)
    const made = plainAsk(dice, { endpoint, model: dice.pick([`${endpoint}-1`, 'any-1']) })
    const wide = { ...made, limit: 1 + dice.below(4), otherLimit: 1_500, plan: { words: 1_400 } }
    const turned = dice.once(2) ? { ...wide, limit: wide.otherLimit, otherLimit: wide.limit } : wide
    const { otherLimit: _, ...single } = wide
    const isFolded = endpoint === 'gemini' && dice.once(2)
    const tried: Ask = isFolded ? { ...single, trick: 'folded-setting' } : turned
    return [ask(making, tried, { times: several(dice) })]
  },
  /** Many at once. */
  bursts: (making) => {
    const { dice } = making
    return [ask(making, maybeLeft(dice, plainAsk(dice)), { times: several(dice) })]
  },
  /** Several answers, pictures or inputs in one request. */
  units: (making) => {
    const { dice } = making
    const [endpoint, models] = dice.pick(unitEndpoints)
    const made = plainAsk(dice, { endpoint, model: dice.pick(models), units: 1 + dice.below(4) })
    return [
      ask(making, endpoint.includes('mbed') ? { ...made, stream: false } : maybeLeft(dice, made)),
    ]
  },
  pictures: (making) => {
    const { dice } = making
    const model = dice.pick(['painter-1', 'painter-2'])
    const partials = dice.below(4)
    const made = plainAsk(dice, { endpoint: 'images', model, partials, stream: dice.once(2) })
    return [ask(making, maybeLeft(dice, { ...made, plan: { words: 0 } }))]
  },
  /** What caches give and take. */
  cached: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'responses', 'messages', 'gemini'] as const)
    const isResold = endpoint === 'chat' && dice.once(2)
    const writes = endpoint === 'messages' || isResold
    const plan = {
      ...{ words: 1 + dice.below(20), cacheRead: isResold ? 0 : dice.below(400) },
      ...(writes && { cacheWrite: dice.below(isResold ? 850 : 200) }),
      // Who resells does not tell how long it is kept.
      ...(writes && !isResold && { cacheWrite1h: dice.below(200) }),
    }
    const model = isResold ? 'resold-1' : `${endpoint}-1`
    const made = plainAsk(dice, { endpoint, model, plan, words: 850 })
    return [ask(making, maybeLeft(dice, made))]
  },
  /** Tokens that are no text, in and out. */
  sounds: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'gemini'] as const)
    const isAnswer = dice.once(2)
    const plan = isAnswer
      ? { words: 1 + dice.below(9), audioOut: 20 + dice.below(200) }
      : { words: 1 + dice.below(9), audioIn: dice.below(90), imageIn: dice.below(90) }
    const made = plainAsk(dice, {
      endpoint,
      model: 'sound-1',
      plan,
      speaks: isAnswer,
      limit: 1_000,
    })
    return [ask(making, isAnswer ? maybeLeft(dice, made) : made)]
  },
  /** Contexts about the length at which a higher tier begins. */
  contexts: (making) => {
    const { dice } = making
    const made = plainAsk(dice, { model: 'tiered-1', words: 480 + dice.below(40) })
    return [ask(making, { ...made, plan: { ...made.plan, hiddenInput: dice.below(30) } })]
  },
  /** The vendor fails, breaks off, or answers in another form than it was asked for. */
  failures: (making) => {
    const { dice } = making
    if (dice.once(3)) {
      const endpoint = dice.pick(textual)
      // A stream of chat that nobody asked for tells of no usage.
      const stream = endpoint === 'chat' || dice.once(2)
      const odd = plainAsk(dice, { endpoint, model: `${endpoint}-1`, stream })
      return [ask(making, maybeLeft(dice, { ...odd, plan: { ...odd.plan, otherForm: true } }))]
    }
    const made = plainAsk(dice)
    const fails = dice.pick([400, 401, 429, 500, 503])
    const plan = dice.once(2) ? { ...made.plan, fails } : { ...made.plan, breaksAt: dice.below(9) }
    return [ask(making, { ...made, plan })]
  },
  /** The vendor writes on over the limit: once, and then for many at once. */
  overruns: (making) => {
    const { dice } = making
    const made = plainAsk(dice, { limit: 5 })
    const plan = { words: 50 + dice.below(500), overruns: true }
    const owner = by(making)
    const once: Step = { do: 'ask', id: making.id(), by: owner, ask: { ...made, plan } }
    return [once, { ...once, id: making.id(), times: several(dice) }]
  },
  /** Little that stands for much: documents by address, stored prompts, cached contents. */
  names: (making) => {
    const { dice } = making
    const endpoint = dice.pick(textual)
    const names = endpoint === 'responses' || endpoint === 'gemini' ? 'prompt' : 'document'
    const plan = { words: 1 + dice.below(20), hiddenInput: dice.below(3_000) }
    const model = dice.pick([`${endpoint}-1`, 'any-1'])
    const made = plainAsk(dice, { endpoint, model, plan, names: dice.once(2) ? names : 'document' })
    return [ask(making, maybeLeft(dice, made), { times: several(dice) })]
  },
  /** Leaves a model whose stream shows all that it makes: its upstream is stopped. */
  stopped: (making) => {
    const { dice } = making
    const made = plainAsk(dice, { model: 'gpt-4o', stream: true })
    return [ask(making, { ...made, leave: leaving(dice) })]
  },
  /** Documents by address in parts that nobody knows yet: by the vendor's own protocol they arrive. */
  strange: (making) => {
    const { dice } = making
    const endpoint = dice.pick(textual)
    const plan = { words: 1 + dice.below(20), hiddenInput: dice.below(3_000) }
    const model = dice.pick([`${endpoint}-1`, 'gpt-4o'])
    const made = plainAsk(dice, { endpoint, model, plan, names: 'strange' })
    return [ask(making, maybeLeft(dice, made), { times: several(dice) })]
  },
  /** Very many calls of tools without a word: each costs some tokens that are in no text. */
  calls: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'messages'] as const)
    const calls = 60 + dice.below(100)
    const plan = { words: 1 + dice.below(20), hiddenInput: calls * 10 }
    const made = plainAsk(dice, { endpoint, model: 'gpt-4o', plan, calls, stream: true })
    return [ask(making, { ...made, leave: leaving(dice) })]
  },
  /** Another model beside the one that is paid for. */
  models: (making) => {
    const { dice } = making
    const extra = dice.pick<{ readonly [name: string]: unknown }>([
      { models: ['dear-1'] },
      { models: ['cheap-1', 'dear-1'], route: 'fallback' },
      { fallbacks: [{ model: 'dear-1' }] },
      { fallback: 'dear-1' },
      { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'dear-1' }] },
    ])
    const endpoint = dice.pick(['chat', 'responses', 'messages'] as const)
    return [ask(making, plainAsk(dice, { endpoint, model: 'cheap-1', extra }))]
  },
  /** Bodies that two readers read two ways. */
  tricks: (making) => {
    const { dice } = making
    const trick = dice.pick([
      'folded-stream',
      'folded-model',
      'two-models',
      'two-dispositions',
    ] as const)
    const made =
      trick === 'two-dispositions'
        ? plainAsk(dice, { endpoint: 'edits', model: 'painter-1', plan: { words: 0 } })
        : plainAsk(dice, { endpoint: 'chat', model: 'cheap-1' })
    return [ask(making, { ...made, stream: false, trick })]
  },
  /** A tier that costs more. */
  tiers: (making) => {
    const { dice } = making
    const isFast = dice.once(3)
    const endpoint = isFast ? 'messages' : dice.pick(['chat', 'responses', 'gemini'] as const)
    const model = dice.pick([`${endpoint}-1`, 'any-1'])
    const tier = isFast ? { speed: 'fast' } : { tier: dice.pick(['flex', 'priority', 'auto']) }
    // Of two spellings the vendor believes the one that the gateway may not have looked at.
    const isTwice = endpoint === 'gemini' && dice.once(3)
    const extra = isTwice ? { service_tier: 'priority', serviceTier: 'standard' } : {}
    const made = plainAsk(dice, { endpoint, model, ...tier, extra })
    return [ask(making, maybeLeft(dice, made))]
  },
  /** Tools that the vendor runs, and bills by use. */
  tools: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'responses', 'messages', 'gemini'] as const)
    const model = dice.pick([`${endpoint}-1`, 'any-1'])
    // One tool in another one's clothes: the vendor finds the search in it.
    const isHidden = endpoint === 'chat' && dice.once(2)
    const offered: Partial<Ask> = isHidden
      ? { extra: { tools: [{ url_context: {}, google_search: {} }] } }
      : { tools: ['web_search'] }
    const made = plainAsk(dice, { endpoint, model, ...offered })
    // What is left out of the request finds nothing.
    const hiddenInput = isHidden ? 0 : dice.below(500)
    const plan = { ...made.plan, uses: 1 + dice.below(3), hiddenInput }
    const times = isHidden ? several(dice) : 1
    return [ask(making, maybeLeft(dice, { ...made, plan }), { times })]
  },
  /** Tools of another vendor's, which the channel runs all the same, more often than anybody thinks. */
  searches: (making) => {
    const { dice } = making
    const endpoint = dice.pick(textual)
    const model = dice.pick(['responses-1', 'messages-1', 'gemini-1'])
    const made = plainAsk(dice, { endpoint, model, tools: ['web_search'], effort: dice.once(3) })
    const plan = { ...made.plan, uses: dice.below(25), hiddenInput: dice.below(2_000) }
    const reasoning = dice.once(2) ? { reasoning: dice.below(500) } : {}
    const asked = { ...made, plan: { ...plan, ...reasoning }, limit: 1_000 }
    return [ask(making, maybeLeft(dice, asked), { times: dice.pick([1, several(dice)]) })]
  },
  /** Stop sequences that no vendor of the channel knows: the upstream writes on. */
  stops: (making) => {
    const { dice } = making
    const endpoint = dice.pick(['chat', 'messages', 'gemini'] as const)
    const model = dice.pick(['responses-1', 'shown-1'])
    const stop = dice.pick(['w', 'word', 'word word word', 'd w', 'never'])
    const made = plainAsk(dice, { endpoint, model, stop, stream: !dice.once(4), limit: 4_000 })
    const plan = {
      ...{ words: 1 + dice.below(600), pace: dice.below(3) },
      ...(model === 'responses-1' && dice.once(2) && { reasoning: dice.below(2_000) }),
    }
    return [ask(making, maybeLeft(dice, { ...made, plan }), { times: 1 + dice.below(4) })]
  },
  /** Goes on with what the gateway has translated and kept. */
  turns: turnSteps,
  /** Responses over WebSockets, closed at any moment. */
  sockets: (making) => {
    const { dice } = making
    const model = dice.pick([...foreignModels, 'responses-1', 'any-1', 'gpt-4o'])
    const socket = dice.pick(['plain', 'warm'] as const)
    const made = plainAsk(dice, { endpoint: 'responses', model, stream: true, socket })
    const reasoning = dice.once(3) && model !== 'gpt-4o' ? { reasoning: dice.below(2_000) } : {}
    const asked = { ...made, limit: 2_000, plan: { ...made.plan, ...reasoning } }
    return [ask(making, maybeLeft(dice, asked), { times: 1 + dice.below(6) })]
  },
  /** Goes on with, fetches and deletes what another account has stored. */
  strangers: (making) => {
    const { dice, customers } = making
    const id = making.id()
    const other = (customers - 1) as number
    return [
      { do: 'ask', id, by: 0, ask: stored(dice, { background: dice.once(2), stream: false }) },
      { do: 'fetch', by: other, of: id },
      { do: 'ask', id: making.id(), by: other, ask: stored(dice, { after: id, words: 2 }) },
      { do: 'delete', by: other, of: id },
    ]
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as readonly KindName[]
