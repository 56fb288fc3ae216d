import { joinUrl, modelPath, pathSegments } from '../url.ts'

const version = /^v\d+((alpha|beta)\d*)?$/

/**
 * Upstream URL: the base is written as Google's SDK wants it, without a version. One that has a
 * version in its path (Vertex: `…/v1beta1/projects/…/publishers/google`) gets no second one.
 */
export function geminiUrl(base: string, path: string): string {
  const versioned = pathSegments(base).some((segment) => version.test(segment))
  return joinUrl(base, versioned ? path.replace(/^\/v1beta(?=\/)/, '') : path)
}

/** Path of an action on a model. For SSE the caller adds `?alt=sse`; without it, a JSON array. */
export function geminiPath(model: string, action: string): string {
  const name = model.startsWith('models/') ? model.slice('models/'.length) : model
  const folder = name.startsWith('tunedModels/') ? '' : 'models/'
  return `/v1beta/${folder}${modelPath(name)}:${action}`
}

/** The key as Google takes it. */
export function geminiKeyHeaders(key: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': key }
}
