import type { ClientRequest } from '../../billing/receipt/client.ts'
import type { RecordStore } from '../../store/ports/records.ts'
import { readList } from '../paging.ts'
import { findRequest, type Owner } from '../requests/service.ts'
import { type FactParts, readFacts } from './facts.ts'
import type { Diagnosis, Step } from './schema.ts'
import { endpointOf, endpointStep, groupsStep, modelStep, recordStep, statusStep } from './steps.ts'
import { tokenStep } from './token-step.ts'

interface DiagnosisParts extends FactParts {
  readonly records: Pick<RecordStore, 'receipt'>
  readonly statusUrl: () => string
}

export type DiagnosisService = ReturnType<typeof createDiagnosis>

/** Explains why a request failed, step by step. */
export function createDiagnosis(parts: DiagnosisParts) {
  return async (owner: Owner, id: string): Promise<Diagnosis> => {
    const rows = await findRequest(parts.records, owner, id)
    const facts = await readList(() => readFacts(parts, rows, owner === 'all'))
    const steps = [
      statusStep(facts, parts.statusUrl()),
      endpointStep(facts),
      modelStep(facts),
      tokenStep(facts),
      recordStep(facts),
      groupsStep(facts),
    ]
    return {
      request_id: facts.request.requestId,
      verdict: facts.request.cause === null ? null : verdictOf(steps),
      steps,
      report: reportOf(facts.request),
    }
  }
}

/** The first problem that explains the failure, at the latest that of the record. */
function verdictOf(steps: readonly Step[]): Diagnosis['verdict'] {
  const first = steps.find(({ finding, explains }) => finding === 'problem' && explains)
  const note = first?.notes[0]
  if (first === undefined || note === undefined) return null
  return { step: first.step, note, way: first.ways[0] ?? null }
}

const reportOf = (request: ClientRequest): Diagnosis['report'] => ({
  request_id: request.requestId,
  created_at: new Date(request.createdAt).toISOString(),
  model: request.model,
  group: request.group,
  endpoint: endpointOf(request.clientProtocol, request.operation, request),
  status: request.status,
  cause: request.cause,
  error: request.causeText,
})
