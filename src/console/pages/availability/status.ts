import type { StatusDocument } from '../../../site/status/schema.ts'
import { read } from '../../lib/api.ts'

/** The public status: of all groups, or of one with all its models. */
export async function readStatus(group?: string): Promise<StatusDocument['data']> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const body = await read(`/api/v1/status${query}`)
  return (body as StatusDocument).data
}
