/** The query of a request. A URL that does not parse (its host comes from a header) has one, too. */
export function queryOf({ url }: Pick<Request, 'url'>): URLSearchParams {
  const mark = url.indexOf('?')
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1))
}
