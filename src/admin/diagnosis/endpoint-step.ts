import { endpointOf } from './endpoints.ts'
import type { Facts } from './facts.ts'
import type { Step } from './schema.ts'
import { openStep } from './step.ts'

/** 2. Was it the right path? What has a record was: wrong ones leave none. */
export function endpointStep({ request }: Facts): Step {
  const { clientProtocol: protocol, upstreamProtocol: upstream, operation } = request
  const step = openStep('endpoint')
  step.note('endpoint_used', { endpoint: endpointOf(protocol, operation, request), protocol })
  if (upstream !== null && upstream !== protocol) {
    step.note('endpoint_translated', { protocol, upstream })
  }
  step.note('endpoint_no_record')
  return step.done({})
}
