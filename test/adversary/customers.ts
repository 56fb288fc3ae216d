import { type Earlier, wordsOf, writeAsk } from './bodies.ts'
import type { Ask, Script, Step } from './script.ts'
import type { Vendor } from './vendor/vendor.ts'

/** What came of one request. */
export interface Asked {
  readonly number: number
  readonly email: string
  readonly ask: Ask | undefined
  readonly url: string
  status: number
  requestId: string | undefined
  /** The id by which the answer can be gone on with. */
  answerId: string | undefined
  /** Words of the answer that the customer has got. */
  words: number
  hasLeft: boolean
  /** The beginning of what was answered. */
  text: string
}

/** The people of one run, as they are known to the gateway. */
export interface Person {
  readonly email: string
  readonly key: string
}

export interface Stage {
  readonly vendor: Vendor
  /** Of each node. */
  readonly urls: readonly string[]
  readonly people: readonly Person[]
}

let numbers = 0

/** Plays what the customers of a script do; gives all that they asked. */
export async function playScript(stage: Stage, script: Script): Promise<readonly Asked[]> {
  const all: Asked[] = []
  const kept = new Map<number, Asked>()

  async function play(step: Step): Promise<void> {
    switch (step.do) {
      case 'pause':
        await Bun.sleep(step.ms)
        return
      case 'together':
        await Promise.all(step.steps.map(play))
        return
      case 'ask':
        await many(step.times, () => askOnce(step))
        for (let again = 0; again < (step.again ?? 0); again++) await askOnce(step)
        return
      default:
        await many(step.times, () => onStored(step))
    }
  }

  async function askOnce({ id, by, ask }: Extract<Step, { do: 'ask' }>): Promise<void> {
    const person = stage.people[by]
    const from = ask.after === undefined ? undefined : kept.get(ask.after)
    if (person === undefined || (ask.after !== undefined && from?.answerId === undefined)) return
    const earlier: Earlier | undefined = from?.answerId ? { id: from.answerId } : undefined
    const asked = begin(person, ask)
    kept.set(id, asked)
    await sendAsk(stage, person, asked, ask, earlier)
  }

  async function onStored(step: Extract<Step, { do: 'fetch' | 'delete' }>): Promise<void> {
    const person = stage.people[step.by]
    const id = kept.get(step.of)?.answerId
    if (person === undefined || id === undefined) return
    const asked = begin(person, undefined)
    const method = step.do === 'fetch' ? 'GET' : 'DELETE'
    await send(asked, person, `${asked.url}/v1/responses/${id}`, { method })
  }

  function begin({ email }: Person, ask: Ask | undefined): Asked {
    const number = ++numbers
    const asked: Asked = {
      ...{ number, email, ask, url: stage.urls[number % stage.urls.length] ?? '', status: 0 },
      ...{ requestId: undefined, answerId: undefined, words: 0, hasLeft: false, text: '' },
    }
    all.push(asked)
    return asked
  }

  for (const step of script.steps) await play(step)
  return all
}

const many = async (times: number | undefined, once: () => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: times ?? 1 }, once))
}

async function sendAsk(
  { vendor }: Stage,
  person: Person,
  asked: Asked,
  ask: Ask,
  earlier: Earlier | undefined,
): Promise<void> {
  const { number, email, url } = asked
  const { desk } = vendor
  desk.open({ number, email, words: wordsOf(ask), plan: ask.plan, leave: ask.leave })
  const { path, body, type } = writeAsk(ask, number, earlier)
  const leaving = new AbortController()
  const sent = ask.socket
    ? sendBySocket(asked, person, { url, body, isWarm: ask.socket === 'warm' }, leaving.signal)
    : send(asked, person, url + path, {
        ...{ method: 'POST', body, headers: { 'content-type': type } },
        signal: leaving.signal,
      })
  if (ask.leave === undefined) return sent
  const isReached = await Promise.race([
    desk.reached(number).then(() => true),
    sent.then(() => false),
  ])
  if (!isReached) return desk.left(number) // the vendor would wait for it
  if (ask.leave.reads) await untilQuiet(asked)
  asked.hasLeft = true
  leaving.abort()
  desk.left(number)
  await sent
}

interface SocketAsk {
  readonly url: string
  readonly body: string
  /** A response that generates nothing is asked for first, and gone on with. */
  readonly isWarm: boolean
}

/** One request over a WebSocket of its own. */
async function sendBySocket(
  asked: Asked,
  { key }: Person,
  { url, body, isWarm }: SocketAsk,
  signal: AbortSignal,
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  } as never)
  const over = Promise.withResolvers<void>()
  const create = (more: object) =>
    socket.send(JSON.stringify({ type: 'response.create', ...JSON.parse(body), ...more }))
  let isPrepared = !isWarm
  socket.addEventListener('open', () =>
    create(isPrepared ? {} : { generate: false, input: [], tools: [] }),
  )
  socket.addEventListener('message', ({ data }) => {
    const text = String(data)
    const { type, status, headers } = JSON.parse(text)
    const isEnd = /^(error|response\.(completed|incomplete|failed))$/.test(type)
    if (!isPrepared) {
      if (!isEnd) return
      isPrepared = true
      const previous_response_id = /"id":"(resp_[^"]+)"/.exec(text)?.[1]
      return type === 'error' ? over.resolve() : create({ previous_response_id })
    }
    asked.text += `data: ${text}\n`
    asked.status = status ?? 200
    asked.requestId ??= headers?.['x-request-id']
    asked.answerId ??= /"id":\s*"(resp_[^"]+)"/.exec(text)?.[1]
    if (isEnd) over.resolve()
  })
  socket.addEventListener('close', () => over.resolve())
  socket.addEventListener('error', () => over.resolve())
  signal.addEventListener('abort', () => socket.close())
  await over.promise
  socket.close()
  asked.words = wordsIn(asked.text)
}

/** Responses repeat at the end what their deltas have said. */
function wordsIn(text: string): number {
  const once = text.replace(/^data: .*"type":"response\.(?!output_text\.delta).*$/gm, '')
  return once.match(/word(?= )/g)?.length ?? 0
}

/** What is on its way has arrived when nothing more comes for some turns. */
async function untilQuiet(asked: Asked): Promise<void> {
  for (let quiet = 0, length = -1, turns = 0; quiet < 3 && turns < 20; turns++) {
    quiet = asked.text.length === length && length > 0 ? quiet + 1 : 0
    length = asked.text.length
    await Bun.sleep(2)
  }
}

async function send(
  asked: Asked,
  { key }: Person,
  url: string,
  init: RequestInit & { readonly headers?: Record<string, string> },
): Promise<void> {
  try {
    const response = await fetch(url, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
      keepalive: false,
      proxy: false,
    })
    asked.status = response.status
    asked.requestId = response.headers.get('x-request-id') ?? undefined
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      asked.text += decoder.decode(chunk, { stream: true })
      asked.answerId ??= /"id":\s*"((?:resp|msg)_[^"]+)"/.exec(asked.text)?.[1]
    }
  } catch {
    // The customer has left, or the stream was broken off: what was got counts.
  }
  asked.words = wordsIn(asked.text)
}
