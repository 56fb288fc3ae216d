import type { StatusDocument } from '../../../site/status/schema.ts'
import { read } from '../../lib/api.ts'

/** The status, public and own: of all groups, or of one with all its models. */
export async function readStatus(group?: string): Promise<StatusDocument['data']> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const at = async (path: string) => ((await read(path + query)) as StatusDocument).data
  const own = await at('/api/v1/groups/status')
  if (group !== undefined && own.groups.length > 0) return own
  const shown = await at('/api/v1/status')
  return { ...shown, groups: [...shown.groups, ...own.groups] }
}
