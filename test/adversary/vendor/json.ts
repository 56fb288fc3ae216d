export interface Json {
  readonly [name: string]: unknown
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function numberIn(body: Json, name: string): number | undefined {
  const value = body[name]
  return typeof value === 'number' ? value : undefined
}

export function textIn(body: Json, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}

export const listIn = (body: Json, name: string): readonly unknown[] =>
  Array.isArray(body[name]) ? (body[name] as unknown[]) : []
