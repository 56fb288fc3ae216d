/** What the documentation says about one method of one path. */
export interface Operation {
  readonly tag: Tag
  readonly summary: string
  /** More to know, in sentences. */
  readonly description?: string
  /** It needs no key. */
  readonly isOpen?: true
  /** What stands in the path's `{…}`. */
  readonly parameters?: readonly Parameter[]
  /** Name and meaning of the fields that this protocol needs; all others are passed on. */
  readonly fields?: Readonly<Record<string, Field>>
  /** An example of a body, of `contentType` (JSON where it is left out); undefined: it has none. */
  readonly body?: unknown
  readonly contentType?: string
  /** What is answered, in words and by an example of `answerType` (JSON where it is left out). */
  readonly answer: string
  readonly example?: unknown
  readonly answerType?: string
  /** Name of the published schema that the answer follows. */
  readonly schema?: string
  /** Statuses beside that of the answer and 401, with their cause. */
  readonly others?: Readonly<Record<number, string>>
}

/** An operation with its place. */
export interface PlacedOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** What 401 means wherever a key is needed. */
export const keyRefused = 'The key is missing or not valid, or its balance is used up.'

export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query'
  readonly description: string
  readonly example: string
}

export interface Field {
  readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object'
  readonly isRequired: boolean
  readonly description: string
}

/** The documentation's chapters, in their order. */
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

/** Shorthand for fields. */
export const required = (type: Field['type'], description: string): Field => ({
  type,
  isRequired: true,
  description,
})
/** Shorthand for fields that may be left out. */
export const optional = (type: Field['type'], description: string): Field => ({
  type,
  isRequired: false,
  description,
})
