import { arrayIn, isJsonObject } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** What stands between the parts of a summary, once they are one text. */
export const summarySeparator = '\n\n'

/** The text of a reasoning item: its summary, or else the reasoning itself, which some vendors show. */
export function reasoningText(item: JsonObject): string {
  const summary = textsIn(item, 'summary').filter(Boolean)
  const texts = summary.length > 0 ? summary : textsIn(item, 'content').filter(Boolean)
  return texts.join(summarySeparator)
}

/** The texts of a list of parts, each at its place. */
export function textsIn(item: JsonObject, key: 'summary' | 'content'): string[] {
  return arrayIn(item, key).map((part) =>
    isJsonObject(part) && typeof part.text === 'string' ? part.text : '',
  )
}
