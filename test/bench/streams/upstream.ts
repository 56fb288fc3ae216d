import type { Socket } from 'bun'
import { answerQuestions } from './part.ts'
import { closing, createEventWriter, nowUs, opening } from './wire.ts'

/**
 * The upstream of the measurement: says the same to all streams, each as often as it is told, from
 * one timer. Streams are spread over slots, so that they do not all speak in the same moment.
 */
const slotCount = 64
/** Later than this, the schedule is moved: what was due before is not sent. */
const latestMs = 500

interface Stream {
  readonly slot: number
  /** Of the request, as far as it has come. */
  head: string
  isSpeaking: boolean
  /** What the socket did not take yet. */
  waiting: Uint8Array[]
}

const slots = Array.from({ length: slotCount }, () => new Set<Socket<Stream>>())
const rounds = new Int32Array(slotCount)
const write = createEventWriter()
let joined = 0
let rate = 0
let isFinishing = false
/** The step that is due next, and when the first one was. */
let step = 0
let startedMs = 0
let stats = emptyStats()

function emptyStats() {
  return { sent: 0, heldBack: 0, moved: 0, latestMs: 0 }
}

function send(socket: Socket<Stream>, bytes: Uint8Array): void {
  const { waiting } = socket.data
  const taken = waiting.length > 0 ? 0 : Math.max(socket.write(bytes), 0)
  if (taken === bytes.length) return
  stats.heldBack++
  waiting.push(Uint8Array.prototype.slice.call(bytes, taken))
}

function flush(socket: Socket<Stream>): void {
  const { waiting } = socket.data
  for (let bytes = waiting[0]; bytes !== undefined; bytes = waiting[0]) {
    const taken = Math.max(socket.write(bytes), 0)
    if (taken < bytes.length) {
      waiting[0] = bytes.subarray(taken)
      return
    }
    waiting.shift()
  }
}

/** One event, or the end, for all streams of a slot. */
function speak(slot: number): void {
  const streams = slots[slot] ?? new Set()
  if (isFinishing) {
    for (const socket of streams) {
      send(socket, closing)
      socket.data.isSpeaking = false
    }
    streams.clear()
    return
  }
  const number = (rounds[slot] ?? 0) + 1
  rounds[slot] = number
  const bytes = write(number, nowUs())
  for (const socket of streams) send(socket, bytes)
  stats.sent += streams.size
}

function onTimer(): void {
  if (rate === 0) return
  const now = performance.now()
  const stepMs = 1000 / (rate * slotCount)
  const lateMs = now - (startedMs + step * stepMs)
  if (lateMs > latestMs) {
    stats.moved++
    startedMs += lateMs
  }
  if (lateMs > stats.latestMs) stats.latestMs = lateMs
  for (const due = (now - startedMs) / stepMs; step <= due; step++) speak(step % slotCount)
}

function setRate(perSecond: number): void {
  rate = perSecond
  startedMs = performance.now()
  step = 0
  stats = emptyStats()
}

const server = Bun.listen<Stream>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open(socket) {
      socket.data = { slot: joined++ % slotCount, head: '', isSpeaking: false, waiting: [] }
      socket.setNoDelay(true)
    },
    data(socket, bytes) {
      const stream = socket.data
      stream.head += bytes.toString('latin1')
      if (!isWhole(stream.head) || stream.isSpeaking) return
      stream.head = ''
      stream.isSpeaking = true
      send(socket, opening)
      slots[stream.slot]?.add(socket)
    },
    drain: flush,
    close(socket) {
      slots[socket.data.slot]?.delete(socket)
    },
    error() {},
  },
})

/** Whether a request has come with all of its body. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? '0'
  return text.length >= end + 4 + Number(length)
}

setInterval(onTimer, 1)

const questions = {
  /** Where it listens. */
  port: () => server.port,
  /** Streams that are open now. */
  open: () => slots.reduce((sum, streams) => sum + streams.size, 0),
  /** From now on each stream gets so many events a second; forgets what it counted. */
  rate: (perSecond: number) => {
    isFinishing = false
    setRate(perSecond)
  },
  /** What it did since the rate was set, or since it was asked the last time. */
  stats: () => {
    const seen = stats
    stats = emptyStats()
    return seen
  },
  /** Ends all streams well, within a second. */
  finish: () => {
    isFinishing = true
    setRate(1)
  },
}
export type UpstreamQuestions = typeof questions

answerQuestions(questions)
