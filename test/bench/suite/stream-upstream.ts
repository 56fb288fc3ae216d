import type { Socket } from 'bun'
import { answerQuestions } from '../streams/part.ts'
import { streamsByPath } from './answers.ts'

/**
 * An upstream that streams as fast as it is read: one event of each stream in turn, each in a write
 * of its own, as a model's words come.
 */
interface Stream {
  /** Of the request, as far as it has come. */
  head: string
  events: readonly Buffer[]
  next: number
  /** What the socket did not take yet. */
  rest: Buffer | undefined
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const head =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

/** The first event goes with the head, the last with the end of the answer. */
function asWritten(events: readonly string[]): Buffer[] {
  return events.map((event, at) => {
    const before = at === 0 ? head : ''
    const after = at === events.length - 1 ? '0\r\n\r\n' : ''
    return Buffer.from(before + chunk(event) + after)
  })
}

const streams = new Map(
  Object.entries(streamsByPath).map(([path, events]) => [path, asWritten(events)]),
)
/** On any other path. */
const nothing = [Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')]
const speaking = new Set<Socket<Stream>>()
let isRunning = false

/** Says one event of each stream, again and again while there are any. */
function speak(): void {
  for (const socket of speaking) write(socket)
  isRunning = speaking.size > 0
  if (isRunning) setImmediate(speak)
}

function write(socket: Socket<Stream>): void {
  const stream = socket.data
  const bytes = stream.rest ?? stream.events[stream.next++]
  if (bytes === undefined) {
    speaking.delete(socket)
    return
  }
  const taken = Math.max(socket.write(bytes), 0)
  stream.rest = taken < bytes.length ? bytes.subarray(taken) : undefined
  if (stream.rest !== undefined) speaking.delete(socket) // until it drains
}

function begin(socket: Socket<Stream>): void {
  speaking.add(socket)
  if (isRunning) return
  isRunning = true
  setImmediate(speak)
}

const server = Bun.listen<Stream>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = { head: '', events: [], next: 0, rest: undefined }
      socket.setNoDelay(true)
    },
    data(socket, bytes) {
      const stream = socket.data
      stream.head += bytes.toString('latin1')
      if (!isWhole(stream.head)) return
      stream.events = streams.get(stream.head.split(' ', 2)[1] ?? '') ?? nothing
      stream.head = ''
      stream.next = 0
      begin(socket)
    },
    drain(socket) {
      if (socket.data.rest !== undefined) begin(socket)
    },
    close(socket) {
      speaking.delete(socket)
    },
    error() {},
  },
})

/** Whether a request has come with all of its body. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1]
  if (length !== undefined) return text.length >= end + 4 + Number(length)
  return !/^transfer-encoding:/im.test(text.slice(0, end)) || text.endsWith('0\r\n\r\n')
}

const questions = {
  /** Where it listens. */
  port: () => server.port,
}
export type StreamUpstreamQuestions = typeof questions

answerQuestions(questions)
