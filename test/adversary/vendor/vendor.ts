import type { Bill } from '../prices.ts'
import { createDesk, type Desk, type Order } from './desk.ts'
import { type Read, readForm, readJson } from './reader.ts'
import { storedResponse, type WireName, wires } from './wires.ts'
import { doWork, type Job, type Stored, takeJob } from './work.ts'

/** A vendor of all protocols, which keeps its bill. */
export interface Vendor extends AsyncDisposable {
  readonly url: string
  readonly desk: Desk
  /** All that it would ask money for, in the order in which it was begun. */
  readonly bills: readonly Bill[]
  /** Resolves when it works on nothing. */
  rest(): Promise<void>
}

/** The header by which a record's attempt names the vendor's side. */
export const vendorId = (number: number) => `vendor-${number}`

export function startVendor(): Vendor {
  const desk = createDesk()
  const bills: Bill[] = []
  const working = new Set<Promise<void>>()
  const stored = new Map<string, Stored>()
  const jobs = new Map<string, Job>()

  function begin(job: Job, write: (text: string) => void, isOver: () => boolean): Promise<void> {
    bills.push(job.bill)
    const work = doWork(job, wires[job.wire], desk, write, isOver)
    const settled = work.then(
      () => {},
      () => {},
    )
    working.add(settled)
    void settled.then(() => working.delete(settled))
    return work
  }

  function keep(job: Job): void {
    const { bill, order, made } = job
    jobs.set(made.id, job)
    const tokens = () => bill.input + bill.cacheRead + bill.cacheWrite + bill.output
    stored.set(made.id, {
      email: order.email,
      get tokens() {
        return tokens()
      },
    })
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const kept = /^\/v1\/responses\/([^/]+)(\/cancel)?$/.exec(url.pathname)
    if (kept?.[1] && !kept[1].includes('compact')) return onStored(request.method, kept[1])
    const target = targetOf(url)
    if (target === undefined) return refuse(404, `There is no ${url.pathname}`)
    const text = await request.text()
    const number = Number(
      text
        .match(/ask-(\d+)/g)
        ?.at(-1)
        ?.slice(4),
    )
    const known = desk.order(number)
    const order = known && { ...known, words: known.words + wordsBefore(text, number) }
    if (order === undefined) return refuse(400, 'The vendor knows no such request')
    const type = request.headers.get('content-type') ?? ''
    const read = type.startsWith('multipart/') ? readForm(text, type) : readJson(text)
    if (read === undefined) return refuse(400, 'The body is broken')
    if (order.plan.fails !== undefined) return refuse(order.plan.fails, 'As it was told to', number)
    return serve(request, target, order, read)
  }

  function serve(
    request: Request,
    target: Target,
    order: Order,
    read: Read,
  ): Response | Promise<Response> {
    const job = takeJob(target.wire, order, read, target, stored)
    if (target.wire === 'responses' ? read.body.store !== false : target.wire === 'messages')
      keep(job)
    const headers = { 'x-request-id': vendorId(order.number), 'request-id': vendorId(order.number) }
    const isOver = () => request.signal.aborted && !job.made.isBackground
    if (job.isStream) return streamed(job, headers, isOver)
    if (job.made.isBackground) {
      void begin(job, () => {}, isOver).catch(() => {})
      return Response.json(storedResponse(job.made, 'queued'), { headers })
    }
    return whole(job, headers, isOver)
  }

  async function whole(
    job: Job,
    headers: Record<string, string>,
    isOver: () => boolean,
  ): Promise<Response> {
    try {
      await begin(job, () => {}, isOver)
    } catch {
      // What was made is billed, whoever is told of it.
      return refuse(500, 'The vendor broke off')
    }
    return Response.json(wires[job.wire].whole(job.made), { headers })
  }

  function streamed(job: Job, headers: Record<string, string>, isOver: () => boolean): Response {
    let isClosed = false
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const write = (text: string) => {
          if (!isClosed && text !== '') controller.enqueue(encoder.encode(text))
        }
        const close = (isBroken: boolean) => {
          if (isClosed) return
          isClosed = true
          // Without a reason: Bun would print it.
          if (isBroken) controller.error()
          else controller.close()
        }
        const isDone = () => isOver() || (isClosed && !job.made.isBackground)
        begin(job, write, isDone).then(
          () => close(false),
          () => close(true),
        )
      },
      cancel() {
        isClosed = true
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream', ...headers } })
  }

  function onStored(method: string, id: string): Response {
    const job = jobs.get(id)
    if (job === undefined) return refuse(404, `There is no response ${id}`)
    if (method === 'DELETE') {
      jobs.delete(id)
      stored.delete(id)
      return Response.json({ id, object: 'response', deleted: true })
    }
    const isDone = job.bill.hasEnded
    const status = isDone ? (job.made.isCut ? 'incomplete' : 'completed') : 'in_progress'
    const headers = { 'x-request-id': vendorId(job.order.number) }
    return Response.json(storedResponse(job.made, status), { headers })
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: answer,
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    desk,
    bills,
    async rest() {
      while (working.size > 0) await Promise.all(working)
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
}

function refuse(status: number, message: string, number = 0): Response {
  const error = { type: 'error', error: { type: 'error', message, code: status } }
  return Response.json(error, { status, headers: { 'x-request-id': vendorId(number) } })
}

/** Words of the conversation that is sent along: of earlier questions, and of their answers. */
function wordsBefore(text: string, number: number): number {
  const last = text.lastIndexOf(`ask-${number}`)
  const first = text.search(/ask-\d+/)
  if (first < 0 || text.startsWith(`ask-${number}`, first)) return 0
  return text.slice(first, last).match(/ask-\d+|\bword\b/g)?.length ?? 0
}

interface Target {
  readonly wire: WireName
  readonly model?: string
  readonly stream?: boolean
}

const byPath: { readonly [path: string]: WireName } = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
  '/v1/messages': 'messages',
  '/v1/embeddings': 'embeddings',
  '/v1/images/generations': 'images',
  '/v1/images/edits': 'images',
}

function targetOf({ pathname }: URL): Target | undefined {
  const gemini = /^\/v1(?:beta)?\/models\/([^:]+):(\w+)$/.exec(decodeURIComponent(pathname))
  if (gemini === null) {
    const wire = byPath[pathname]
    return wire === undefined ? undefined : { wire }
  }
  const [, model = '', action = ''] = gemini
  if (action.endsWith('GenerateContent') || action === 'generateContent') {
    return { wire: 'gemini', model, stream: action === 'streamGenerateContent' }
  }
  return action.includes('mbed') ? { wire: 'gemini-embeddings', model, stream: false } : undefined
}
