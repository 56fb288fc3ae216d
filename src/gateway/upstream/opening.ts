import { createSplitter } from '../../protocols/index.ts'
import type { Frames, JsonObject } from '../../protocols/protocol.ts'
import type { Route } from '../admit/options.ts'
import type { ByteReader } from '../outbound/round-trip.ts'
import { observerOf } from './other-form.ts'
import type { Watch } from './watchdog.ts'

/** A stream whose beginning was read; no byte is lost. */
interface Opening {
  readonly first: Uint8Array
  readonly reader: ByteReader
  readonly failure: FailedOpening | undefined
}

interface FailedOpening {
  readonly usageRaw: unknown
  readonly errorValue: JsonObject | undefined
  /** What broke it off; undefined where it ended, or reported an error. */
  readonly broken?: unknown
}

/** How long to wait for the first words after the events that announce them. */
const patienceMs = 300

/** Reads until something of the answer is there, for at most 300 ms. */
export async function readOpening(
  first: Uint8Array,
  reader: ByteReader,
  route: Route,
  watch: Watch,
): Promise<Opening> {
  const splitter = createSplitter(route.framing)
  const observer = observerOf(route)
  const { seen } = observer
  const chunks = [first]
  const look = ({ frames }: Frames) => {
    for (const { data, event } of frames) observer.push(data, event)
  }
  look(splitter.push(first))
  const patience = Bun.sleep(patienceMs)
  let ending: Ending | undefined
  let pending: Reading | undefined
  while (seen.outcome === undefined && seen.text.length === 0 && ending === undefined) {
    pending = reader.read()
    const next = await readNext(pending, patience)
    if (next === undefined) break
    watch.touched()
    pending = undefined
    if (next instanceof Uint8Array) {
      chunks.push(next)
      look(splitter.push(next))
    } else {
      ending = next
      look(splitter.end())
    }
  }
  const isNothing = seen.text.length === 0
  const hasFailed =
    seen.outcome === 'failed' || (ending !== undefined && seen.outcome === undefined)
  const failure = {
    usageRaw: seen.usageRaw,
    errorValue: observer.errorValue(),
    broken: ending?.error,
  }
  return {
    first: Buffer.concat(chunks),
    reader: resumed(reader, ending?.reading ?? pending),
    failure: isNothing && hasFailed ? failure : undefined,
  }
}

type Reading = ReturnType<ByteReader['read']>

interface Ending {
  readonly reading: Reading
  readonly error: unknown
}

/** The next bytes, or how the stream ended; undefined when the time is over. */
async function readNext(
  reading: Reading,
  patience: Promise<void>,
): Promise<Uint8Array | Ending | undefined> {
  try {
    const read = await Promise.race([reading, patience])
    return read?.done ? { reading, error: undefined } : read?.value
  } catch (error) {
    return { reading, error }
  }
}

function resumed(reader: ByteReader, pending: Reading | undefined): ByteReader {
  pending?.catch(() => {}) // the new owner of the stream reads it again
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
