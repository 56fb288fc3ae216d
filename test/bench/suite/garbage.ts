import { readFileSync, statSync } from 'node:fs'

/** What a program's collector has gathered. */
export interface Garbage {
  readonly gatheredKb: number
  readonly collections: number
  readonly longestPauseMs: number
}

/** A line of the runtime with `BUN_JSC_logGC=1`: its heap before and after a collection, and the pause. */
const collection = /START \w+ (\d+)kb .*=> (\d+)kb, p=([\d.]+)ms/g

/** Watches the lines that a collector writes into a file from now on; gives what they tell. */
export function gatheredGarbage(file: string): () => Garbage {
  const begun = statSync(file).size
  return () => readGarbage(readFileSync(file).toString('latin1', begun))
}

/** What such lines tell together. */
export function readGarbage(text: string): Garbage {
  let [gatheredKb, collections, longestPauseMs] = [0, 0, 0]
  for (const [, before, after, pauseMs] of text.matchAll(collection)) {
    gatheredKb += Number(before) - Number(after)
    collections++
    longestPauseMs = Math.max(longestPauseMs, Number(pauseMs))
  }
  return { gatheredKb, collections, longestPauseMs }
}
