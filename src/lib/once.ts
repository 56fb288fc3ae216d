/** Computes on first use; later calls return the same result, or throw the same error. */
export function once<Result>(work: () => Result): () => Result {
  let made: { readonly result: Result } | { readonly error: unknown } | undefined
  return () => {
    made ??= attempt(work)
    if ('error' in made) throw made.error
    return made.result
  }
}

function attempt<Result>(work: () => Result) {
  try {
    return { result: work() }
  } catch (error) {
    return { error }
  }
}
