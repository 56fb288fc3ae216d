import type { CommandPlace, Value } from '../command-tree.ts'

/**
 * What all shells complete by. They walk over the words before the cursor: where a place has a step for a word, it
 * leads to another place, or makes the next word a value.
 */
export interface CompletionTable {
  readonly steps: readonly Step[]
  readonly places: readonly CompletionPlace[]
}

export interface Step {
  /** The words of the place, separated by spaces; '' is the program itself. */
  readonly at: string
  readonly word: string
  readonly next?: string
  /** Words to choose from, separated by spaces, or one of the marks below. */
  readonly value?: string
}

/** Marks of a value that is a file, or that no shell can guess. */
export const fileMark = '<file>'
export const freeMark = '<free>'

export interface CompletionPlace {
  readonly at: string
  readonly words: readonly { readonly word: string; readonly help: string }[]
  /** Some of its arguments are files. */
  readonly takesFiles: boolean
}

/** The table of all commands. Without a command the options are those of `serve`. */
export function completionTable(tree: readonly CommandPlace[]): CompletionTable {
  const serve = tree.find(({ path }) => path.join(' ') === 'serve')
  const places = tree.map((place) =>
    place.path.length > 0
      ? place
      : { ...place, options: [...new Set([...place.options, ...optionsOfServe(serve, place)])] },
  )
  return { steps: places.flatMap(stepsOf), places: places.map(completionPlace) }
}

const optionsOfServe = (serve: CommandPlace | undefined, program: CommandPlace) => {
  const own = new Set(program.options.flatMap(({ names }) => names))
  return serve?.options.filter(({ names }) => !names.some((name) => own.has(name))) ?? []
}

function stepsOf({ path, commands, options }: CommandPlace): readonly Step[] {
  const at = path.join(' ')
  return [
    ...commands.map(({ name }) => ({ at, word: name, next: [...path, name].join(' ') })),
    ...options.flatMap(({ names, value }) =>
      value === undefined ? [] : names.map((word) => ({ at, word, value: markOf(value) })),
    ),
  ]
}

const markOf = ({ choices, isFile }: Value) =>
  choices.length > 0 ? choices.join(' ') : isFile ? fileMark : freeMark

const completionPlace = ({ path, commands, options, ...place }: CommandPlace): CompletionPlace => ({
  at: path.join(' '),
  words: [
    ...commands.map(({ name, help }) => ({ word: name, help })),
    ...place.arguments.flatMap(({ choices }) => choices.map((word) => ({ word, help: '' }))),
    ...options.flatMap(({ names, help }) => names.map((word) => ({ word, help }))),
  ],
  takesFiles: place.arguments.some((value) => value.isFile),
})
