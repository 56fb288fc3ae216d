import { KindGuard, type TSchema } from '@sinclair/typebox'

/** The description of one method of one path. */
export interface Operation {
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly isOpen?: true
  readonly parameters?: readonly Parameter[]
  /** Meanings of fields that differ here, or that no schema has. */
  readonly fields?: { readonly [name: string]: string }
  /** An example of a body of `contentType` (default: JSON); undefined: none. */
  readonly body?: unknown
  readonly contentType?: string
  /** The answer in words, and by an example of `answerType` (default: JSON). */
  readonly answer: string
  readonly example?: unknown
  readonly answerType?: string
  readonly schema?: string
  /** Further statuses with their cause, besides 401. */
  readonly others?: { readonly [status: number]: string }
}

export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query'
  readonly description: string
  readonly example: string
}

export type Operations = Readonly<Record<string, Operation>>

/** An operation with its place, and the schema of its requests. */
export interface PlacedOperation {
  readonly method: string
  readonly path: string
  readonly operationId: string
  readonly operation: Operation
  readonly request?: TSchema | undefined
}

/** Operations of one chapter. */
export const chapter = (
  tag: Tag,
  operations: Readonly<Record<string, Omit<Operation, 'tag'>>>,
): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, one]) => [name, { tag, ...one }]))

export const keyRefused = 'The key is missing or not valid, or its balance is used up.'

/** The documentation's chapters, in order. */
export const tags = {
  'Chat completions': 'Base address for clients: this address and /v1.',
  Responses: 'Base address for clients: this address and /v1.',
  Messages: 'Base address for clients: this address without /v1.',
  Gemini: 'Base address for clients: this address; /v1 works instead of /v1beta, too.',
  Models: 'What can be called.',
  Account: 'What a key has spent.',
  Prices: 'What everything costs. Open to all; programs fetch it, pages of other sites can not.',
  Site: 'Settings of this site, schemas, a sign of life. Open to all.',
} as const
export type Tag = keyof typeof tags

const fieldMeanings: Operation['fields'] = {
  model: 'Model id, spelt as GET /v1/models lists it.',
  messages: 'The conversation: role and content of each turn.',
  contents: 'The conversation: role and parts of each turn.',
  input: 'The prompt, or a list of items.',
  prompt: 'The text.',
  system: 'Instructions for the model.',
  instructions: 'Instructions for the model.',
  stream: 'true: server-sent events while the answer is made.',
  max_tokens: 'Longest answer, in tokens; at least 1.',
  max_completion_tokens: 'Longest answer, in tokens; at least 1.',
  max_output_tokens: 'Longest answer, in tokens; at least 1.',
  generationConfig: 'Temperature, longest answer, shape of the answer.',
  n: 'How many answers, or images.',
  tools: 'Functions and other tools that the model may call.',
  previous_response_id: 'Continues a response that this token got.',
}

interface Field {
  readonly name: string
  /** Undefined: passed on unchecked. */
  readonly schema: TSchema | undefined
  readonly isRequired: boolean
  readonly description: string
}

/** The fields with a meaning here, checked ones first. */
export function fieldsOf({
  operation,
  request,
}: Pick<PlacedOperation, 'operation' | 'request'>): Field[] {
  const meanings: Operation['fields'] = { ...fieldMeanings, ...operation.fields }
  const checked: { readonly [name: string]: TSchema } = request?.properties ?? {}
  const names = new Set([...Object.keys(checked), ...Object.keys(operation.fields ?? {})])
  return [...names].flatMap((name) => {
    const description = meanings[name]
    if (description === undefined) return []
    const isRequired = request?.required?.includes(name) ?? false
    return [{ name, schema: checked[name], isRequired, description }]
  })
}

/** The types of a schema: `string or array`. */
export function typeName(schema: TSchema): string {
  if (!KindGuard.IsUnion(schema)) return String(schema.type)
  const names = schema.anyOf.map(typeName).filter((name) => name !== 'null')
  return [...new Set(names)].join(' or ')
}
