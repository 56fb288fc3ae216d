import { runWhenIdle } from '../../../src/lib/scheduling.ts'
import { answerQuestions } from '../streams/part.ts'
import { type Person, signIn } from './person.ts'
import { adminQuestions, type Question } from './questions.ts'
import type { Entry } from './scene.ts'

// Somebody who looks at one list or chart after the other, while an export runs: a process of its
// own that gives way to the load, so that it takes nothing from who measures.

runWhenIdle()

let person: Person | undefined
let questions: readonly Question[] = []
let isEnding = false
let thinkMs = 0
let readers: readonly Promise<void>[] = []
let seen = { answers: 0, bytes: 0, maxMs: 0 }

const exported = '/api/v1/admin/requests/export'

async function readLists(who: Person): Promise<void> {
  while (!isEnding) {
    for (const { path, firstOnly } of questions) {
      await Bun.sleep(thinkMs)
      if (isEnding) return
      const { bytes, wholeMs } = await who.ask(path, firstOnly)
      seen = {
        answers: seen.answers + 1,
        bytes: seen.bytes + bytes,
        maxMs: Math.max(seen.maxMs, wholeMs),
      }
    }
  }
}

/** An export of everything is taken as fast as it comes, and left when it has to end. */
async function readFile(who: Person, path: string): Promise<void> {
  const leaving = new AbortController()
  const timer = setInterval(() => isEnding && leaving.abort(), 20)
  try {
    while (!isEnding) {
      const { body } = await who.open(path, leaving.signal)
      for await (const part of body ?? []) seen.bytes += part.length
    }
  } catch (error) {
    if (!isEnding) throw error
  } finally {
    clearInterval(timer)
  }
}

const asked = {
  signIn: async ({ url, entry }: { url: string; entry: Entry }) => {
    person = await signIn(url, entry)
    questions = await adminQuestions(person)
    // What is made at the first use of each is made now.
    for (const { path, firstOnly } of questions) await person.ask(path, firstOnly)
  },
  /** Begins to read, with a rest before each list. */
  begin: ({ restMs }: { restMs: number }) => {
    thinkMs = restMs
    if (person === undefined) throw new Error('sign in first')
    isEnding = false
    seen = { answers: 0, bytes: 0, maxMs: 0 }
    readers = [readLists(person), readFile(person, exported)]
  },
  /** Reads no more; what was read. */
  end: async () => {
    isEnding = true
    await Promise.all(readers)
    return seen
  },
}
export type ReaderQuestions = typeof asked

answerQuestions(asked)
