import type { StatusDocument } from '../../../site/status/schema.ts'
import { CallFailed } from '../../lib/api.ts'

/** The public status: of all groups, or of one with all its models. */
export async function readStatus(group?: string): Promise<StatusDocument['data']> {
  const query = group === undefined ? '' : `?group=${encodeURIComponent(group)}`
  const response = await fetch(`/api/v1/status${query}`)
  const body: unknown = await response.json()
  if (!response.ok) throw new CallFailed(response.status, body)
  return (body as StatusDocument).data
}
