import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Shows an answer as what a query has found: one that was begun before it does not come behind it. */
export async function know(queries: QueryClient, queryKey: QueryKey, now: unknown): Promise<void> {
  await queries.cancelQueries({ queryKey, exact: true })
  queries.setQueryData(queryKey, now)
}
