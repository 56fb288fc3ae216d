import { useQuery } from '@tanstack/react-query'
import type { PlazaDocument } from '../../../site/plaza/schema.ts'
import { api, call, read } from '../../lib/api.ts'
import { plazaRows } from './rows.ts'

/** The public plaza, and what is only for who is signed in; its error has status 404 when it is off, 401 when it asks for a key. */
export const usePlaza = () =>
  useQuery({
    queryKey: ['plaza'],
    staleTime: 60_000,
    queryFn: async () => {
      const [shown, own] = (await Promise.all([
        read('/api/v1/model-plaza'),
        read('/api/v1/groups/plaza'),
      ])) as [PlazaDocument, PlazaDocument]
      const groups = [...shown.data.groups, ...own.data.groups].toSorted(
        (a, b) => a.rate_multiplier - b.rate_multiplier,
      )
      return { description: shown.data.description, rows: plazaRows(groups) }
    },
  })

/** Tokens to choose from: the newest hundred. */
export const useOwnTokens = () =>
  useQuery({
    queryKey: ['tokens', 'choice'],
    queryFn: () => call(api.tokens.get({ query: { page_size: 100 } })),
  })
