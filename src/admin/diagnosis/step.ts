import type { Note, NoteWord, Step, StepName, Way, WayWord } from './schema.ts'

type Params = Note['params']

/** A step that is being made. */
export interface OpenStep {
  note(word: NoteWord, params?: Params): void
  way(word: WayWord, params?: Params): void
  /** The finding becomes a problem, and its note the first of them. */
  problem(word: NoteWord, params?: Params): void
  readonly problems: readonly NoteWord[]
  /** `explaining`: which problems explain this failure; the one that does becomes the first note. */
  done(result: {
    readonly explaining?: readonly NoteWord[]
    readonly isUnknown?: boolean
    readonly link?: string | null
  }): Step
}

/** Begins a step of a diagnosis. Problems come first among its notes. */
export function openStep(step: StepName): OpenStep {
  const notes: Note[] = []
  const ways: Way[] = []
  const problems: NoteWord[] = []
  return {
    problems,
    note: (word, params = {}) => void notes.push({ word, params }),
    way(word, params = {}) {
      if (!ways.some((known) => known.word === word)) ways.push({ word, params })
    },
    problem(word, params = {}) {
      notes.splice(problems.length, 0, { word, params })
      problems.push(word)
    },
    done({ explaining = [], isUnknown = false, link = null }) {
      const finding = problems.length > 0 ? 'problem' : isUnknown ? 'unknown' : 'ok'
      const place = problems.findIndex((word) => explaining.includes(word))
      notes.unshift(...notes.splice(Math.max(place, 0), 1))
      return { step, finding, explains: place >= 0, notes, ways, link }
    },
  }
}
