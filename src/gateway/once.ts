import { GatewayError } from './errors.ts'

/** Works when it is first asked; from then on gives the same again, or throws the same refusal. */
export function once<Result extends object>(work: () => Result): () => Result {
  let found: Result | GatewayError | undefined
  return () => {
    found ??= attempted(work)
    if (found instanceof GatewayError) throw found
    return found
  }
}

function attempted<Result>(work: () => Result): Result | GatewayError {
  try {
    return work()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}
