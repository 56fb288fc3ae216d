import { type Modality, modalities } from '../../catalog/model-abilities.ts'

export const sortKeys = [
  ...(['name', 'vendor', 'context', 'input', 'cached'] as const),
  ...(['output', 'list', 'saving', 'now'] as const),
] as const
export type SortKey = (typeof sortKeys)[number]

/** The least context lengths that can be asked for, in LLM tokens. */
export const contextSteps = [32_000, 128_000, 200_000, 1_000_000] as const

/** What a reader asked for; '' and null: anything. */
export interface ModelQuery {
  readonly q: string
  readonly vendor: string
  readonly group: string
  /** Taken or made besides text. */
  readonly modality: Modality | null
  /** The least context window, in LLM tokens. */
  readonly context: number | null
  readonly sort: SortKey
  readonly isDescending: boolean
  /** From 1. */
  readonly page: number
}

export const plainQuery: ModelQuery = {
  ...{ q: '', vendor: '', group: '', modality: null, context: null },
  ...{ sort: 'name', isDescending: false, page: 1 },
}

const mostLetters = 100

/** Reads `?q=&vendor=&group=&modality=&context=&sort=&page=`; what is wrong or unknown is left out. */
export function readQuery(parameters: URLSearchParams): ModelQuery {
  const text = (name: string) => (parameters.get(name) ?? '').trim().slice(0, mostLetters)
  const sorted = text('sort')
  const bare = sorted.replace(/^-/, '')
  const page = Number(text('page'))
  return {
    q: text('q'),
    vendor: text('vendor'),
    // A group's name may be longer, and may begin with a space.
    group: (parameters.get('group') ?? '').slice(0, 1_000),
    modality: modalities.find((one) => one === text('modality')) ?? null,
    context: contextSteps.find((one) => String(one) === text('context')) ?? null,
    sort: sortKeys.find((one) => one === bare) ?? 'name',
    isDescending: sorted.startsWith('-') && sortKeys.some((one) => one === bare),
    page: Number.isSafeInteger(page) && page > 1 ? Math.min(page, 100_000) : 1,
  }
}

/** The query as an address: only what differs from the plain page. `?` alone: nothing does. */
export function queryText(query: ModelQuery): string {
  const { q, vendor, group, modality, context, page } = query
  const sort = sortText(query)
  const parts: readonly (readonly [string, string])[] = [
    ...([
      ['q', q],
      ['vendor', vendor],
      ['group', group],
    ] as const),
    ...([
      ['modality', modality ?? ''],
      ['context', context ? String(context) : ''],
    ] as const),
    ...([
      ['sort', sort === 'name' ? '' : sort],
      ['page', page > 1 ? String(page) : ''],
    ] as const),
  ]
  const parameters = new URLSearchParams()
  for (const [name, value] of parts) if (value !== '') parameters.set(name, value)
  return parameters.toString()
}

/** `-input`: the dearest first. */
export const sortText = ({ sort, isDescending }: Pick<ModelQuery, 'sort' | 'isDescending'>) =>
  `${isDescending ? '-' : ''}${sort}`

/** Whether anything but the order and the page was asked for. */
export const isFiltered = ({ q, vendor, group, modality, context }: ModelQuery): boolean =>
  q !== '' || vendor !== '' || group !== '' || modality !== null || context !== null
