import { type FakeUpstream, jsonAnswer, startFakeUpstream } from './fake-upstream.ts'
import { promptTokens } from './prompt-size.ts'

/** What an upstream keeps of prompts, by the rules that Anthropic documents under "Prompt caching". */
export interface PromptCache {
  /** How the input of a request counts, in LLM tokens; writes what it marks. Throws what is refused. */
  count(body: Body): InputUsage
}

/** Disjoint; their sum is the whole input. */
export interface InputUsage {
  readonly input_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
}

type Block = Readonly<Record<string, unknown>>

/** What is looked at of a request for a message. */
export interface Body extends Block {
  readonly model: string
  readonly tools?: readonly Block[]
  readonly system?: string | readonly Block[]
  readonly messages: readonly {
    readonly role: string
    readonly content: string | readonly Block[]
  }[]
}

const lifeMs = 5 * 60_000
/** So many places are looked at for each mark, that of the mark the first. */
const lookBack = 20
const mostMarks = 4

/** One block of a prompt: what is before and in it, by a hash, and in LLM tokens. */
interface Place {
  readonly prefix: string
  readonly tokens: number
  readonly isMarked: boolean
}

/** `minimumTokens`: a prefix of less is not kept. `clock`: in milliseconds. */
export function createPromptCache(minimumTokens: number, clock: () => number): PromptCache {
  const writtenAt = new Map<string, number>()
  const isKept = (prefix: string) => clock() - (writtenAt.get(prefix) ?? -lifeMs) < lifeMs

  return {
    count(body) {
      const places = placesOf(body)
      const marked = places.flatMap(({ isMarked }, at) => (isMarked ? [at] : []))
      if (marked.length > mostMarks) {
        throw new Error(`A maximum of ${mostMarks} blocks with cache_control may be provided.`)
      }
      let [read, written] = [0, 0]
      for (const end of marked) {
        const seen = places.slice(Math.max(0, end - lookBack + 1), end + 1)
        const found = seen.findLast(({ prefix }) => isKept(prefix))
        if (found) writtenAt.set(found.prefix, clock())
        read = Math.max(read, found?.tokens ?? 0)
      }
      for (const at of marked) {
        const { prefix, tokens } = places[at] as Place
        if (tokens < minimumTokens) continue
        writtenAt.set(prefix, clock())
        written = Math.max(written, tokens)
      }
      const all = places.at(-1)?.tokens ?? 0
      const creation = Math.max(0, written - read)
      return {
        input_tokens: all - read - creation,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: creation,
      }
    },
  }
}

/** In the order of the vendor's prompt. What else decides about it begins each part. */
function placesOf({ model, tools = [], system = [], messages, ...rest }: Body): readonly Place[] {
  const places: Place[] = []
  let prefix = model
  let tokens = 0
  const add = (block: Block, role: string) => {
    const { cache_control: mark, ...said } = block
    const isBare = said.type === 'thinking' || said.type === 'redacted_thinking' || said.text === ''
    if (mark !== undefined && isBare)
      throw new Error(`cache_control cannot be set for ${said.type}.`)
    const text = JSON.stringify(said)
    prefix = new Bun.CryptoHasher('sha256').update(`${prefix}\0${role}\0${text}`).digest('hex')
    tokens += promptTokens(said)
    places.push({ prefix, tokens, isMarked: mark !== undefined })
  }
  // A deferred tool is no part of the prompt before it was searched for.
  for (const tool of tools) if (tool.defer_loading !== true) add(tool, 'tools')
  for (const block of blocksOf(system)) add(block, 'system')
  prefix += JSON.stringify([rest.tool_choice, rest.thinking])
  for (const { role, content } of messages) for (const block of blocksOf(content)) add(block, role)
  return places
}

const blocksOf = (content: string | readonly Block[]): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** An upstream that speaks messages and keeps prompts; `answer` gives the blocks of each answer. */
export interface CachingUpstream extends AsyncDisposable {
  readonly upstream: FakeUpstream
  /** How the input of each request counted. */
  readonly inputs: readonly InputUsage[]
}

/** Starts it. What it refuses is a 400 in its vendor's shape. */
export function startCachingUpstream(
  cache: PromptCache,
  answer: (body: Body) => readonly Block[],
): CachingUpstream {
  const inputs: InputUsage[] = []
  const upstream = startFakeUpstream((request) => {
    const body = request.json() as Body
    try {
      const usage = cache.count(body)
      inputs.push(usage)
      const content = answer(body)
      const isCalling = content.some(({ type }) => type === 'tool_use')
      return jsonAnswer({
        ...{ id: `msg_${inputs.length}`, type: 'message', role: 'assistant', model: body.model },
        ...{ content, stop_reason: isCalling ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { ...usage, output_tokens: 50 },
      })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return jsonAnswer({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)
    }
  })
  return { upstream, inputs, [Symbol.asyncDispose]: () => upstream.stop() }
}
