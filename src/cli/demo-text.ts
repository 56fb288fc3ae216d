import { usd } from '../billing/money.ts'
import { counted, humanDuration } from '../lib/format.ts'
import type { LogFields, Logger } from '../lib/log.ts'

interface DemoFacts {
  readonly url: string
  readonly tokenKey: string
  readonly configFile: string
  readonly email: string
  readonly password: string
  /** Without made-up requests. */
  readonly isEmpty: boolean
}

/** The first screen: one line for each protocol, ready to paste. */
export function describeDemo(facts: DemoFacts): readonly string[] {
  const { url, tokenKey, configFile, email, password, isEmpty } = facts
  return [
    `Tollgate demo on ${url}, with a built-in upstream that speaks all four protocols.`,
    'Model "demo" costs 0.25 USD in and 2 USD out per 1M tokens, × 0.8 in this group.',
    '',
    'Paste any of these into another terminal:',
    ...curlLines(url, tokenKey).flatMap(({ title, line }) => ['', `# ${title}`, line]),
    '',
    'Or point an SDK at it, with the same key and model:',
    `  OpenAI     base_url  ${url}/v1`,
    `  Anthropic  base_url  ${url}`,
    `  Google     base_url  ${url}`,
    `  key        ${tokenKey}`,
    '',
    'The console, for an administrator:',
    `  address    ${url}/console`,
    `  e-mail     ${email}`,
    `  password   ${password}`,
    ...(isEmpty
      ? []
      : [
          'It shows a week of made-up requests, whose ids begin with req_madeup_. Without: --empty',
        ]),
    '',
    `Look inside: tollgate account show demo@example.com --config ${configFile}`,
    'Ctrl-C ends it and removes its data. What each request used and cost:',
    '',
  ]
}

/** One streamed call for each protocol; single quotes keep the shell away from the JSON. */
function curlLines(url: string, key: string): readonly { title: string; line: string }[] {
  const ask = (content: string) => [{ role: 'user', content }]
  const bearer = [`authorization: Bearer ${key}`]
  const anthropic = [`x-api-key: ${key}`, 'anthropic-version: 2023-06-01']
  const gemini = '/v1beta/models/demo:streamGenerateContent?alt=sse'
  const stream = { model: 'demo', stream: true }
  const calls: readonly (readonly [string, string, readonly string[], object])[] = [
    [
      ...(['chat completions', '/v1/chat/completions', bearer] as const),
      { ...stream, messages: ask('What is 6 x 7?') },
    ],
    ['responses', '/v1/responses', bearer, { ...stream, input: 'Count to five.' }],
    [
      ...(['messages', '/v1/messages', anthropic] as const),
      { ...stream, max_tokens: 200, messages: ask('Who are you?') },
    ],
    [
      ...(['gemini', gemini, [`x-goog-api-key: ${key}`]] as const),
      { contents: [{ role: 'user', parts: [{ text: 'What is 12 + 30?' }] }] },
    ],
  ]
  return calls.map(([title, path, headers, body]) => {
    const flags = ['content-type: application/json', ...headers].map((one) => `-H '${one}'`)
    return {
      title,
      line: `curl -sN '${url}${path}' ${flags.join(' ')} -d '${JSON.stringify(body)}'`,
    }
  })
}

/**
 * A logger that prints each request in words, and counts them for `summary`. Other lines go to `inner`;
 * without `print`, all do.
 */
export function createDemoLog(
  inner: Logger,
  print: ((line: string) => void) | undefined,
  balance: () => Promise<number | undefined>,
) {
  let requests = 0
  let totalNano = 0
  let last: Promise<void> = Promise.resolve()

  async function printRequest(fields: LogFields): Promise<void> {
    // The database may be closed before the last lines.
    const left = await balance().catch(() => undefined)
    const line = describeRequest(fields)
    print?.(left === undefined ? line : `${line}, ${usd(left)} left`)
  }

  const log: Logger = {
    ...inner,
    info(message, fields = {}) {
      if (message !== 'request') return inner.info(message, fields)
      requests++
      totalNano += amountOf(fields)
      if (!print) return inner.info(message, fields)
      last = last.then(() => printRequest(fields))
    },
  }
  return {
    log,
    idle: () => last,
    summary: () => `${counted(requests, 'request')}, ${usd(totalNano)} in all.`,
  }
}

const amountOf = ({ amount_nano }: LogFields) => (typeof amount_nano === 'number' ? amount_nano : 0)

/** `200 chat completions demo: 14 in, 9 out, 0.000017 USD, 41 ms`. */
function describeRequest(fields: LogFields): string {
  const what = new Set([fields.status, fields.protocol, fields.operation, fields.model])
  const head = [...what].filter((part) => part !== undefined && part !== null).join(' ')
  const cause = fields.cause ? [`${fields.cause}`] : []
  const used =
    fields.input_tokens === undefined
      ? []
      : [
          `${fields.input_tokens} in`,
          `${fields.output_tokens} out`,
          ...(fields.cache_read_tokens ? [`${fields.cache_read_tokens} cached`] : []),
          ...(fields.cache_write_tokens ? [`${fields.cache_write_tokens} to cache`] : []),
        ]
  const took = typeof fields.duration_ms === 'number' ? [humanDuration(fields.duration_ms)] : []
  return `${head}: ${[...cause, ...used, ...took, usd(amountOf(fields))].join(', ')}`
}
