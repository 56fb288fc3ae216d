import type { OpenGroups } from '../../../admin/open-groups/routes.ts'
import { api, useCall } from '../../lib/api.ts'

/** The groups that a token can belong to, with what can be called in them. */
export const useGroups = () =>
  useCall(['open-groups'], () => api.groups.get(), { staleTime: 30_000 })

/** What a token of a group can call, of what it may, and which of it to begin with. */
export function callableOf(
  group: Pick<OpenGroups['items'][number], 'models' | 'suggested'> | undefined,
  allowed: readonly string[],
) {
  const { models = [], suggested = [] } = group ?? {}
  const isAllowed = (model: string) => allowed.length === 0 || allowed.includes(model)
  const callable = models.filter(isAllowed)
  return { models: callable, usual: suggested.find(isAllowed) ?? callable[0] }
}
