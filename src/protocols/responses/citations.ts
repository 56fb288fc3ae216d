import type { Citation, TextPart } from '../canonical/request.ts'
import { countIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'

/** The sources among the annotations of an `output_text`; undefined when there are none. */
export function decodeAnnotations(annotations: unknown): Citation[] | undefined {
  if (!Array.isArray(annotations)) return undefined
  const citations = annotations.filter(isJsonObject).map(decodeAnnotation)
  return citations.length === 0 ? undefined : citations
}

/** One annotation; files of the vendor (`file_citation`, `file_path` …) keep its form. */
export function decodeAnnotation(annotation: JsonObject): Citation {
  const url = stringIn(annotation, 'url')
  if (url === undefined) {
    return { type: 'document', title: stringIn(annotation, 'filename'), raw: annotation }
  }
  const title = stringIn(annotation, 'title')
  const start = countIn(annotation, 'start_index')
  return { type: 'url', url, title, start, end: countIn(annotation, 'end_index') }
}

/**
 * The annotations of a text. A source without a place stands behind all of the text. Places in
 * documents that another vendor told in its own form have no name here, and are left out.
 */
export function encodeCitations({ text, citations }: TextPart): JsonObject[] {
  return (citations ?? []).flatMap((citation): JsonObject[] => {
    if (citation.type === 'document') return ownKinds.has(citation.raw.type) ? [citation.raw] : []
    const { url, title = '', start = 0, end = text.length } = citation
    return [{ type: 'url_citation', url, title, start_index: start, end_index: end }]
  })
}

const ownKinds = new Set<unknown>(['file_citation', 'container_file_citation', 'file_path'])
