/** Where each operation that leaves a record is asked for; `{model}` is in the path of its own. */
const endpoints: Readonly<Record<string, string>> = {
  'chat completions': 'POST /v1/chat/completions',
  'chat text_completions': 'POST /v1/completions',
  'chat embeddings': 'POST /v1/embeddings',
  'chat images.generations': 'POST /v1/images/generations',
  'chat images.edits': 'POST /v1/images/edits',
  'responses responses': 'POST /v1/responses',
  'responses compact': 'POST /v1/responses/compact',
  'messages messages': 'POST /v1/messages',
  'gemini generate': 'POST /v1beta/models/{model}:generateContent',
  'gemini embed': 'POST /v1beta/models/{model}:embedContent',
  'gemini batch_embed': 'POST /v1beta/models/{model}:batchEmbedContents',
}

/** The endpoint by which a request came; its operation where this version does not know it. */
export function endpointOf(
  protocol: string,
  operation: string,
  { stream = false, model = null as string | null } = {},
): string {
  const known = endpoints[`${protocol} ${operation}`] ?? `${protocol} ${operation}`
  const named = known.replace('{model}', () => model ?? '{model}')
  return stream ? named.replace(':generateContent', ':streamGenerateContent') : named
}
