import type { Note, NoteWord, Step, StepName, Way, WayWord } from './schema.ts'

export type Params = Note['params']

export interface OpenStep {
  note(word: NoteWord, params?: Params): void
  way(word: WayWord, params?: Params): void
  /** Adds a note of what was in order for the request and would refuse it now; without a problem the finding becomes `problem_now`. */
  problemNow(word: NoteWord, params?: Params): void
  /** Adds a note before all others; the step's finding becomes `problem`. */
  problem(word: NoteWord, params?: Params): void
  readonly problems: readonly NoteWord[]
  /** `explaining`: the problems that explain this failure; the first of them becomes the first note. */
  done(result: {
    readonly explaining?: readonly NoteWord[]
    readonly isUnknown?: boolean
    readonly link?: string | null
  }): Step
}

/** Opens a step of a diagnosis. */
export function openStep(step: StepName): OpenStep {
  const notes: Note[] = []
  const ways: Way[] = []
  const problems: NoteWord[] = []
  let isProblemNow = false
  return {
    problems,
    note: (word, params = {}) => void notes.push({ word, params }),
    way: (word, params = {}) => void ways.push({ word, params }),
    problemNow(word, params = {}) {
      notes.push({ word, params })
      isProblemNow = true
    },
    problem(word, params = {}) {
      notes.splice(problems.length, 0, { word, params })
      problems.push(word)
    },
    done({ explaining = [], isUnknown = false, link = null }) {
      const finding = findingOf(problems.length > 0, isUnknown, isProblemNow)
      const place = problems.findIndex((word) => explaining.includes(word))
      notes.unshift(...notes.splice(Math.max(place, 0), 1))
      return { step, finding, explains: place >= 0, notes, ways, link }
    },
  }
}

function findingOf(isProblem: boolean, isUnknown: boolean, isProblemNow: boolean) {
  if (isProblem) return 'problem'
  if (isUnknown) return 'unknown'
  return isProblemNow ? 'problem_now' : 'ok'
}
