import { type Bill, models, tierFactors } from '../prices.ts'
import type { Plan } from '../script.ts'
import type { Desk, Order } from './desk.ts'
import { isObject, type Json, listIn, textIn } from './json.ts'
import { limitIn, modelsIn, type Read, unitsIn } from './reader.ts'
import type { Made, Wire, WireName } from './wires.ts'

/** One answer that the vendor works on. */
export interface Job {
  readonly wire: WireName
  readonly order: Order
  readonly made: Made & { readonly words: string[]; reasoning: number }
  readonly bill: Bill
  readonly isStream: boolean
  readonly beats: readonly Beat[]
}

/** A step of the work: what it adds to the bill, and what is written of it. */
interface Beat {
  readonly add: (job: Job) => void
  readonly text: (job: Job, wire: Wire) => string
}

/** What stands for an answer in later ones, in tokens. */
export interface Stored {
  readonly email: string
  readonly tokens: number
}

/** So many beats all the words of an answer take. */
const wordBeats = 6
const thinkingBeats = 3
/** What one picture, and one that is not finished, is in tokens of output. */
const pictureTokens = 300
const partialTokens = 100

/** What a vendor makes of a request: its bill begins with the input. */
export function takeJob(
  wire: WireName,
  order: Order,
  { body, files }: Read,
  path: { readonly model?: string | undefined; readonly stream?: boolean | undefined },
  stored: ReadonlyMap<string, Stored>,
): Job {
  const { plan, number, email } = order
  const model = dearestOf([path.model, ...modelsIn(body)].filter((name) => name !== undefined))
  const isPicture = wire === 'images'
  const takesUnits = wire !== 'responses' && wire !== 'messages'
  const units = takesUnits ? unitsIn(body) : 1
  const limit = plan.overruns ? undefined : limitIn(body)
  const reasoning = Math.min(plan.reasoning ?? 0, limit ?? Number.POSITIVE_INFINITY)
  const room = (limit ?? Number.POSITIVE_INFINITY) - reasoning
  const words = Math.min(plan.words, room)
  const tier = tierOf(body, plan)
  const earlier = continued(body, stored)
  const bill: Bill = {
    ...{ number, email, model, what: describe(wire, order, body) },
    ...inputOf(
      order,
      earlier.reduce((sum, { tokens }) => sum + tokens, 0),
      files.length,
    ),
    isForeign: earlier.some((one) => one.email !== email),
    ...{ audioIn: plan.audioIn ?? 0, imageIn: plan.imageIn ?? 0, audioOut: 0 },
    ...{
      output: 0,
      words: 0,
      calls: 0,
      tier: factorOf(tier),
      uses: {},
      hasEnded: false,
      brokeOff: false,
    },
  }
  const made = {
    ...{ id: idOf(wire, number), model, bill, reasoning: 0, words: [] as string[], units, tier },
    isCut: words < plan.words,
    wantsUsage: isObject(body.stream_options) && body.stream_options.include_usage === true,
    isBackground: body.background === true,
  }
  const partials = typeof body.partial_images === 'number' ? body.partial_images : 0
  const beats = isPicture
    ? pictureBeats(units, partials)
    : [
        ...[callBeat(units)],
        ...thinking(reasoning),
        ...toolUses(wire, body, plan),
        ...(wire.includes('embeddings') ? [] : writing(words)),
        ...speaking(plan.audioOut ?? 0),
        lastBeat,
      ]
  const isAsked = path.stream ?? body.stream === true
  const isStream = plan.otherForm ? !isAsked : isAsked
  return { wire, order, made, bill, isStream, beats }
}

const describe = (wire: WireName, { plan }: Order, body: Json) =>
  `${wire}${body.background === true ? ' in the background' : ''} ${JSON.stringify(plan)}`

const idOf = (wire: WireName, number: number) =>
  ({ chat: 'chatcmpl', completions: 'cmpl', responses: 'resp', messages: 'msg' })[
    wire as string
  ]?.concat(`_v${number}`) ?? `v${number}`

/** A body that names several models is answered by the dearest of them. */
function dearestOf(names: readonly string[]): string {
  const known = names.filter((name) => name in models)
  const priceOf = (name: string) => {
    const price = models[name]
    return price === undefined ? 0 : 'perCall' in price ? price.perCall * 1e5 : price.output
  }
  return known.toSorted((one, other) => priceOf(other) - priceOf(one))[0] ?? names[0] ?? ''
}

