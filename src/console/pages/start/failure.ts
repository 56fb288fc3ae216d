import type { ModelsListed } from '../../../admin/channels/schema.ts'

const unreachable = /^(timeout_|connect_failed|connection_lost|tls_failed)/

/** The text for a failure of the list. */
export function reasonOf({ ok, status, failure }: Pick<ModelsListed, 'ok' | 'status' | 'failure'>) {
  if (ok) return 'failList' // an empty one
  if (failure === 'address_refused') return 'failPrivate'
  if (status === 401 || status === 403 || failure === 'upstream_auth') return 'failKey'
  if (failure !== null && unreachable.test(failure)) return 'failReach'
  return status === 404 || status === 405 || failure === 'upstream_invalid'
    ? 'failList'
    : 'failOther'
}
