import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The ids of the items of an input. */
export interface ItemIds {
  /** Of those that have nothing of their own: the vendor puts in their place what it keeps. */
  readonly references: readonly string[]
  /** Of those that are sent whole. */
  readonly whole: readonly string[]
}

/** Parts the items of an input that have an id by whether the vendor has to know them. */
export function itemIdsIn(body: JsonObject): ItemIds {
  const references: string[] = []
  const whole: string[] = []
  for (const item of arrayIn(body, 'input')) {
    const id = isJsonObject(item) ? stringIn(item, 'id') : undefined
    if (id !== undefined) (isReference(item as JsonObject) ? references : whole).push(id)
  }
  return { references, whole }
}

/** The id of an item that stands for one that its vendor keeps; undefined: it is none of these. */
export function referenceId(item: JsonObject): string | undefined {
  const id = stringIn(item, 'id')
  return id !== undefined && isReference(item) ? id : undefined
}

/**
 * Whether an item stands for one that its vendor keeps. A reference may come without its type, and an
 * item of any type may be sent by its id alone.
 */
function isReference(item: JsonObject): boolean {
  const type = stringIn(item, 'type')
  if (type === 'item_reference') return true
  if (type === undefined) return isEmpty(item.role) || isEmpty(item.content)
  const content = contents.get(type)
  if (content) return content.every((field) => isEmpty(item[field]))
  for (const field in item) if (!labels.has(field) && !isEmpty(item[field])) return false
  return true
}

/** Where the content is of items that have fields beside it which say something about it alone. */
const contents = new Map([
  ['message', ['content']],
  ['reasoning', ['summary', 'content', 'encrypted_content']],
  ['image_generation_call', ['result']],
  ['compaction', ['encrypted_content']],
  ['code_interpreter_call', ['code', 'outputs']],
  ['file_search_call', ['queries', 'results']],
])

/** Fields that are no content, whatever the type. */
const labels = new Set(['id', 'type', 'status', 'role', 'phase', 'created_by'])

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return (value ?? '') === ''
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
