/** An answer as it was recorded: a body or a stream. */
interface Answer {
  readonly protocol: string
  readonly body: unknown
  readonly sse: string | undefined
}

// What each recording says it used, computed here once more from the vendors' own fields and from
// nothing else. Unlike the observers, this looks at the whole answer at once.

type Wire = { readonly [key: string]: unknown }
/** Input, output, reasoning, cache reads, cache writes for 5 minutes and for 1 hour. */
export type Bill = readonly [
  input: number,
  output: number,
  reasoning: number,
  cached: number,
  write5m: number,
  write1h: number,
]

/** The JSON objects of an answer: the events of its stream, or its body. */
function objectsOf(recording: Answer): Wire[] {
  const all = allObjectsOf(recording)
  // A few fixtures hold several answers in a row: only the first of them is one request's.
  const end = all.findIndex(({ type }) => type === 'response.completed' || type === 'message_stop')
  return end === -1 ? all : all.slice(0, end + 1)
}

function allObjectsOf({ sse, body }: Answer): Wire[] {
  if (sse === undefined) return typeof body === 'object' && body !== null ? [body as Wire] : []
  const found: Wire[] = []
  for (const line of sse.split(/\r\n|\n|\r/)) {
    if (!line.startsWith('data:') || !line.includes('{')) continue
    found.push(JSON.parse(line.slice(5)) as Wire)
  }
  return found
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Wire | null | undefined)?.[key], value)

/** The count at any of the paths, the largest where there are several; 0 where there is none. */
const count = (wire: unknown, ...paths: string[]) =>
  Math.max(0, ...paths.map((path) => Number(at(wire, ...path.split('.')) ?? 0)))

const reportsIn = (recording: Answer, ...paths: string[]) =>
  objectsOf(recording)
    .flatMap((object) => paths.map((path) => at(object, ...path.split('.'))))
    .filter((report) => typeof report === 'object' && report !== null)

function chatBill(recording: Answer): Bill | undefined {
  const last = reportsIn(recording, 'usage', 'x_groq.usage').at(-1)
  if (last === undefined) return undefined
  const prompt = count(last, 'prompt_tokens')
  const cached = count(
    last,
    'prompt_tokens_details.cached_tokens',
    'prompt_cache_hit_tokens',
    'cached_tokens',
    'num_cached_tokens',
  )
  const written = count(last, 'prompt_tokens_details.cache_write_tokens')
  const reasoning = count(last, 'completion_tokens_details.reasoning_tokens')
  // xAI and Google's compatible endpoint leave reasoning out of completion_tokens, not of the total.
  const output = count(last, 'total_tokens') - prompt
  return [prompt - cached - written, output, Math.min(reasoning, output), cached, written, 0]
}

function responsesBill(recording: Answer): Bill | undefined {
  const last = reportsIn(recording, 'usage', 'response.usage').at(-1)
  if (last === undefined) return undefined
  const cached = count(last, 'input_tokens_details.cached_tokens')
  const written = count(last, 'input_tokens_details.cache_write_tokens')
  const input = count(last, 'total_tokens') - count(last, 'output_tokens') - cached - written
  const reasoning = count(last, 'output_tokens_details.reasoning_tokens')
  return [input, count(last, 'output_tokens'), reasoning, cached, written, 0]
}

function messagesBill(recording: Answer): Bill | undefined {
  const reports = reportsIn(recording, 'message.usage', 'usage')
  if (reports.length === 0) return undefined
  const most = (path: string) => Math.max(...reports.map((report) => count(report, path)))
  const iterations = reports.flatMap((report) => (at(report, 'iterations') ?? []) as Wire[])
  const ours = iterations.filter(({ type }) => type !== 'advisor_message')
  const thinking = most('output_tokens_details.thinking_tokens')
  const cached = most('cache_read_input_tokens')
  const life5m = most('cache_creation.ephemeral_5m_input_tokens')
  const life1h = most('cache_creation.ephemeral_1h_input_tokens')
  const written = most('cache_creation_input_tokens')
  // A split in the first event only does not know of what was written later: that lives 5 minutes.
  const late = Math.max(0, written - life5m - life1h)
  if (ours.some(({ type }) => type === 'compaction')) {
    // Top-level counts leave compaction out. The calls to this model are the whole bill.
    const sum = (path: string) => ours.reduce((total, call) => total + count(call, path), 0)
    return [sum('input_tokens'), sum('output_tokens'), thinking, cached, life5m, life1h]
  }
  return [most('input_tokens'), most('output_tokens'), thinking, cached, life5m + late, life1h]
}

function geminiBill(recording: Answer): Bill | undefined {
  const reports = reportsIn(recording, 'usageMetadata').filter(
    (report) => at(report, 'promptTokenCount') !== undefined,
  )
  if (reports.length === 0) return undefined
  const most = (path: string) => Math.max(...reports.map((report) => count(report, path)))
  const cached = most('cachedContentTokenCount')
  const thoughts = most('thoughtsTokenCount')
  const input = most('promptTokenCount') - cached + most('toolUsePromptTokenCount')
  return [input, most('candidatesTokenCount') + thoughts, thoughts, cached, 0, 0]
}

function embeddingsBill(recording: Answer): Bill | undefined {
  const input = count(
    recording.body,
    'usage.prompt_tokens',
    'usage.total_tokens',
    'usageMetadata.promptTokenCount',
  )
  return input === 0 ? undefined : [input, 0, 0, 0, 0, 0]
}

const bills: Record<string, (recording: Answer) => Bill | undefined> = {
  chat: chatBill,
  responses: responsesBill,
  messages: messagesBill,
  gemini: geminiBill,
  embeddings: embeddingsBill,
  images: () => undefined,
}

/** What a recorded answer says it used; undefined when it says nothing. */
export const recordedBill = (recording: Answer): Bill | undefined =>
  bills[recording.protocol]?.(recording)
