import { isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import type { Path } from '../request-extras.ts'

const systemNames = ['systemInstruction', 'system_instruction']

/**
 * The places of parts without anything in them, which say nothing, and which the vendor refuses ("required oneof
 * field 'data'"): Go's SDK sends one back for a text that was empty. A content of nothing else goes whole; where
 * no other is left they stay, for the vendor to refuse.
 */
export function emptyParts(body: JsonObject): readonly Path[] {
  const { contents } = body
  const list = Array.isArray(contents) ? contents : undefined
  const said = list
    ? list.flatMap((content, index) => emptyIn(content, ['contents', index]))
    : emptyIn(contents, ['contents'])
  const isAll = list
    ? said.filter((path) => path.length === 2).length === list.length
    : said.some((path) => path.length === 1)
  const system = systemNames.flatMap((name) => emptyIn(body[name], [name]))
  return isAll ? system : [...system, ...said]
}

function emptyIn(content: unknown, path: Path): readonly Path[] {
  if (!isJsonObject(content)) return []
  const { parts } = content
  if (!Array.isArray(parts)) return []
  const empty = parts.flatMap((part, index) => (isEmpty(part) ? [index] : []))
  const isWhole = empty.length > 0 && empty.length === parts.length
  return isWhole ? [path] : empty.map((index) => [...path, 'parts', index])
}

const isEmpty = (part: unknown) => isJsonObject(part) && Object.keys(part).length === 0
