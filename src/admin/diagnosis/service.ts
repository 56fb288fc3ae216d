import type { ClientRequest } from '../../billing/receipt/client.ts'
import type { RecordStore } from '../../store/ports/records.ts'
import { readList } from '../paging.ts'
import { findRequest, type Owner } from '../requests/service.ts'
import { type FactParts, readFacts } from './facts.ts'
import { modelStep } from './model-step.ts'
import { recordStep } from './record-step.ts'
import type { Diagnosis, Step, WayWord } from './schema.ts'
import { endpointOf, endpointStep, groupsStep, statusStep } from './steps.ts'
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
    const steps = bestAdvice([
      statusStep(facts, parts.statusUrl()),
      endpointStep(facts),
      modelStep(facts),
      tokenStep(facts),
      recordStep(facts),
      groupsStep(facts),
    ])
    return {
      request_id: facts.request.requestId,
      verdict: facts.request.cause === null ? null : verdictOf(steps),
      steps: adviseOnce(steps),
      report: reportOf(facts.request),
    }
  }
}

/** Advice that says more than another one. */
const betterThan: Partial<Record<WayWord, WayWord>> = {
  try_other_group: 'change_group',
  see_models: 'use_model',
  retry: 'wait',
}

/** Leaves out advice beside one that says more. */
function bestAdvice(steps: readonly Step[]): Step[] {
  const given = new Set(steps.flatMap(({ ways }) => ways.map(({ word }) => word)))
  return steps.map((step) => ({
    ...step,
    ways: step.ways.filter(({ word }) => {
      const better = betterThan[word]
      return better === undefined || !given.has(better)
    }),
  }))
}

/** Gives each advice where it comes up first. */
function adviseOnce(steps: readonly Step[]): Step[] {
  const said = new Set<string>()
  return steps.map((step) => ({
    ...step,
    ways: step.ways.filter((way) => {
      const words = JSON.stringify(way)
      const isNew = !said.has(words)
      said.add(words)
      return isNew
    }),
  }))
}

/**
 * The first problem that explains the failure, at the latest that of the record. A channel's key comes before
 * all: it is why its group fails.
 */
function verdictOf(steps: readonly Step[]): Diagnosis['verdict'] {
  const causes = steps.filter(({ finding, explains }) => finding === 'problem' && explains)
  const isKey = ({ notes: [note] }: Step) => note?.word.startsWith('channel_key') === true
  const first = causes.find(isKey) ?? causes[0]
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
