import type { JsonObject } from '../../../src/protocols/protocol.ts'
import { checkAnswer, checkError, checkParts, checkUsage, isBlocked } from './gemini-shape.ts'
import { createReport, isCount, parse, type Report, type StreamOptions } from './shared.ts'
import { readSse, readUnnamed } from './sse-frames.ts'

interface Walk {
  readonly report: Report
  /** Reason of each candidate so far; undefined until its last chunk. */
  readonly finishes: Map<number, unknown>
  head: JsonObject | undefined
  last: JsonObject | undefined
  isBlocked: boolean
  hasFailed: boolean
}

/**
 * Violations of a gemini stream, by the vendor's reference "GenerateContentResponse" and the SDK's
 * types. Each chunk is an answer of that shape; nothing but the reason in the last one ends them.
 */
export function validateGemini(text: string, options: StreamOptions = {}): readonly string[] {
  const report = createReport()
  const walk: Walk = {
    report,
    finishes: new Map(),
    head: undefined,
    last: undefined,
    isBlocked: false,
    hasFailed: false,
  }
  const chunks = options.framing === 'json-array' ? readArray(text, report) : readData(text, report)
  for (const [at, chunk] of chunks.entries()) {
    report.at(`chunk ${at}`)
    report.need(!walk.hasFailed, 'after the error')
    if (chunk.error === undefined) readChunk(walk, chunk)
    else {
      walk.hasFailed = true
      checkError(chunk, report)
    }
  }
  report.at('end')
  const isBroken = options.ending === 'error'
  report.need(walk.hasFailed === isBroken, isBroken ? 'no error' : 'the stream has failed')
  if (!isBroken) checkEnd(walk)
  return report.violations
}

function readData(text: string, report: Report): readonly JsonObject[] {
  const chunks: JsonObject[] = []
  // An error may be told once more, bare: earlier libraries for Go and JavaScript raise at that alone.
  const once = text.replace(/(data: (\{"error":.*\})\r\n\r\n)\2\r\n\r\n$/, '$1')
  for (const [at, frame] of readSse(once, report).entries()) {
    report.at(`chunk ${at}`)
    const chunk = readUnnamed(frame, report)
    if (chunk !== undefined) chunks.push(chunk)
  }
  return chunks
}

function readArray(text: string, report: Report): readonly JsonObject[] {
  report.at('framing')
  return report.objects(parse(text), 'the stream')
}

function readChunk(walk: Walk, chunk: JsonObject): void {
  const { report } = walk
  checkAnswer(chunk, report)
  walk.head ??= chunk
  walk.last = chunk
  walk.isBlocked ||= isBlocked(chunk)
  for (const field of ['responseId', 'modelVersion'] as const) {
    report.need(chunk[field] === walk.head[field], `${field} is not the first chunk's`)
  }
  const { candidates = [] } = chunk
  for (const candidate of report.objects(candidates, 'candidates')) readCandidate(walk, candidate)
}

function readCandidate({ report, finishes }: Walk, candidate: JsonObject): void {
  // The vendor leaves 0 out, as its JSON of protocol buffers does with every default.
  const { index = 0, content, finishReason } = candidate
  report.need(isCount(index), `the index of a candidate is ${index}`)
  if (!isCount(index)) return
  report.need(finishes.get(index) === undefined, `candidate ${index} has finished already`)
  finishes.set(index, finishReason)
  if (content !== undefined) checkParts(content, 'streamed', report)
}

function checkEnd({ report, finishes, last, isBlocked }: Walk): void {
  report.need(last !== undefined, 'no chunks')
  // A refused prompt has a reason of its own, and no candidates.
  report.need(isBlocked || finishes.size > 0, 'no candidates')
  report.need(!isBlocked || finishes.size === 0, 'candidates of a refused prompt')
  for (let index = 0; index < finishes.size; index++) {
    report.need(finishes.has(index), `no candidate ${index} of ${finishes.size}`)
  }
  for (const [index, finish] of finishes) {
    report.need(finish !== undefined, `candidate ${index} has no finishReason`)
  }
  const usage = report.object(last?.usageMetadata, 'usageMetadata of the last chunk')
  if (usage !== undefined) checkUsage(usage, isBlocked, report)
}
