import { isWholeStream } from './answers.ts'
import type { Bench, BenchCase } from './bench.ts'
import { measureOwn, measureRequests } from './measure.ts'
import { chatPath, type RequestName, requests } from './requests.ts'
import { measureInRounds } from './rounds.ts'
import type { Subject } from './subjects.ts'
import { type Comparison, summarise } from './summary.ts'
import { writeScript } from './wrk.ts'

const others = ['nginx', 'bare', 'portkey'] as const

interface LoadCase {
  readonly name: string
  readonly title: string
  readonly isQuick?: boolean
  readonly connections: number
  readonly request: RequestName
}

/** Small and large requests, as many as are answered. */
export const requestCases: readonly BenchCase[] = [
  { name: 'json-1', title: 'small JSON, 1 connection', connections: 1, isQuick: true },
  { name: 'json-64', title: 'small JSON, 64 connections', connections: 64, isQuick: true },
  { name: 'json-512', title: 'small JSON, 512 connections', connections: 512 },
  {
    ...{ name: 'prompt-400k', title: '400 KB prompt, 16 connections', connections: 16 },
    ...{ request: 'long' as const, isQuick: true },
  },
  {
    ...{ name: 'images-4m', title: '4 MB prompt with images, 4 connections', connections: 4 },
    request: 'images' as const,
  },
].map((one) => requestCase({ request: 'small', ...one }))

function requestCase({ connections, request, ...about }: LoadCase): BenchCase {
  const body = requests[request]
  const bodyBytes = request === 'small' ? 0 : body.length
  const comparison: Comparison = {
    figure: bodyBytes > 0 ? 'mbPerSecond' : 'perSecond',
    with: others,
  }
  return {
    ...about,
    async run(bench) {
      const subjects = await subjectsOf(bench, 'constant')
      const measured = await measureInRounds(bench, subjects, (subject, seconds) => {
        const script = bench.place.folder.join(`${subject.name}-${about.name}.lua`)
        writeScript(script, { headers: subject.headers, body })
        const options = { connections, seconds, script, path: chatPath, bodyBytes }
        return measureRequests(bench.client, subject, options)
      })
      return summarise({ title: about.title, counts: 'requests', comparison }, measured)
    },
  }
}

/** Streams of 200 events, each begun anew as soon as it has ended. */
export const streamCases: readonly BenchCase[] = [
  { name: 'streams-1', title: 'streams of 200 events, 1 at once', connections: 1 },
  {
    name: 'streams-64',
    title: 'streams of 200 events, 64 at once',
    connections: 64,
    isQuick: true,
  },
  { name: 'streams-1000', title: 'streams of 200 events, 1,000 at once', connections: 1000 },
].map((one) => streamCase({ request: 'stream', ...one }))

function streamCase({ connections, request, ...about }: LoadCase): BenchCase {
  const body = requests[request]
  const comparison: Comparison = { figure: 'perSecond', with: others }
  return {
    ...about,
    async run(bench) {
      const subjects = await subjectsOf(bench, 'streams')
      const measured = await measureInRounds(bench, subjects, async (subject, seconds) => {
        await requireWholeStream(subject, body)
        return measureOwn(bench.client, subject, { connections, seconds, body })
      })
      return summarise({ title: about.title, counts: 'events', comparison }, measured)
    },
  }
}

/** Since later on ends of events are counted, and no more. */
async function requireWholeStream({ name, url, headers }: Subject, body: string): Promise<void> {
  const answer = await fetch(url + chatPath, { method: 'POST', headers, body, proxy: false })
  const text = await answer.text()
  if (!isWholeStream(text)) throw new Error(`${name} gives no whole stream: ${text.slice(-500)}`)
}

/** Those that are there. */
async function subjectsOf(bench: Bench, upstream: 'constant' | 'streams'): Promise<Subject[]> {
  const found: Subject[] = []
  for (const name of bench.options.subjects) {
    const subject = await bench.subject(name, upstream)
    if (subject !== undefined) found.push(subject)
  }
  return found
}
