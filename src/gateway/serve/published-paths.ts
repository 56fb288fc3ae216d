import { protocols } from '../../protocols/index.ts'
import type { Protocol, ProtocolName } from '../../protocols/protocol.ts'
import { protocolOf } from '../admit/options.ts'
import { type Context, httpCall, isBeta } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { type GuardParts, guarded } from './guarded.ts'

/**
 * What vendors publish and the gateway does not serve, with the protocol of their errors. `{id}`: one segment;
 * `/*`: all below; ` *`: the path, too. Source: `openai`, `@anthropic-ai/sdk`, `@google/genai`.
 */
const rows: readonly (readonly [protocol: ProtocolName, row: string])[] = [
  // OpenAI. Anthropic has its own files, skills, agents and vaults: see `notOffered`.
  ['chat', 'GET POST DELETE /v1/agents *'],
  ['chat', 'GET POST DELETE /v1/assistants *'],
  ['chat', 'GET POST DELETE /v1/audio/*'],
  ['chat', 'GET POST /v1/batches *'],
  ['chat', 'GET POST DELETE /v1/chat/completions/*'],
  ['chat', 'GET POST DELETE /v1/chatkit/*'],
  ['chat', 'GET POST DELETE /v1/containers *'],
  ['chat', 'POST /v1/content_provenance_checks'],
  ['responses', 'GET POST DELETE /v1/conversations *'],
  ['chat', 'GET POST DELETE /v1/decisions *'],
  ['chat', 'GET POST DELETE /v1/evals *'],
  ['chat', 'GET POST DELETE /v1/files *'],
  ['chat', 'GET POST DELETE /v1/fine_tuning/*'],
  ['chat', 'POST /v1/images/variations'],
  ['chat', 'GET POST DELETE /v1/live/*'],
  ['chat', 'POST /v1/moderations'],
  ['chat', 'GET POST DELETE /v1/organization/*'],
  ['chat', 'GET POST DELETE /v1/projects/*'],
  ['chat', 'GET POST DELETE /v1/realtime *'],
  ['responses', 'POST /v1/responses/{id}/cancel'],
  ['responses', 'GET /v1/responses/{id}/input_items'],
  ['chat', 'GET POST DELETE /v1/skills *'],
  ['chat', 'GET POST DELETE /v1/threads *'],
  ['chat', 'POST /v1/uploads *'],
  ['chat', 'GET POST DELETE /v1/vaults *'],
  ['chat', 'GET POST DELETE /v1/vector_stores *'],
  ['chat', 'GET POST DELETE /v1/videos *'],
  ['chat', 'GET POST DELETE /v1/webhook_endpoints *'],
  // Anthropic.
  ['messages', 'GET POST DELETE /v1/compliance/*'],
  ['messages', 'GET POST DELETE /v1/deployment_runs *'],
  ['messages', 'GET POST DELETE /v1/deployments *'],
  ['messages', 'GET POST DELETE /v1/dreams *'],
  ['messages', 'GET POST DELETE /v1/environments *'],
  ['messages', 'GET POST DELETE /v1/memory_stores *'],
  ['messages', 'GET POST DELETE /v1/messages/batches *'],
  ['messages', 'GET POST DELETE /v1/organizations/*'],
  ['messages', 'GET POST DELETE /v1/sessions *'],
  ['messages', 'GET POST DELETE /v1/tunnels *'],
  ['messages', 'GET POST DELETE /v1/user_profiles *'],
  // Google, whose newer SDK asks `/v1`; its uploads have a path of their own.
  ...['v1beta', 'v1'].flatMap((version) =>
    [
      `POST /${version}/auth_tokens`,
      `GET POST PATCH DELETE /${version}/cachedContents *`,
      `GET POST PATCH DELETE /${version}/corpora *`,
      `GET POST DELETE /${version}/fileSearchStores *`,
      `POST /${version}/files:register`,
      `GET POST DELETE /${version}/interactions *`,
      `GET POST DELETE /${version}/operations *`,
      `GET POST PATCH DELETE /${version}/tunedModels *`,
      `POST /upload/${version}/*`,
    ].map((row) => ['gemini', row] as const),
  ),
  ['gemini', 'GET POST DELETE /v1beta/batches *'],
  ['gemini', 'GET POST DELETE /v1beta/files *'],
  // Google's endpoints in OpenAI's protocol.
  ['chat', 'GET POST /v1beta/openai/*'],
]

interface Published {
  readonly protocol: ProtocolName
  readonly methods: ReadonlySet<string>
  readonly pattern: RegExp
  readonly begin: string
}

function publishedOf(protocol: ProtocolName, row: string): Published {
  const words = row.split(' ')
  const isWithBelow = words.at(-1) === '*'
  const path = words.findLast((word) => word.startsWith('/')) ?? ''
  const pattern = path.replace('{id}', '[^/]+').replace(/\/\*$/, '(/[^/]+)+')
  return {
    protocol,
    begin: beginOf(path),
    methods: new Set(words.slice(0, words.indexOf(path))),
    // Actions stand behind a colon: `/v1beta/batches/x:cancel`.
    pattern: new RegExp(`^${pattern}${isWithBelow ? '(/[^/]+)*' : ''}$`),
  }
}

const beginOf = (path: string) => path.split('/', 3).join('/')

const table: ReadonlyMap<string, readonly Published[]> = Map.groupBy(
  rows.map(([protocol, row]) => publishedOf(protocol, row)),
  ({ begin }) => begin,
)

/** The protocol of a vendor's endpoint that this gateway does not offer. */
function publishedIn(method: string, path: string): ProtocolName | undefined {
  const asked = method === 'HEAD' ? 'GET' : method
  const found = table.get(beginOf(path))
  return found?.find(({ methods, pattern }) => methods.has(asked) && pattern.test(path))?.protocol
}

/** Answers a path that is not offered; undefined: no vendor publishes it. */
export type NotOffered = (
  context: Pick<Context, 'request' | 'server'>,
) => Promise<Response> | undefined

/** An endpoint that a vendor publishes and the gateway lacks is a 404 in its protocol's shape. */
export function createNotOffered(parts: GuardParts): NotOffered {
  return ({ request, server }) => {
    const path = /^\w+:\/\/[^/]*([^?#]*)/.exec(request.url)?.[1] ?? ''
    const name = publishedIn(request.method, path)
    if (name === undefined) return undefined
    const call = httpCall({ request, server, params: {} }, isBeta(request))
    return guarded(parts, { call, protocol: shapeFor(request, protocolOf(name)) }, () => {
      const message = `This gateway does not offer ${request.method} ${shown(path)}. What it offers is in /docs.`
      throw new GatewayError('not_offered', message)
    })
  }
}

/** Two vendors have files, skills and agents of their own: headers tell their SDKs apart. */
function shapeFor({ headers }: Request, published: Protocol): Protocol {
  const isClient = ({ clientHeader }: Protocol) => clientHeader && headers.has(clientHeader)
  return Object.values(protocols).find(isClient) ?? published
}

/** Ids in a path may have any length. */
const shown = (path: string) => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
