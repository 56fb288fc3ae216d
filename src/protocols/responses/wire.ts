import { type Static, Type } from '@sinclair/typebox'
import * as t from '../check.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { Fault, JsonObject } from '../protocol.ts'

const Item = Type.Object(
  { type: t.nullable(t.Name), role: t.nullable(t.Name), content: t.nullable(t.Content) },
  { expected: 'an object' },
)

const Input = Type.Union([t.Text, Type.Array(Item, { expected: 'an array of items' })], {
  expected: 'a string or an array of items',
})

const ResponsesRequest = Type.Object({
  model: t.Name,
  input: t.nullable(Input),
  instructions: t.nullable(Type.Union([t.Text, t.List], { expected: 'a string or an array' })),
  previous_response_id: t.nullable(t.Text),
  conversation: t.nullable(Type.Union([t.Text, t.Bag], { expected: 'a string or an object' })),
  prompt: t.nullable(t.Bag),
  stream: t.nullable(t.Flag),
  stream_options: t.nullable(t.Bag),
  store: t.nullable(t.Flag),
  background: t.nullable(t.Flag),
  max_output_tokens: t.nullable(t.PositiveInteger),
  temperature: t.nullable(t.Num),
  tools: t.nullable(t.List),
})
type ResponsesRequest = Static<typeof ResponsesRequest>

/** The first fault of a request for a response, its compaction or its input count. */
export const checkResponses = t.createCheck(
  ResponsesRequest,
  (body) => t.streamOptionsFault(body) ?? inputFault(body),
)

/** Without input another field must give the model something to answer. */
function inputFault(body: ResponsesRequest): Fault | undefined {
  const starts = [body.input, body.prompt, body.previous_response_id, body.conversation]
  if (starts.some((start) => start !== undefined && start !== null)) return undefined
  return t.missing('input', 'a string or an array of items')
}

/** Splits the ids of input items by whether the vendor must know them. */
export function itemIdsIn(body: JsonObject) {
  const references: string[] = []
  const whole: string[] = []
  for (const item of arrayIn(body, 'input')) {
    const id = isJsonObject(item) ? stringIn(item, 'id') : undefined
    if (id !== undefined) (isReference(item as JsonObject) ? references : whole).push(id)
  }
  return { references, whole }
}

/** The id of an item stored by its vendor; undefined for other items. */
export const referenceId = (item: JsonObject): string | undefined =>
  isReference(item) ? stringIn(item, 'id') : undefined

/** Whether an item refers to a stored one: a reference, or an item sent by its id alone. */
function isReference(item: JsonObject): boolean {
  const type = stringIn(item, 'type')
  if (type === 'item_reference') return true
  if (type === undefined) return isEmpty(item.role) || isEmpty(item.content)
  const content = contents.get(type)
  if (content) return content.every((field) => isEmpty(item[field]))
  for (const field in item) if (!labels.has(field) && !isEmpty(item[field])) return false
  return true
}

/** The content fields of items with other fields about it. */
const contents = new Map([
  ['message', ['content']],
  ['reasoning', ['summary', 'content', 'encrypted_content']],
  ['image_generation_call', ['result']],
  ['compaction', ['encrypted_content']],
  ['code_interpreter_call', ['code', 'outputs']],
  ['file_search_call', ['queries', 'results']],
])

const labels = new Set(['id', 'type', 'status', 'role', 'phase', 'created_by'])

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return (value ?? '') === ''
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}

// Ids of translated responses and their items contain the id of their request.

/** The id of a translated response. */
export const ownResponseId = (requestId: string): string => `resp_${requestId}`

/** The id of one of its items; `prefix` is the vendor's for that type. */
export const ownItemId = (prefix: string, requestId: string, place: number): string =>
  `${prefix}_${requestId}_${place}`

/** The response of an id, or of an item's id; undefined for ids of other origin. */
export function ownResponseOf(id: string): string | undefined {
  const requestId = /^(?:resp_(req_[0-9a-f]{32})|[a-z]{2,3}_(req_[0-9a-f]{32})_\d{1,6})$/.exec(id)
  const found = requestId?.[1] ?? requestId?.[2]
  return found === undefined ? undefined : ownResponseId(found)
}
