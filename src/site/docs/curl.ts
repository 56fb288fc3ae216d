import type { PlacedOperation } from './operation.ts'

/** A curl line for an operation at an address; the token is in the shell's `$KEY`. */
export function curlOf(address: string, { method, path, operation }: PlacedOperation): string {
  const { needsKey, parameters = [], request } = operation
  const query = parameters
    .filter(({ place }) => place === 'query')
    .map(({ name, example }) => `${name}=${example}`)
    .join('&')
  const filled = path.replace(
    /\{([^}]*)\}/g,
    (whole, name) => parameters.find((parameter) => parameter.name === name)?.example ?? whole,
  )
  const url = address.replace(/\/+$/, '') + filled + (query && `?${query}`)
  const parts = [`curl '${url}'`]
  if (method === 'DELETE') parts.push('-X DELETE')
  if (needsKey) parts.push('-H "Authorization: Bearer $KEY"')
  if (request?.contentType === 'multipart/form-data') {
    parts.push(
      ...Object.entries(Object(request.example)).map(([name, value]) => `-F '${name}=${value}'`),
    )
  } else if (request) {
    parts.push(`-H 'content-type: ${request.contentType}'`)
    parts.push(`-d '${JSON.stringify(request.example)}'`)
  }
  return parts.join(' \\\n  ')
}
