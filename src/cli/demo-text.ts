/** What the demo tells about itself. */
export interface DemoFacts {
  readonly url: string
  readonly tokenKey: string
  readonly configFile: string
  /** Of the administrator of the console. */
  readonly email: string
  readonly password: string
}

/** The first screen: one line for each protocol, which works as pasted. */
export function describeDemo(facts: DemoFacts): readonly string[] {
  const { url, tokenKey, configFile, email, password } = facts
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
    '',
    `Look inside: tollgate account show demo@example.com --config ${configFile}`,
    'Ctrl-C ends it and removes its data. What each request used and cost:',
    '',
  ]
}

/** One call for each protocol, streamed; single quotes keep the shell away from the JSON. */
export function curlLines(url: string, key: string): readonly { title: string; line: string }[] {
  const call = (path: string, headers: readonly string[], body: object) => {
    const all = ['content-type: application/json', ...headers]
    const flags = all.map((header) => `-H '${header}'`).join(' ')
    return `curl -sN '${url}${path}' ${flags} -d '${JSON.stringify(body)}'`
  }
  const ask = (content: string) => [{ role: 'user', content }]
  return [
    {
      title: 'chat completions',
      line: call('/v1/chat/completions', [`authorization: Bearer ${key}`], {
        model: 'demo',
        stream: true,
        messages: ask('What is 6 x 7?'),
      }),
    },
    {
      title: 'responses',
      line: call('/v1/responses', [`authorization: Bearer ${key}`], {
        model: 'demo',
        stream: true,
        input: 'Count to five.',
      }),
    },
    {
      title: 'messages',
      line: call('/v1/messages', [`x-api-key: ${key}`, 'anthropic-version: 2023-06-01'], {
        model: 'demo',
        max_tokens: 200,
        stream: true,
        messages: ask('Who are you?'),
      }),
    },
    {
      title: 'gemini',
      line: call('/v1beta/models/demo:streamGenerateContent?alt=sse', [`x-goog-api-key: ${key}`], {
        contents: [{ role: 'user', parts: [{ text: 'What is 12 + 30?' }] }],
      }),
    },
  ]
}
