import type { CanonicalRequest } from '../../protocols/canonical/request.ts'
import type { JsonObject } from '../../protocols/protocol.ts'
import type { Sealer } from '../../protocols/translation/seal.ts'
import { clientOf, operationOf, protocolOf } from '../admit/options.ts'
import { checkBody, parseJsonBody, type RequestBody } from '../body/body.ts'
import { writeNative } from '../body/native-body.ts'
import { GatewayError } from '../errors.ts'
import type { MediaFetcher } from '../media/fetch-media.ts'
import type { CountTokens } from '../money/estimate.ts'
import { decodeRequest, type PreparedRequest, prepareRequest } from '../translate/translation.ts'
import { countDecoded } from '../upstream/answer-count.ts'
import type {
  CountJob,
  Job,
  PreparedTarget,
  ReadJob,
  RefusedJob,
  Results,
  TranslationJob,
  WriteJob,
} from './job.ts'

interface WorkParts {
  readonly sealer: Sealer
  readonly countTokens: CountTokens
}

/** Runs a job; a refusal is a result, too. */
export async function doJob(
  parts: WorkParts,
  job: Job,
): Promise<Results[Job['kind']] | RefusedJob> {
  return orRefused<Results[Job['kind']]>(() => {
    switch (job.kind) {
      case 'translate':
        return translate(parts, job)
      case 'read':
        return read(job)
      case 'write':
        return write(job)
      case 'count':
        return count(parts, job)
    }
  })
}

async function orRefused<Result>(
  work: () => Result | Promise<Result>,
): Promise<Result | RefusedJob> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { refused: error.kind, message: error.message, param: error.details.param }
  }
}

/** The body, which `parseJsonBody` has already validated. */
function bodyOf({ bytes, stream }: { readonly bytes: Uint8Array; readonly stream: boolean }) {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const value: JsonObject = JSON.parse(buffer.toString())
  return { bytes: buffer, value: () => value, facts: { stream } }
}

async function translate(
  { sealer }: WorkParts,
  job: TranslationJob,
): Promise<Results['translate']> {
  const client = clientOf(job.client)
  const body = bodyOf(job)
  const request = decodeRequest(client, body, job.model)
  const { optionalTools } = job
  const task = { ...job, client, body }
  const targets: (PreparedTarget | RefusedJob)[] = []
  for (const target of job.targets) {
    const { upstream, ...rest } = target
    const made = await orRefused(async () => {
      const parts = { sealer, media: fetched(job.files) }
      const whole = { ...rest, upstream: protocolOf(upstream) }
      return written(prepareRequest(parts, task, request, optionalTools, whole), job)
    })
    targets.push(made)
  }
  return { request: withoutTurns(request), body: withoutInput(body.value()), targets }
}

async function written(prepared: PreparedRequest, job: TranslationJob): Promise<PreparedTarget> {
  const wanted = prepared.wanted()
  const isReady = job.targets.length === 1 && (wanted.length === 0 || job.files !== undefined)
  const bytes = isReady ? await prepared.encode(new AbortController().signal) : undefined
  return { dropped: prepared.dropped, hiddenWork: prepared.hiddenWork(), wanted, bytes }
}

function fetched(files: TranslationJob['files'] = new Map()): MediaFetcher {
  return {
    of: () => async (url) => {
      const media = files.get(url)
      if (media === undefined) throw new Error('A file was not fetched.')
      return media
    },
  }
}

/** Answers need the names and kinds of tools. */
function withoutTurns({ model, stream, tools }: CanonicalRequest): CanonicalRequest {
  const named = tools.map(({ parameters, description, grammar, ...tool }) => tool)
  return { model, stream, turns: [], native: [], tools: named }
}

/** The longest request text that answers echo: some events repeat it each time. */
const longestEcho = 262_144

function withoutInput(body: JsonObject): JsonObject {
  const { input, messages, contents, prompt, ...settings } = body
  if (JSON.stringify(settings).length <= longestEcho) return settings
  const { tools, instructions, text, metadata, ...short } = settings
  return JSON.stringify(short).length <= longestEcho ? short : {}
}

const longestAmend = 4_096

function read({ asked, ...job }: ReadJob): Results['read'] {
  const { facts: all, conversation, rename } = checked(job)
  const { text, uncounted, media, hiddenWork, amend, ...facts } = all
  return {
    facts,
    text: text(),
    uncounted: uncounted(),
    media: media(),
    hiddenWork: hiddenWork?.(),
    conversation: conversation(asked),
    amend: JSON.stringify(amend).length > longestAmend ? undefined : amend,
    renamed: Object.keys(rename('')),
  }
}

function write({ changes, ...job }: WriteJob): Results['write'] {
  const { fields, ...body } = checked(job)
  if (fields === undefined) throw new Error('A form is not written here.')
  return writeNative({ ...body, fields }, changes)
}

function checked({ bytes, operation }: Pick<ReadJob, 'bytes' | 'operation'>): RequestBody {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return checkBody(parseJsonBody(buffer), operationOf(operation))
}

function count(parts: WorkParts, job: CountJob): Promise<number> {
  const request = decodeRequest(protocolOf(job.client), bodyOf(job), job.model)
  return countDecoded(parts, request, job)
}
