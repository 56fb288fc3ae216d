import { useQuery } from '@tanstack/react-query'
import type { PlazaDocument } from '../../../site/plaza/schema.ts'
import { api, call, read } from '../../lib/api.ts'
import { plazaRows } from './rows.ts'

/** The public plaza; its error has status 404 when it is off, 401 when it asks for a key. */
export const usePlaza = () =>
  useQuery({
    queryKey: ['plaza'],
    staleTime: 60_000,
    queryFn: async () => {
      const document = (await read('/api/v1/model-plaza')) as PlazaDocument
      return { description: document.data.description, rows: plazaRows(document) }
    },
  })

/** Tokens to choose from: the newest hundred. */
export const useOwnTokens = () =>
  useQuery({
    queryKey: ['tokens', 'choice'],
    queryFn: () => call(api.tokens.get({ query: { page_size: 100 } })),
  })