function inputOf({ plan, words }: Order, context: number, files: number) {
  const { hiddenInput = 0, audioIn = 0, imageIn = 0 } = plan
  const { cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = plan
  const all = words + hiddenInput + audioIn + imageIn + context + files * 10
  const input = Math.max(0, all - cacheRead - cacheWrite - cacheWrite1h)
  return { input, cacheRead, cacheWrite, cacheWrite1h }
}

/** What the vendor keeps of earlier answers, and is asked to go on with. */
function continued(body: Json, stored: ReadonlyMap<string, Stored>): readonly Stored[] {
  const thread = isObject(body.thread) ? textIn(body.thread, 'previous_message_id') : undefined
  const references = listIn(body, 'input')
    .filter(isObject)
    .map((item) => textIn(item, 'id'))
  return [textIn(body, 'previous_response_id'), thread, ...references].flatMap(
    (id) => stored.get(id ?? '') ?? [],
  )
}

function tierOf(body: Json, plan: Plan): string | undefined {
  const asked = textIn(body, 'speed') ?? textIn(body, 'service_tier') ?? textIn(body, 'serviceTier')
  if (asked === 'auto' || asked === undefined) return plan.tier
  return asked
}

const factorOf = (tier: string | undefined) => tierFactors[tier ?? ''] ?? 1000

/** The first beat: the answer is begun, and its calls are counted. */
const callBeat = (units: number): Beat => ({
  add: ({ bill }) => {
    bill.calls = units
  },
  text: ({ made }, wire) => wire.first(made),
})

/** A number in so many parts, none of them 0. */
function parts(whole: number, most: number): readonly number[] {
  const count = Math.min(whole, most)
  return Array.from(
    { length: count },
    (_, at) => Math.floor(((at + 1) * whole) / count) - Math.floor((at * whole) / count),
  )
}

const thinking = (tokens: number): readonly Beat[] =>
  parts(tokens, thinkingBeats).map((part, at) => ({
    add: ({ bill, made }) => {
      made.reasoning += part
      bill.output += part * made.units
    },
    text: ({ made }, wire) => wire.thinks(made, at),
  }))

const writing = (words: number): readonly Beat[] =>
  parts(words, wordBeats).map((part) => {
    const text = 'word '.repeat(part)
    return {
      add: ({ bill, made }) => {
        made.words.push(text)
        bill.words += part * made.units
        bill.output += part * made.units
      },
      text: ({ made }, wire) => wire.piece(made, text),
    }
  })

const speaking = (tokens: number): readonly Beat[] =>
  parts(tokens, 2).map((part) => ({
    add: ({ bill }) => {
      bill.audioOut += part
      bill.output += part
    },
    text: () => '',
  }))

/** A hosted tool is used as often as planned, where the body lets it. */
function toolUses(wire: WireName, body: Json, plan: Plan): readonly Beat[] {
  const tool = offeredTool(wire, body)
  if (tool === undefined) return []
  return Array.from({ length: plan.uses ?? 0 }, (_, at) => ({
    add: ({ bill }: Job) => {
      bill.uses[tool] = (bill.uses[tool] ?? 0) + 1
    },
    text: ({ made }: Job, on: Wire) => on.uses(made, tool, at),
  }))
}

function offeredTool(wire: WireName, body: Json): string | undefined {
  const tools = listIn(body, 'tools').filter(isObject)
  if (wire === 'chat') {
    const isOffered = 'web_search_options' in body || tools.some((tool) => 'google_search' in tool)
    return isOffered ? 'web_search' : undefined
  }
  if (wire === 'gemini') {
    return tools.some((tool) => 'googleSearch' in tool) ? 'web_search' : undefined
  }
  return tools.some((tool) => textIn(tool, 'type')?.startsWith('web_search'))
    ? 'web_search'
    : undefined
}

function pictureBeats(units: number, partials: number): readonly Beat[] {
  const part = Array.from({ length: partials }, () => ({
    add: ({ bill }: Job) => {
      bill.output += partialTokens
    },
    text: ({ made }: Job, wire: Wire) => wire.piece(made, ''),
  }))
  const pictures = {
    add: ({ bill }: Job) => {
      bill.output += pictureTokens * units
    },
    text: () => '',
  }
  return [callBeat(units), pictures, ...part, lastBeat]
}

const lastBeat: Beat = { add: () => {}, text: ({ made }, wire) => wire.last(made) }

/** Does the work beat by beat; stops when `isOver` says so. */
export async function doWork(
  job: Job,
  wire: Wire,
  desk: Desk,
  write: (text: string) => void,
  isOver: () => boolean,
): Promise<void> {
  const { order, bill, beats } = job
  const { plan, leave, number } = order
  for (const [at, beat] of beats.entries()) {
    if (isOver()) return
    if (plan.breaksAt === at) {
      bill.brokeOff = true
      throw new Error('The vendor breaks off, as it was told to.')
    }
    beat.add(job)
    const text = job.isStream ? beat.text(job, wire) : ''
    if (leave?.beat === at && !desk.hasLeft(number)) {
      const middle = Math.floor((text.length * (leave.part ?? 0)) / 1000)
      write(text.slice(0, middle))
      await desk.waitForLeaving(number)
      write(text.slice(middle))
    } else write(text)
    await Bun.sleep(plan.pace ?? 1)
  }
  bill.hasEnded = true
}
