import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { readHead, takeChunks } from '../http-bytes.ts'

/** The head of a request as it came by its connection. */
export interface RequestHead {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Headers
}

/** A request as a fault upstream received it. */
export interface FaultRequest extends RequestHead {
  /** Empty where it is answered before its body is read. */
  readonly body: Buffer
  readonly text: string
  /** The protocol that it is asked in; undefined: none that is known. */
  readonly protocol: ProtocolName | undefined
  readonly model: string | undefined
  readonly isStreamed: boolean
  /** Which connection it came by, in their order from 0, and which request on it. */
  readonly connection: number
  readonly turn: number
}

type Found = (head: RequestHead, body: Buffer) => void

/** Finds requests in the bytes of a connection: give it each piece as it comes. */
export function createRequestReader(found: Found): (piece: Buffer) => void {
  let held: Buffer[] = []
  let size = 0
  let needed = 1
  return (piece) => {
    held.push(piece)
    size += piece.length
    while (size >= needed) {
      const bytes = Buffer.concat(held)
      const next = takeRequest(bytes, found)
      held = [bytes.subarray(next.taken)]
      size = bytes.length - next.taken
      needed = next.needed
    }
  }
}

/** Finds the head of a request alone: nothing that follows is read. */
export function createHeadReader(found: Found): (piece: Buffer) => void {
  let waiting: Buffer | undefined = Buffer.alloc(0)
  return (piece) => {
    if (waiting === undefined) return
    waiting = Buffer.concat([waiting, piece])
    const head = takeHead(waiting)?.head
    if (head === undefined) return
    waiting = undefined
    found(head, Buffer.alloc(0))
  }
}

/** How many bytes were used up, and how many there must be before it is worth another look. */
function takeRequest(bytes: Buffer, found: Found) {
  const start = takeHead(bytes)
  if (start === undefined) return { taken: 0, needed: bytes.length + 1 }
  const { head, size } = start
  if (/chunked/i.test(head.headers.get('transfer-encoding') ?? '')) {
    const content = takeChunks(bytes, size)
    if (content === undefined) return { taken: 0, needed: bytes.length + 1 }
    found(head, content.body)
    return { taken: content.end, needed: 1 }
  }
  const end = size + Number(head.headers.get('content-length') ?? 0)
  if (bytes.length < end) return { taken: 0, needed: end }
  found(head, bytes.subarray(size, end))
  return { taken: end, needed: 1 }
}

/** The first head of the bytes, and where it ends; undefined: it is not whole yet. */
function takeHead(
  bytes: Buffer,
): { readonly head: RequestHead; readonly size: number } | undefined {
  const found = readHead(bytes)
  if (found === undefined) return undefined
  const { first, headers, size } = found
  const [method = '', path = ''] = first.split(' ')
  return { head: { method, path, headers }, size }
}

/** What a request asks for, read off its path and its body. */
export function describeRequest(
  head: RequestHead,
  body: Buffer,
  place: { readonly connection: number; readonly turn: number },
): FaultRequest {
  const text = body.toString()
  const named = /\/models\/([^/:?]+):/.exec(head.path)?.[1]
  const model = named ?? /"model"\s*:\s*"([^"]*)"/.exec(text)?.[1]
  const isStreamed = /:streamGenerateContent\b/.test(head.path) || /"stream"\s*:\s*true/.test(text)
  const protocol = protocolOf(head.path)
  return { ...head, ...place, body, text, protocol, model, isStreamed }
}

const endings: readonly (readonly [RegExp, ProtocolName])[] = [
  [/\/chat\/completions$/, 'chat'],
  [/\/responses$/, 'responses'],
  [/\/messages$/, 'messages'],
  [/:(streamG|g)enerateContent$/, 'gemini'],
]

function protocolOf(path: string): ProtocolName | undefined {
  const plain = path.replace(/\?.*$/, '')
  return endings.find(([ending]) => ending.test(plain))?.[1]
}
