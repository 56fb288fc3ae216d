import { createJsonArraySplitter } from '../protocols/gemini/json-array.ts'
import { createSseSplitter } from '../protocols/sse.ts'
import type { ByteReader } from './byte-reader.ts'
import type { Route } from './options.ts'
import type { Watch } from './watchdog.ts'

/** A stream whose beginning was looked at: nothing of it is lost. */
interface Opening {
  readonly first: Uint8Array
  readonly reader: ByteReader
}

/** A stream that began with an error, and what it says it used. */
interface FailedOpening {
  readonly usageRaw: unknown
}

/** So long the first words of an answer are waited for, behind what announces them. */
const patienceMs = 300

/**
 * Looks at the beginning of a stream while another channel could still be asked: an upstream may
 * answer 200, announce an answer, and then fail. As soon as something of the answer is there, or
 * soon after the first bytes, the stream is taken.
 */
export async function readOpening(
  first: Uint8Array,
  reader: ByteReader,
  { operation, framing }: Route,
  watch: Watch,
): Promise<Opening | FailedOpening> {
  const splitter = framing === 'sse' ? createSseSplitter() : createJsonArraySplitter()
  const observer = operation.createObserver()
  const { seen } = observer
  const chunks = [first]
  const look = (chunk: Uint8Array) => {
    for (const { data, event } of splitter.push(chunk).frames) observer.push(data, event)
  }
  look(first)
  const until = performance.now() + patienceMs
  let pending: ReturnType<ByteReader['read']> | undefined
  while (seen.outcome === undefined && seen.text.length === 0) {
    pending = reader.read()
    pending.catch(() => {}) // whoever takes the stream over reads it again
    const read = await Promise.race([pending, Bun.sleep(Math.max(0, until - performance.now()))])
    if (read === undefined) break
    watch.touched()
    pending = undefined
    if (read.done) break
    chunks.push(read.value)
    look(read.value)
  }
  if (seen.outcome === 'failed' && seen.text.length === 0) return { usageRaw: seen.usageRaw }
  return { first: Buffer.concat(chunks), reader: resumed(reader, pending) }
}

/** A reader that gives first what is already being read. */
function resumed(
  reader: ByteReader,
  pending: ReturnType<ByteReader['read']> | undefined,
): ByteReader {
  let waiting = pending
  return {
    read() {
      const read = waiting ?? reader.read()
      waiting = undefined
      return read
    },
    cancel: () => reader.cancel(),
  }
}
