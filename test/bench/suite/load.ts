import type { Socket } from 'bun'
import { createHistogram } from '../streams/histogram.ts'
import { answerQuestions } from '../streams/part.ts'
import { nowUs } from '../streams/wire.ts'
import { createAnswerReader } from './answer-reader.ts'

/**
 * A client that asks the same again and again: each connection anew as soon as it has its answer,
 * or all of them together so many times a second, whether there are answers or not.
 */
interface Connection {
  readonly reader: ReturnType<typeof createAnswerReader>
  /** When its request was due; undefined while it has none. */
  dueUs: number | undefined
  /** Events that are counted already. */
  counted: number
}

interface Begin {
  readonly port: number
  /** A whole request, as it is sent. */
  readonly request: string
  readonly connections: number
  /** Requests a second of all connections; undefined: as many as are answered. */
  readonly rate?: number
}

let plan: Begin = { port: 0, request: '', connections: 0 }
let isEnding = false
let timer: ReturnType<typeof setInterval> | undefined
const open = new Set<Socket<Connection>>()
/** Connections without a request, and due times of requests without a connection. */
const idle: Socket<Connection>[] = []
const waiting: number[] = []

const firsts = createHistogram()
const wholes = createHistogram()
let counts = emptyCounts()
let sinceTick = performance.now()

function emptyCounts() {
  return { answers: 0, events: 0, failed: 0 }
}

function ask(socket: Socket<Connection>, dueUs: number): void {
  socket.data.dueUs = dueUs
  socket.data.counted = 0
  socket.data.reader.clear()
  socket.write(plan.request)
}

function onData(socket: Socket<Connection>, bytes: Uint8Array): void {
  const connection = socket.data
  const { reader, dueUs = 0 } = connection
  const isFirst = reader.status() === 0
  const isWhole = reader.push(bytes)
  const events = reader.events()
  counts.events += events - connection.counted
  connection.counted = events
  if (isFirst) firsts.add(nowUs() - dueUs)
  if (!isWhole) return
  counts.answers++
  if (reader.status() !== 200) counts.failed++
  wholes.add(nowUs() - dueUs)
  connection.dueUs = undefined
  goOn(socket)
}

function goOn(socket: Socket<Connection>): void {
  if (isEnding) {
    socket.end()
    return
  }
  const dueUs = plan.rate === undefined ? nowUs() : waiting.shift()
  if (dueUs === undefined) idle.push(socket)
  else ask(socket, dueUs)
}

async function connect(): Promise<void> {
  const socket = await Bun.connect<Connection>({
    hostname: '127.0.0.1',
    port: plan.port,
    data: { reader: createAnswerReader(), dueUs: undefined, counted: 0 },
    socket: {
      data: onData,
      close(socket) {
        open.delete(socket)
        if (socket.data.dueUs !== undefined) counts.failed++
      },
      error() {},
    },
  })
  open.add(socket)
  goOn(socket)
}

/**
 * Makes requests due by a fixed schedule, and counts from then: neither a slow subject nor a halt of this process
 * makes a request late that is not counted as late.
 */
function startTimer(rate: number): void {
  const startedUs = nowUs()
  let made = 0
  timer = setInterval(() => {
    const due = ((nowUs() - startedUs) * rate) / 1e6
    for (; made < due; made++) {
      const dueUs = startedUs + (made * 1e6) / rate
      const socket = idle.pop()
      if (socket === undefined) waiting.push(dueUs)
      else ask(socket, dueUs)
    }
  }, 1)
}

const questions = {
  /** Opens the connections and begins to ask. */
  begin: async (begin: Begin) => {
    plan = begin
    isEnding = false
    for (let at = 0; at < begin.connections; at++) await connect()
    if (begin.rate !== undefined) startTimer(begin.rate)
  },
  /** What came since it was asked the last time. */
  stats: () => {
    const tick = performance.now()
    const { percentile: first } = firsts
    const { percentile: whole } = wholes
    const seen = {
      ...counts,
      seconds: (tick - sinceTick) / 1000,
      firstMs: { p50: first(0.5), p90: first(0.9), p99: first(0.99) },
      wholeMs: { p50: whole(0.5), p90: whole(0.9), p99: whole(0.99) },
    }
    counts = emptyCounts()
    firsts.clear()
    wholes.clear()
    sinceTick = performance.now()
    return seen
  },
  /** Lets what is under way end, and closes the connections. */
  end: async () => {
    isEnding = true
    clearInterval(timer)
    waiting.length = 0
    for (const socket of idle.splice(0)) socket.end()
    const end = performance.now() + 20_000
    while (open.size > 0 && performance.now() < end) await Bun.sleep(10)
    for (const socket of open) socket.terminate()
  },
}
export type LoadQuestions = typeof questions

answerQuestions(questions)
